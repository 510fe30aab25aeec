"""How well each step follows from what was just said: the listening side of the choice of a next move.

Follow what was offered; ask how it is known where something is claimed; put a fact beside the thought when it has just
been told; stay with what gives way; search widely only as an exception. The order is Padesky's (1993) and Overholser's
(1993) put into points, which were chosen on development cases.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from maieutic.language.sentences import words
from maieutic.therapists.agent.formulation import Formulation
from maieutic.therapists.agent.memory import Memory
from maieutic.therapists.agent.quoting import CLAIMED, Phrase, claims, has_subject
from maieutic.therapists.agent.steps import RISK_STEPS, Step
from maieutic.therapists.hearing import held_in

WORK: Final = (
    Step.KNOW,
    Step.OTHERWISE,
    Step.OTHER_VIEW,
    Step.DOUBLE,
    Step.REST,
    Step.COST,
    Step.COMPARE,
    Step.FURTHER,
)
"""Questions that leave the work on the thought to the patient."""
SEARCHES: Final = (Step.AGAINST, Step.PROVE, Step.REST)
"""Questions for a fact against the thought."""
OUTSIDE: Final = (Step.AGAINST, Step.PROVE, Step.OTHER_VIEW, Step.DOUBLE, Step.OTHERWISE)
"""Questions whose answer stands beside the thought by itself: it only has to be asked what the two make together."""
COMPARED: Final = 6.5
"""Points for putting beside the thought a reply that tells a fact against it."""
BESIDE_IT: Final = 6.2
"""Points for asking what the patient makes of an answer that was given from outside the thought."""
GONE_ON_WITH: Final = 6.0
"""Points for taking further what gave way when the thought was looked at."""
LATER: Final = frozenset(WORK) - {Step.COMPARE}
"""Of these, what waits until the situation has been heard."""
_AFTER: Final[Mapping[str, Mapping[Step, float]]] = {
    "thought": {
        Step.KNOW: 5.5,
        Step.OTHERWISE: 4.0,
        Step.FOLLOW: 4.0,
        Step.DOUBLE: 5.0,
        Step.BACKGROUND: 4.0,
        Step.OTHER_VIEW: 4.5,
        Step.SUPPORT: 4.0,
    },
    "unmoved": {
        Step.KNOW: 4.0,
        Step.FOLLOW: 5.0,
        Step.OTHER_VIEW: 5.0,
        Step.BACKGROUND: 4.0,
        Step.DOUBLE: 4.0,
    },
    "feeling": {Step.FOLLOW: 5.0},
    "words": {Step.FOLLOW: 5.0, Step.OTHERWISE: 4.5, Step.KNOW: 3.5, Step.OTHER_VIEW: 4.0},
    "person": {Step.FOLLOW: 5.0, Step.OTHER_VIEW: 4.8},
    "event": {Step.FOLLOW: 5.5, Step.OTHER_VIEW: 4.0},
    "reason": {Step.KNOW: 4.5, Step.FOLLOW: 4.5, Step.COST: 4.5, Step.OTHERWISE: 4.0},
    "origin": {Step.FOLLOW: 5.5, Step.OTHER_VIEW: 4.0},
    "for": {Step.OTHERWISE: 5.5, Step.FOLLOW: 4.5, Step.KNOW: 4.5, Step.OTHER_VIEW: 4.0, Step.DOUBLE: 4.0},
    "against": {Step.COMPARE: 6.5, Step.FOLLOW: 5.0, Step.OTHER_VIEW: 3.5},
    "gives_way": {Step.FOLLOW: 5.5, Step.COMPARE: 4.5, Step.ALTERNATIVE: 3.5, Step.OTHER_VIEW: 3.5},
    "plan": {Step.FOLLOW: 5.5, Step.OTHER_VIEW: 3.0, Step.COST: 3.0},
    "little": {Step.FOLLOW: 5.0, Step.AGAINST: 2.0, Step.OTHER_VIEW: 3.0},
}
"""What follows well from a reply of each kind, points. *Assumptions*, the last changes after what readers found odd."""
_MOST: Final[Mapping[Step, int]] = {
    Step.KNOW: 2,
    Step.OTHERWISE: 2,
    Step.OTHER_VIEW: 2,
    Step.DOUBLE: 1,
    Step.COST: 1,
    Step.REST: 1,
    Step.BACKGROUND: 1,
    Step.AGAINST: 2,
    Step.COMPARE: 5,
    Step.FURTHER: 2,
    Step.ALTERNATIVE: 2,
    Step.MEANING: 1,
    Step.FEELING: 1,
    Step.SUPPORT: 1,
}
"""How often a step is taken in one session at most."""
_OF_CLAIMS: Final = frozenset({Step.KNOW, Step.OTHERWISE})
"""What asks about a claim, and makes no sense after a plain fact or a memory."""
MOMENTS: Final = frozenset({"event", "words", "feeling", "thought"})
"""Replies that tell of a moment in which something can have been thought and felt."""
SEARCHED_AFTER: Final = frozenset({"thought", "unmoved", "for", "reason", "little", "origin"})
"""Replies after which it can be asked at large for what does not fit; what is told of a life is followed."""
HOLDING_ON: Final = frozenset({"thought", "unmoved", "for", "feeling"})
"""Replies after which no view in place of the thought is asked for."""
WEIGHS: Final = (Step.WEIGH, Step.COMPARE, Step.ALTERNATIVE, Step.RATE, Step.RATE_AGAIN)
"""Steps of which no two follow one another."""
AGAIN: Final = 2.0
"""Points off for each time that a piece of work was asked for already."""
RUN: Final = 1.2
"""Points off a further follow-up for each before it in a row, from the second on: threads are followed, and lead
somewhere."""
DUE: Final = 0.35
"""Points for any piece of work, for each turn since the last."""
NAMEABLE: Final = 11
"""Words of a thought that is quoted in a question at most; a longer one is asked about only where it was just said."""
CLAIMS: Final = frozenset({"thought", "unmoved", "for"})
TELLING: Final = frozenset({"event", "person", "reason"})
"""Answers from outside the thought that are put beside it where they rather speak against it than for it."""
SPEAKING: Final = frozenset({"against", "gives_way", "words"})
"""Those that are put beside it where that is sure, or they rather speak against it than for it."""
GIVING_WAY: Final = frozenset({"gives_way", "against"})
"""Replies in which the thought loosens."""
WEIGHED_AFTER: Final = 3
"""Pieces of work after which all of it is looked at together, where a search brings nothing more or the end is near."""
WEIGHED_FROM: Final = 9
"""Turn from which that can be in the middle of a session."""
SURE: Final = 0.42
"""P(a reply claims something, or tells a fact against the thought) from which "that" can be the whole of it, and P(its
kind) from which an answer is put beside the thought."""
LITTLE: Final = 0.5
"""P(a reply holds hardly anything) from which it is not asked about any further, where it is short."""
LITTLE_WORDS: Final = 14
MET: Final = 0.5
"""P(the reply tells a feeling) from which it is met before anything else is asked."""
MEETING: Final = 3
"""Follow-ups in a row after which a feeling has been met."""
WISHED: Final = 0.4
"""P(the reply tells what the patient wants or means to do) from which nothing else is asked before that was
followed. *Assumption.*"""
WISHES: Final = 2
"""Follow-ups in a row after which a wish has been followed, and the work goes on. *Assumption.*"""
SAYABLE: Final = 0.2
"""How surely a phrase claims something by itself from which it can be put to the patient as the thought.
*Assumption.*"""
INTO: Final = 5
"""Words of it within which its subject has to come. *Assumption.*"""
_MEETS: Final = frozenset({Step.FOLLOW, Step.THOUGHT, Step.MEANING})
BESIDE: Final = 0.4
"""P(a phrase holds a fact against the thought, or giving way) from which it is put beside it."""
WORK_FROM: Final = 5
"""Turn from which the patient is asked for `LATER`."""


def fitting(found: Formulation, memory: Memory, left: int) -> dict[Step, float]:
    """Points for each step that makes sense now: how well it follows from the last reply and what is still missing."""
    reply = found.reply
    if reply is None:
        return {Step.GOAL: 1.0}
    wished = reply.holds["plan"] >= WISHED and reply.kind == "plan"
    if memory.last in RISK_STEPS or (wished and _in_a_row(memory) < WISHES):
        return {Step.FOLLOW: 7.0}
    early = memory.number < WORK_FROM
    points = {
        step: worth
        for step, worth in _AFTER[reply.kind].items()
        if not (early and step in LATER) and _makes_sense(step, found, memory)
    }
    waited = min(6, memory.since(*WORK, Step.WEIGH))
    points = {step: worth + DUE * waited * (step in WORK) for step, worth in points.items()}
    points = {step: worth - AGAIN * memory.times(step) * (step in WORK) for step, worth in points.items()}
    points[Step.FOLLOW] = points.get(Step.FOLLOW, 0.0) - RUN * max(0, _in_a_row(memory) - 1)
    points |= _taken_further(found, memory)
    if reply.holds["feeling"] >= MET and _in_a_row(memory) <= MEETING:
        return {step: worth for step, worth in (points | _missing(found, memory, left)).items() if step in _MEETS}
    return points | _missing(found, memory, left)


def _taken_further(found: Formulation, memory: Memory) -> dict[Step, float]:
    """What a piece of work leads on to: its answer is put beside the thought, and what gave way is gone on with."""
    reply = found.reply
    if reply is None or found.thought is None or reply.holds["little"] >= LITTLE:
        return {}
    holds = reply.holds
    loosens = holds["against"] + holds["gives_way"] > holds["thought"] + holds["for"] + holds["unmoved"]
    sure = reply.kind in SPEAKING and holds[reply.kind] >= SURE
    speaks = sure or (reply.kind in SPEAKING | TELLING and loosens)
    if memory.last in (Step.COMPARE, Step.WEIGH) and reply.kind in GIVING_WAY:
        return {Step.FURTHER: GONE_ON_WITH} if memory.times(Step.FURTHER) < _MOST[Step.FURTHER] else {}
    if memory.last in OUTSIDE and speaks:
        return {Step.COMPARE: BESIDE_IT} if memory.times(Step.COMPARE) < _MOST[Step.COMPARE] else {}
    return {}


def _missing(found: Formulation, memory: Memory, left: int) -> dict[Step, float]:
    """Points for what is not known yet, and for what the moment of the session calls for."""
    points: dict[Step, float] = {}
    number = memory.number
    if number == 1:
        points[Step.SITUATION] = 8.0
    if found.reply is not None and found.reply.again and memory.last is not Step.FOLLOW:
        points[Step.FOLLOW] = 7.5
    asked = memory.times(Step.THOUGHT, Step.MEANING)
    if number >= 3 and (found.thought is None or not asked):
        said_one = found.reply is not None and found.reply.kind == "thought"
        points[Step.MEANING if said_one else Step.THOUGHT] = 6.5 - 2.0 * asked
    own = found.reply is not None and found.reply.kind in MOMENTS and any(one.own for one in found.reply.phrases[:2])
    if own and not found.feelings and 2 <= number <= 7 and not memory.times(Step.FEELING):
        points[Step.FEELING] = 5.2
    if _just_thought(found) and not memory.times(Step.RATE) and number >= 4 and asked:
        points[Step.RATE] = 5.8 + 0.2 * number
    if memory.last in (Step.RATE, Step.RATE_AGAIN) and found.ratings and not memory.times(Step.REST):
        points[Step.REST if found.ratings[-1] < 100 else Step.KNOW] = 8.0
    searched = memory.times(Step.AGAINST)
    if (
        nameable(found)
        and len(found.against) < 2
        and number >= 8
        and found.reply is not None
        and found.reply.kind in SEARCHED_AFTER
        and searched < 2
        and memory.since(Step.AGAINST) > 3
    ):
        points[Step.AGAINST] = 4.8
    told = (*found.against, *found.gave_way)
    if found.thought is not None and len(told) >= 2 and any(one.turn == number for one in told) and 9 <= number <= 14:
        points[Step.WEIGH] = 0.0 if memory.times(Step.WEIGH) else 5.0
    worked = memory.times(*WORK) >= WEIGHED_AFTER and memory.since(Step.WEIGH) > WEIGHED_AFTER
    nothing_more = found.reply is not None and found.reply.kind == "little" and memory.last in SEARCHES
    if nameable(found) and nothing_more and worked and number >= WEIGHED_FROM:
        points[Step.WEIGH] = 6.5
    if tells_fact(found, memory) and _makes_sense(Step.COMPARE, found, memory):
        points[Step.COMPARE] = COMPARED
    holds_on = found.reply is not None and found.reply.kind in HOLDING_ON
    if (
        found.gave_way
        and not holds_on
        and left <= 6
        and memory.since(Step.WEIGH) <= 3
        and not memory.times(Step.ALTERNATIVE)
    ):
        points[Step.ALTERNATIVE] = 6.5
    weighed_just_now = memory.since(*WEIGHS) == 0
    return {step: worth for step, worth in points.items() if worth > 0.0 and not (weighed_just_now and step in WEIGHS)}


def _makes_sense(step: Step, found: Formulation, memory: Memory) -> bool:
    if memory.times(step) >= _MOST.get(step, 99):
        return False
    if step in _OF_CLAIMS:
        return found.reply is not None and any(claims(one) >= CLAIMED for one in found.reply.phrases)
    if step is Step.COMPARE:
        told = (*found.against, *found.gave_way)
        return (
            found.thought is not None
            and (tells_fact(found, memory) or any(one.turn == memory.number and _telling(one) for one in told))
            and memory.since(*WEIGHS) > 0
        )
    if step in (Step.OTHER_VIEW, Step.DOUBLE, Step.COST, Step.AGAINST, Step.BACKGROUND):
        return nameable(found)
    if step is Step.ALTERNATIVE:
        return found.thought is not None
    return True


def claimed_now(found: Formulation) -> bool:
    """ "That" can mean nothing but a claim: the thought was said just now, or something like one."""
    reply = found.reply
    if reply is None or not (_just_thought(found) or (reply.holds[reply.kind] >= SURE and reply.kind in CLAIMS)):
        return False
    return any(claims(one) >= SAYABLE for one in reply.phrases)


def nameable(found: Formulation) -> bool:
    """The thought can be asked about without an odd quotation: it can be said as one, or was said just now."""
    return found.thought is not None and (sayable(found.thought) or claimed_now(found))


def sayable(thought: Phrase) -> bool:
    """A phrase is short, has its subject near its beginning, and claims something by itself: "I'm the spare one", and
    not "I wrote it on the back of a bus ticket first"."""
    spoken = words(thought.text)
    holds = held_in(thought.text)
    return (
        len(spoken) <= NAMEABLE and has_subject(thought.text, INTO) and holds["thought"] + holds["unmoved"] >= SAYABLE
    )


def rated(found: Formulation, memory: Memory) -> bool:
    """The first number was given for what is taken for the thought now, and the thought can be asked about again."""
    thought = found.thought
    if thought is None or Step.RATE not in memory.steps:
        return False
    return thought.turn <= memory.steps.index(Step.RATE) + 1 and nameable(found)


def tells_fact(found: Formulation, memory: Memory) -> bool:
    """The whole of the last reply is a fact against the thought: it surely tells one, or was asked for one and does."""
    told = any(one.turn == memory.number for one in (*found.against, *found.gave_way))
    sure = found.reply is not None and found.reply.kind == "against" and found.reply.holds["against"] >= SURE
    return told and (sure or memory.last in SEARCHES)


def _just_thought(found: Formulation) -> bool:
    return found.thought is not None and found.reply is not None and found.thought.text in found.reply.text


def _telling(fact: Phrase) -> bool:
    return max(fact.holds["against"], fact.holds["gives_way"]) >= BESIDE


def _in_a_row(memory: Memory) -> int:
    count = 0
    for step in reversed(memory.steps):
        if step not in (Step.FOLLOW, Step.SITUATION):
            break
        count += 1
    return count

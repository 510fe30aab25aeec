"""The agenda of a session: Padesky's four stages (1993), and what of it is due now.

What happened, the thought, the feeling; then doors to what the thought leaves out, one after another, and what is told
at one is put beside the thought; all of it together; the thought in the patient's own words. What was just said goes
before the agenda where a feeling or a wish was told. Where several steps may be taken, what each is worth is learned
(`value.py`); the points here are the order of the agenda without that.

Every size here is an *assumption*, set by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from maieutic.language.sentences import words
from maieutic.safety.kinds import Kind, kinds_in
from maieutic.therapists.agent.formulation import Formulation
from maieutic.therapists.agent.memory import Memory
from maieutic.therapists.agent.off_task import does_not_know, turns_away
from maieutic.therapists.agent.quoting import Phrase, has_subject
from maieutic.therapists.agent.steps import ASKING_OF_RISK, CHALLENGING, RECALLS, SEARCHES, VIEWS, Step, nature
from maieutic.therapists.hearing import held_in
from maieutic.tracking.belief import Belief
from maieutic.tracking.space import Reply as Told

DOORS: Final[Mapping[Step, int]] = {
    Step.AGAINST: 2,
    Step.EXCEPTION: 2,
    Step.OTHERS: 2,
    Step.OTHER_VIEW: 1,
    Step.PERSON: 2,
    Step.DOING: 2,
    Step.DOUBLE: 1,
    Step.THREAD: 2,
    Step.LIKELY: 1,
    Step.EFFECT: 1,
}
"""Doors to what the thought leaves out, in the order in which they are tried where nothing else decides, and how often
each is at most."""
WORK: Final = (Step.KNOW, *VIEWS, *SEARCHES, Step.COMPARE, Step.WEIGH)
"""Questions that leave the work on the thought to the patient."""
WEIGHS: Final = (Step.WEIGH, Step.COMPARE, Step.ALTERNATIVE, Step.RATE, Step.RATE_AGAIN)
"""Steps after which nothing is put beside the thought at once; only the closing goes from one to the next."""
DUE, NEXT, ORDER, AGAIN = 6.0, 5.0, 0.3, 1.0
"""Points for what is due now and for the first door, and off for each place in the order and each time that a door was
used. They order what is told to have no choice, and what the agent without its planner does."""
FRUITFUL: Final = 0.8
"""Points for a search where the last one brought a fact or none was tried, and off it for each in a row that brought
none."""
GROUND: Final = 4.4
"""Points for asking what the thought rests on, where it was just said."""
MEASURE: Final = 5.9
"""Points for what is in the rest of a number that was just given."""
THREAD: Final = 3.0
"""Points for what is never due: following what was just said in the middle of the work, and a number."""
TOLD: Final = 0.6
"""P(the thought was told), by the tracker, from which it is worked on."""
ASKED: Final = 3
"""How often the thought is asked for."""
SEARCHED_FROM: Final = 7
"""Turn of the talk from which no feeling is asked for; turns about danger and odd input don't count."""
FACTS: Final = 2
"""Facts told since all of it was last looked at, from which it is again."""
ALL_OF_IT: Final = 5
"""Turns between two such looks, where they are due."""
LOOKED_APART: Final = 3
"""Turns between two of them at least."""
IN_OWN_WORDS_APART: Final = 6
"""Turns between two questions for a sentence of the patient's own."""
FULL: Final = 100
"""A number that leaves no rest."""
LONG: Final = 12
"""Words of an opening that tells what happened."""
LITTLE_WORDS: Final = 14
"""Words up to which a reply that holds hardly anything is not asked about any further."""
LOOSENS: Final = 0.3
"""P(the reply gives way) from which it is worked with, however short: giving way can sound guarded."""
MET: Final = 0.5
"""P(the reply tells a feeling) from which it is met before anything else is asked."""
MEETING: Final = 1
"""Follow-ups in a row after which a feeling or a wish has been met, and the work goes on."""
FOLLOWED: Final = 4
"""Follow-ups of a session after which what is felt or wished is met in the turn that works on the thought."""
HOPEFUL: Final = LOOSENS
"""P(the reply gives way, tells a fact against the thought, or a wish) from which it is worked with: nothing is looked
for, when it is there."""
NO_WAY_ON: Final = 0.4
"""P(suicide), by the head for kinds of danger, from which a reply sounds as if there was no way on."""
COMPARABLE: Final = 0.2
"""P(the reply gives way, or tells a fact against the thought) from which it is put beside the thought; readers marked
comparisons after less as beside the point."""
PULLED: Final = HOPEFUL
"""The same for a question for the thought in the patient's own words."""
VAGUE: Final = 0.3
"""P(kind) under which a reply tells nothing in particular: nothing of it is put beside the thought."""
SPEAKS_FOR: Final = 0.6
"""P(a reply holds the thought, or what speaks for it) from which it is not put beside the thought."""
WORKED_WITH: Final = 1
"""Follow-ups in a row after which another view may be asked for after such a reply; a search may not."""
WISHED: Final = 0.4
"""P(the reply tells what the patient wants or means to do) from which that is followed."""
NAMEABLE: Final = 11
"""Words of a thought that is quoted in a question at most; a longer one is asked about only where it was just said."""
MOMENTS: Final = frozenset({"event", "words", "feeling", "thought"})
"""Replies that tell of a moment in which something can have been thought and felt."""
CLAIMS: Final = frozenset({"thought", "unmoved", "for"})
SURE: Final = 0.42
"""P(a reply claims something, or tells a fact against the thought) from which "that" can be the whole of it."""
SAID_ONE: Final = 0.3
"""P(a reply tells a thought) from which no thought is asked for right after it."""
CLAIMS_INSTEAD: Final = 0.45
"""P(a reply claims something) from which what was asked for is not taken to be told."""
SAYABLE: Final = 0.2
"""How surely a phrase claims something by itself from which it can be put to the patient as the thought."""
WORTH_RECALLING: Final = frozenset({"thought", "feeling", "person", "against", "gives_way"})
"""What something told earlier has to hold to be gone back to."""
_COMING: Final = frozenset("will won't i'll he'll she'll they'll it'll going".split())
"""Words by which a thought is about what will come."""
INTO: Final = 5
"""Words of it within which its subject has to come."""


def fitting(found: Formulation, memory: Memory, belief: Belief, *, away: bool = False) -> dict[Step, float]:
    """Each step that may be taken now, with its place in the agenda, points. Between several the planner chooses.

    After a turning `away` nothing challenges but a search for something small.
    """
    reply = found.reply
    if reply is None:
        return {Step.GOAL: 1.0}
    if memory.last in ASKING_OF_RISK:
        # A no to the question about danger is nothing to work with: the talk goes on where it was.
        return _heard_out(found, memory, belief) or _doors(memory, found) or {Step.FOLLOW: THREAD}
    in_a_row = _in_a_row(memory)
    may_follow = memory.times(Step.FOLLOW) < FOLLOWED
    if reply.again and memory.last is not Step.FOLLOW and may_follow:
        return {Step.FOLLOW: DUE}
    wished = reply.holds["plan"] >= WISHED and reply.kind == "plan"
    pained = felt_now(found) or (
        reply.kind == "thought" and reply.holds["thought"] >= MET and bool(memory.times(*DOORS))
    )
    if (wished or (pained and may_follow)) and in_a_row < MEETING and not little(found):
        return {Step.FOLLOW: DUE}
    if hopeless(found) and in_a_row < WORKED_WITH:
        return {Step.FOLLOW: DUE}
    heard_out = {} if memory.last in SEARCHES else _heard_out(found, memory, belief)
    return heard_out or _worked(found, memory, belief, away=away)


def felt_now(found: Formulation) -> bool:
    """The last reply tells a feeling."""
    return found.reply is not None and found.reply.holds["feeling"] >= MET


def _heard_out(found: Formulation, memory: Memory, belief: Belief) -> dict[Step, float]:
    """What happened, the thought, the feeling: what of it is missing, nothing where it is known."""
    reply, talked = found.reply, _talked(memory)
    assert reply is not None
    if memory.number == 1 and (len(words(reply.text)) < LONG or reply.kind not in MOMENTS):
        return {Step.SITUATION: DUE}
    asked = memory.times(Step.THOUGHT, Step.MEANING)
    felt = bool(found.feelings) or belief.disclosed[Told.FEELING] >= TOLD
    asks_felt = not felt and not memory.times(Step.FEELING) and talked < SEARCHED_FROM
    if asks_felt and memory.last in (Step.THOUGHT, Step.MEANING) and little(found):
        # The thought was asked for and nothing came: a feeling may be nearer.
        return {Step.FEELING: DUE}
    if not thought_told(found, memory, belief) and asked < ASKED:
        said_one = reply.kind == "thought" or reply.holds["thought"] >= SAID_ONE
        points = {Step.MEANING if said_one else Step.THOUGHT: DUE}
        return points if asked == 0 or memory.last is Step.FOLLOW else points | {Step.FOLLOW: DUE - 0.5}
    return {Step.FEELING: DUE} if asks_felt else {}


def _just_told(found: Formulation) -> bool:
    """The last reply tells the thought."""
    return found.thought is not None and found.reply is not None and found.thought.text in found.reply.text


def _worked(found: Formulation, memory: Memory, belief: Belief, *, away: bool) -> dict[Step, float]:
    """The doors that are left, and what was told at the last one put beside the thought."""
    reply = found.reply
    dry, hopes = away or nothing_found(found, memory), hopeful(found)
    kept_from = memory.last in SEARCHES and _speaks_for(found)
    just_weighed = memory.last in WEIGHS
    searches = not (dry or (hopes and not just_weighed) or hopeless(found) or kept_from)
    fruitful = FRUITFUL * (1 - min(2, barren(memory, belief)))
    points = {
        step: worth + fruitful * (step in SEARCHES)
        for step, worth in _doors(memory, found).items()
        if (searches or step not in SEARCHES) and not (away and step in CHALLENGING)
    }
    if dry and not memory.times(Step.SMALL) and reply is not None and does_not_know(reply.text):
        points[Step.SMALL] = NEXT - 3 * ORDER
    points |= _of_the_thought(found, memory, away=away)
    if dry:
        gentle = {step: worth for step, worth in points.items() if step not in CHALLENGING - {Step.SMALL}}
        left = {} if away else points or _doors(memory, found)
        return gentle or left or {Step.FOLLOW: THREAD}
    if not little(found):
        points |= _with_what_was_told(found, memory)
    due = {step: worth for step, worth in points.items() if worth >= DUE}
    return due or points or {Step.FOLLOW: THREAD}


def _doors(memory: Memory, found: Formulation) -> dict[Step, float]:
    """The doors that are left, in order."""
    return {
        step: NEXT - ORDER * place - AGAIN * memory.times(step)
        for place, (step, most) in enumerate(DOORS.items())
        if memory.times(step) < most and memory.last is not step and _can(step, found, memory)
    }


def _can(step: Step, found: Formulation, memory: Memory) -> bool:
    """There is what the step asks about."""
    if step in RECALLS and not little(found):
        return False
    if step is Step.PERSON:
        return waiting_person(found, memory) is not None
    if step is Step.THREAD:
        return waiting_thread(found, memory) is not None
    if step is Step.LIKELY:
        return found.thought is not None and not _COMING.isdisjoint(words(found.thought.text))
    return True


def waiting_person(found: Formulation, memory: Memory) -> str | None:
    """Somebody whom the patient named in an earlier reply, and nowhere with a danger, and the agent has not spoken
    of."""
    said = " ".join(memory.said)
    now = found.reply.people if found.reply is not None else ()
    not_asked_of = {*now, *found.feared}
    return next((one for one in reversed(found.people) if one not in not_asked_of and one not in said), None)


def waiting_thread(found: Formulation, memory: Memory) -> Phrase | None:
    """Something that the patient offered in an earlier reply and that was not asked about, fit to be quoted."""
    return next(
        (
            one
            for one in sorted(found.threads, key=lambda one: -one.worth)
            if one.turn < memory.number
            and one.kind in WORTH_RECALLING
            and has_subject(one.text, INTO)
            and len(words(one.text)) <= NAMEABLE
        ),
        None,
    )


def _of_the_thought(found: Formulation, memory: Memory, *, away: bool) -> dict[Step, float]:
    """How much it is believed, what is in the rest of the number, and what it rests on."""
    reply, points = found.reply, dict[Step, float]()
    if hopeless(found):
        return points
    if _just_told(found) and not (found.ratings or memory.times(Step.RATE, *DOORS) or away or little(found)):
        points[Step.RATE] = THREAD
    stays = hopeful(found) and memory.last not in (Step.RATE, Step.RATE_AGAIN)
    if found.ratings and found.ratings[-1] < FULL and not memory.times(Step.REST) and not away and not stays:
        points[Step.REST] = MEASURE if memory.last in (Step.RATE, Step.RATE_AGAIN) else THREAD
    if reply is not None and reply.kind in CLAIMS and not memory.times(Step.KNOW, *DOORS) and not found.gave_way:
        points[Step.KNOW] = GROUND
    return points


def _with_what_was_told(found: Formulation, memory: Memory) -> dict[Step, float]:
    """What the last reply told is followed or put beside the thought, or all of it is looked at together."""
    points = dict[Step, float]()
    if _in_a_row(memory) == 0:
        points[Step.FOLLOW] = THREAD
    if not memory.since(*WEIGHS):
        if loosens(found) >= SURE and memory.since(Step.ALTERNATIVE) >= IN_OWN_WORDS_APART:
            points[Step.ALTERNATIVE] = DUE
        return points
    fact, looser = tells_fact(found, memory), loosens(found)
    if (fact or _from_outside(memory)) and looser >= COMPARABLE and not _speaks_for(found):
        points[Step.COMPARE] = DUE if fact or looser >= SURE else THREAD - 1.0
    facts = told_since(found, memory, Step.WEIGH)
    if facts and (fact or looser >= HOPEFUL) and memory.since(Step.WEIGH) >= LOOKED_APART:
        due = len(facts) >= FACTS and memory.since(Step.WEIGH) >= ALL_OF_IT
        points[Step.WEIGH] = DUE + 0.5 if due else THREAD - 1.0
    in_own_words = looser >= PULLED and memory.since(Step.ALTERNATIVE) >= IN_OWN_WORDS_APART
    if memory.times(Step.COMPARE, Step.WEIGH) > 1 and in_own_words:
        points[Step.ALTERNATIVE] = THREAD - 1.0
    return points


def told_since(found: Formulation, memory: Memory, *steps: Step) -> list[Phrase]:
    """Facts against the thought, and giving way, told since one of these was last done."""
    last = memory.number - memory.since(*steps)
    return [one for one in (*found.against, *found.gave_way) if one.turn > last]


def _speaks_for(found: Formulation) -> bool:
    """The last reply surely holds the thought or what speaks for it: there is nothing to put beside it."""
    reply = found.reply
    return reply is not None and reply.kind in CLAIMS and reply.holds[reply.kind] >= SPEAKS_FOR


def _from_outside(memory: Memory) -> bool:
    """The last reply is an answer from outside the thought, or a thread from such an answer."""
    before = memory.steps[-2] if memory.last is Step.FOLLOW and len(memory.steps) > 1 else memory.last
    return before in (*VIEWS, *SEARCHES)


def thought_told(found: Formulation, memory: Memory, belief: Belief) -> bool:
    """The thought is known: the tracker holds it to be told, or there is one that was asked for, worked on or told just
    now."""
    reply = found.reply
    just = reply is not None and reply.kind == "thought" and reply.holds["thought"] >= MET
    known = found.thought is not None and (memory.times(Step.THOUGHT, *DOORS) > 0 or just)
    return known or belief.disclosed[Told.THOUGHT] >= TOLD


def nothing_found(found: Formulation, memory: Memory) -> bool:
    """The thought was worked on, or something told earlier or smaller asked for, and nothing came."""
    return memory.last in (*WORK, *RECALLS, Step.DONT_KNOW) and little(found)


def little(found: Formulation) -> bool:
    """The last reply holds hardly anything, or turns away."""
    reply = found.reply
    if reply is None:
        return True
    claimed = reply.kind in CLAIMS and reply.holds[reply.kind] >= SURE
    if reply.holds["gives_way"] >= LOOSENS or (turns_away(reply.text) and not claimed):
        return reply.holds["gives_way"] < LOOSENS
    return reply.kind == "little" and len(words(reply.text)) <= LITTLE_WORDS


def hopeful(found: Formulation, from_: float = HOPEFUL) -> bool:
    """The last reply gives way, tells a fact against the thought, or what the patient would like."""
    reply = found.reply
    return reply is not None and sum(reply.holds[kind] for kind in ("gives_way", "against", "plan")) >= from_


def loosens(found: Formulation) -> float:
    """P(the last reply gives way, or tells a fact against the thought)."""
    return 0.0 if found.reply is None else found.reply.holds["gives_way"] + found.reply.holds["against"]


def fairer(found: Formulation, memory: Memory) -> bool:
    """The patient has just come to see it less darkly: nobody leads them back to the thought."""
    reply = found.reply
    return reply is not None and (reply.holds["gives_way"] if memory.last not in WEIGHS else loosens(found)) >= SURE


def hopeless(found: Formulation) -> bool:
    """The last reply claims that there is no way on: it is stayed with, whatever the risk protocol does."""
    reply = found.reply
    if reply is None or reply.kind not in CLAIMS or hopeful(found, SURE):
        return False
    return kinds_in(reply.text)[Kind.SUICIDE] >= NO_WAY_ON


def thought_now(found: Formulation) -> bool:
    """The last reply tells the thought itself, and nothing that speaks against it: "that" is the thought."""
    reply, thought = found.reply, found.thought
    if reply is None or thought is None or hopeful(found) or reply.kind not in ("thought", "unmoved"):
        return False
    holds = held_in(thought.text)
    is_one = holds["thought"] + holds["unmoved"] >= SURE and reply.holds[reply.kind] >= SURE
    return is_one and _just_told(found) and sayable(thought)


def sayable(thought: Phrase) -> bool:
    """A phrase is short, has its subject near its beginning, and claims something by itself: "I'm the spare one", and
    not "I wrote it on the back of a bus ticket first"."""
    spoken = words(thought.text)
    holds = held_in(thought.text)
    return (
        len(spoken) <= NAMEABLE and has_subject(thought.text, INTO) and holds["thought"] + holds["unmoved"] >= SAYABLE
    )


def rated(found: Formulation, memory: Memory) -> bool:
    """The first number was given for what is taken for the thought now."""
    thought = found.thought
    return Step.RATE in memory.steps and (thought is None or thought.turn <= memory.steps.index(Step.RATE) + 1)


def tells_fact(found: Formulation, memory: Memory) -> bool:
    """The last reply tells a fact against the thought: surely, or it was asked for one and claims nothing else."""
    reply = found.reply
    if reply is None or little(found):
        return False
    sure = reply.kind == "against" and reply.holds["against"] >= SURE
    return sure or (memory.last in SEARCHES and sum(reply.holds[kind] for kind in CLAIMS) < CLAIMS_INSTEAD)


def barren(memory: Memory, belief: Belief) -> int:
    """Searches in a row, up to now, that brought no fact."""
    found = {said.exchange for said in belief.facts if said.chance >= 0.5}
    count = 0
    for number in range(len(memory.steps), 0, -1):
        if memory.steps[number - 1] not in SEARCHES:
            continue
        if number in found:
            break
        count += 1
    return count


def _talked(memory: Memory) -> int:
    """Number of the turn that comes next, 1-based, among those of the talk: danger, odd input, easing and repair are
    left out."""
    return 1 + sum(nature(step).stage != "listening" for step in memory.steps)


def _in_a_row(memory: Memory) -> int:
    count = 0
    for step in reversed(memory.steps):
        if step not in (Step.FOLLOW, Step.SITUATION):
            break
        count += 1
    return count

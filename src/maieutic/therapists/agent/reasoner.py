"""The reasoner: what is known, what is missing, where the dialogue stands, and which steps make sense next.

CaiTI's three CBT steps (Nie et al. 2025: unhelpful thought → challenge → another way of thinking) are judged for validity
before moving on: a step whose answer did not hold what was asked for is asked again in another way, at most twice. Stages
are Padesky's (1993), and cycles are allowed: what is missing decides, not the clock.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from maieutic.domain.episode import Session
from maieutic.language.sentences import content_words
from maieutic.therapists.agent.memory import Memory
from maieutic.therapists.agent.odd import does_not_know
from maieutic.therapists.agent.steps import CHALLENGING, Lead, Step
from maieutic.therapists.wording import handles, sounds_guarded
from maieutic.tracking.belief import Belief
from maieutic.tracking.ear import Heard, guarded
from maieutic.tracking.space import REPLIES, Reply, Scale

ACCURATE = 0.4
"""P(the thought is substantially true) from which nothing disputes it."""
RUPTURE = 0.5
TOO_EAGER = 0.45
KNOWN = 0.5
WEIGHED_BY = 4
"""Turns before the end at which what came up is weighed at the latest."""
OPEN_ENOUGH = 0.7
"""Openness from which experience against the thought is asked for, while there is time to open up first."""
SEARCHING = 12
"""Turns before the end at which it is asked for whatever the openness."""
TRIES = 2


@dataclass(frozen=True, slots=True)
class Understanding:
    """The reasoner's account of the moment.

    Attributes:
        missing: What is not known yet, most important first.
        stage: Padesky's stage that fits now.
        steps: Steps that make sense, before they are weighed.
        leads: Lead-ins that fit the latest turn.
        forced: A step that leaves no choice, with its reason.
        notes: What was noticed, in words.
        about: A person or thing worth following, or None.
    """

    missing: tuple[str, ...]
    stage: str
    steps: tuple[Step, ...]
    leads: tuple[Lead, ...]
    forced: tuple[Step, Lead, str] | None = None
    notes: tuple[str, ...] = ()
    about: str | None = None


def understood(session: Session, belief: Belief, heard: Heard | None, memory: Memory, turns: int) -> Understanding:
    """What the latest patient turn leaves to be done."""
    last = session.last("patient")
    text = last.text if last is not None else ""
    left = turns - memory.number + 1
    missing = _missing(belief, memory)
    leads = _leads(belief, heard, memory, text)
    notes: list[str] = []
    forced = _forced(belief, heard, memory, text, left, notes)
    about = _about(session, memory)
    steps = _steps(belief, heard, memory, missing, left, about)
    return Understanding(missing, _stage(belief, missing), steps, leads, forced, tuple(notes), about)


def _missing(belief: Belief, memory: Memory) -> tuple[str, ...]:
    found = []
    if belief.disclosed[Reply.THOUGHT] < KNOWN:
        found.append("the thought")
    if belief.disclosed[Reply.FEELING] < KNOWN and not belief.feelings:
        found.append("the feeling")
    if not memory.times(Step.RATE):
        found.append("how much it is believed")
    if belief.waiting + belief.weighed < 1.5:
        found.append("what does not fit the thought")
    if belief.weighed < 1.0:
        found.append("what the patient makes of it")
    return tuple(found)


def _stage(belief: Belief, missing: tuple[str, ...]) -> str:
    if missing and missing[0] in ("the thought", "the feeling"):
        return "informational"
    if belief.waiting >= 1.5:
        return "summary"
    return "synthesising" if belief.weighed >= 1.5 else "informational"


def _chance(heard: Heard | None, *kinds: Reply) -> float:
    return float(sum(heard.replies[REPLIES.index(kind)] for kind in kinds)) if heard is not None else 0.0


def _forced(
    belief: Belief, heard: Heard | None, memory: Memory, text: str, left: int, notes: list[str]
) -> tuple[Step, Lead, str] | None:
    """Moments that leave no choice."""
    if left <= 1:
        return Step.CLOSE, Lead.NONE, "the session ends"
    if left == 2 and not memory.times(Step.PLAN) and belief.accurate < ACCURATE:
        return Step.PLAN, Lead.WORDS, "something to try is agreed before the end"
    if left == 3 and memory.since(Step.RATE, Step.RATE_AGAIN) >= 3 and memory.times(Step.RATE):
        return Step.RATE_AGAIN, Lead.ACKNOWLEDGE, "conviction is rated again before the end"
    weighs = belief.accurate < ACCURATE and memory.last not in (Step.WEIGH, Step.ALTERNATIVE)
    if 2 < left <= WEIGHED_BY and belief.waiting >= 0.5 and weighs:
        return Step.WEIGH, Lead.SUMMARY, "what came up must not be left unweighed at the end"
    resists = _chance(heard, Reply.RESISTS)
    if resists >= RUPTURE and memory.number > 1:
        notes.append("resistance: roll with it, repair before anything else")
        if memory.since(Step.REPAIR) >= 2:
            return Step.REPAIR, Lead.NONE, "the patient pushes back; the rupture is repaired first"
        return Step.LISTEN, Lead.SLOW, "the patient still pushes back; nothing is asked"
    if does_not_know(text) and memory.last is not Step.DONT_KNOW and memory.since(Step.DONT_KNOW) >= 2:
        return Step.DONT_KNOW, Lead.NONE, "not knowing is welcome; something smaller is asked"
    if (
        _chance(heard, Reply.AGREES) >= TOO_EAGER
        and memory.last in CHALLENGING
        and memory.since(Step.PROVE) >= 3
        and belief.disclosed[Reply.THOUGHT] >= KNOWN
    ):
        notes.append("quick agreement: let it be proved from their own life")
        return Step.PROVE, Lead.NONE, "the patient agrees quickly; the agreement is to be proved"
    return None


def _leads(belief: Belief, heard: Heard | None, memory: Memory, text: str) -> tuple[Lead, ...]:
    """Lead-ins that fit: a feeling that was named, a guess where none was, the patient's words, or slowing down."""
    if heard is not None and guarded(heard) and memory.since(Step.LISTEN) > 0 and belief.guarded >= 2:
        return (Lead.SLOW, Lead.FEELING) if belief.feelings else (Lead.SLOW, Lead.GUESS)
    found: list[Lead] = []
    if belief.feelings:
        found += [Lead.FEELING, Lead.BOTH]
    elif float(np.max(belief.emotion)) >= 0.4:
        found.append(Lead.GUESS)
    if len(content_words(text)) >= 3 and not sounds_guarded(text):
        found.append(Lead.WORDS)
    return tuple(found) or (Lead.ACKNOWLEDGE,)


def _steps(
    belief: Belief, heard: Heard | None, memory: Memory, missing: tuple[str, ...], left: int, about: str | None
) -> tuple[Step, ...]:
    """Steps that make sense now."""
    if belief.accurate >= ACCURATE:
        known = "the feeling" not in missing
        return (Step.COPE, Step.LISTEN) if known else (Step.FEELING, Step.COPE, Step.LISTEN)
    found: list[Step] = [Step.LISTEN]
    if "the thought" in missing:
        found.append(Step.THOUGHT if memory.times(Step.THOUGHT) <= memory.times(Step.MEANING) else Step.MEANING)
    if "the feeling" in missing and memory.times(Step.FEELING) < TRIES:
        found.append(Step.FEELING)
    tried = memory.times(Step.THOUGHT, Step.MEANING)
    known = "the thought" not in missing or tried >= 2 * TRIES
    if known and not memory.times(Step.RATE):
        found.append(Step.RATE)
    if memory.number <= 4 and not memory.times(Step.GOAL):
        found.append(Step.GOAL)
    if not known:
        return (*found, Step.SITUATION) if memory.number > 1 and not memory.times(Step.SITUATION) else tuple(found)
    openness = belief.expected(Scale.OPENNESS)
    if openness < OPEN_ENOUGH and left > SEARCHING:
        more = ((Step.BACKGROUND, 2), (Step.SITUATION, 1), (Step.SUPPORT, 3))
        return (*found, *(step for step, after in more if memory.number > after and not memory.times(step)))
    if memory.pressing < 3 or openness >= 0.6:
        goes_on = (
            memory.last in (Step.AGAINST, Step.ELSE)
            and belief.waiting >= 0.5
            and _chance(heard, Reply.HOLDS_BACK) < 0.5
        )
        found.append(Step.ELSE if goes_on else Step.AGAINST)
    if about is not None:
        found.append(Step.FOLLOW)
    if belief.waiting >= 0.6 and memory.last not in (Step.WEIGH, Step.ALTERNATIVE):
        found.append(Step.WEIGH)
    if belief.weighed >= 1.2 and memory.since(Step.ALTERNATIVE) >= 4:
        found.append(Step.ALTERNATIVE)
    if not memory.times(Step.BACKGROUND) and memory.number > 6 and belief.weighed < 0.5 and belief.guarded >= 2:
        found.append(Step.BACKGROUND)
    if not memory.times(Step.SUPPORT) and belief.weighed < 0.5 and memory.number > 3:
        found.append(Step.SUPPORT)
    if belief.weighed >= 2.0 and not memory.times(Step.PLAN) and left <= 5:
        found.append(Step.PLAN)
    if memory.last is Step.PLAN:
        found.append(Step.PREDICTION)
    return tuple(found)


def _about(session: Session, memory: Memory) -> str | None:
    """The latest person or thing the patient mentioned that has not been asked about."""
    asked = " ".join(memory.said)
    recent = [turn.text for turn in session.by("patient")[-3:]]
    waiting = [h for h in handles(recent) if h not in asked]
    return waiting[-1] if waiting else None

"""The reasoner: what is known, what is missing, where the dialogue stands, and which steps make sense next.

Stages are Padesky's (1993), and cycles are allowed: what was just said and what is missing decide, not the clock. A few
moments leave no choice: resistance is met with repair, a question that was not understood is put anew, facts are
weighed before the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from maieutic.domain.episode import Session
from maieutic.language.sentences import first_number
from maieutic.therapists.agent.conduct import (
    IN_OWN_WORDS_APART,
    LOOSENS,
    PULLED,
    WEIGHS,
    WORK,
    felt_now,
    fitting,
    hopeful,
    loosens,
    rated,
    told_since,
)
from maieutic.therapists.agent.formulation import Formulation
from maieutic.therapists.agent.memory import Memory
from maieutic.therapists.agent.off_task import does_not_know, refuses, turns_away
from maieutic.therapists.agent.steps import CHALLENGING, RISK_STEPS, Lead, Step
from maieutic.therapists.agent.value import row
from maieutic.tracking.belief import Belief
from maieutic.tracking.ear import Observation
from maieutic.tracking.space import REPLIES, Floats, Reply

ACCURATE = 0.3
"""P(the thought is true) from which nothing disputes it; no single answer leads there (`tables.SUREST`)."""
RUPTURE = 0.5
TOO_EAGER = 0.45
SHIFT = 0.45
"""P(the reply gives way, or tells a feeling) from which its words are said back before anything is asked."""
SURELY = 0.9
"""P(the reply holds back or pushes back) from which a short one turns away."""
EASED = 1
"""How often a turning away is met with something smaller that is asked."""
EASING = 7.0
"""Points for that, above all that else is due."""
EASED_APART = 3
"""Turns between two of these."""
LAST_WEIGHING, LAST_SENTENCE, LAST_RATING, LAST_PLAN = 5, 4, 3, 2
"""Turns left, this one included, at which what came up is weighed, put in the patient's own words, and rated again, and
at which they are asked what they want to do with it."""

STORIES: Final = frozenset({"event", "words", "origin", "person"})
"""Replies that tell of something else than the thought."""
_WAITING: Final = (Step.FOLLOW, Step.DONT_KNOW, Step.REPAIR, Step.LISTEN)
"""Steps for which the closing waits."""


@dataclass(frozen=True, slots=True)
class Understanding:
    """The reasoner's account of the moment.

    Attributes:
        missing: What is not known yet, most important first.
        stage: Padesky's stage that fits now.
        steps: Steps that make sense, those that follow best from the last reply first.
        fits: How well each follows from it, points.
        leads: Lead-ins that fit the latest turn.
        forced: A step that leaves no choice, with its reason.
        notes: What was noticed, in words.
        known: (d,) what the worth of a step is read from.
    """

    missing: tuple[str, ...]
    stage: str
    steps: tuple[Step, ...]
    fits: Mapping[Step, float] = field(default_factory=dict)
    leads: tuple[Lead, ...] = (Lead.NONE,)
    forced: tuple[Step, Lead, str] | None = None
    notes: tuple[str, ...] = ()
    known: Floats = field(default_factory=lambda: np.zeros(0), compare=False)


def understood(
    formulation: Formulation, session: Session, belief: Belief, heard: Observation | None, memory: Memory, turns: int
) -> Understanding:
    """What the latest patient turn leaves to be done."""
    last = session.last("patient")
    text = last.text if last is not None else ""
    left = turns - memory.number + 1
    missing = _missing(formulation, memory)
    notes: list[str] = []
    away = memory.number > 1 and memory.last not in RISK_STEPS and _turns_away(formulation, heard, text)
    nothing = away or (memory.number > 1 and does_not_know(text))
    forced = _forced(formulation, belief, heard, memory, text, left, notes, away=away)
    disputes = belief.accurate < ACCURATE
    fits = fitting(formulation, memory, belief, away=nothing) if disputes else _accurate(formulation, memory)
    if nothing and disputes and _eases(memory):
        # Who does not know while they are heard out is eased; in the work another view may do it as well.
        working = any(step in WORK for step in fits)
        fits = fits | {Step.DONT_KNOW: EASING} if working else {Step.DONT_KNOW: EASING}
    if left <= LAST_WEIGHING:
        # What the thought rests on is nothing to end with.
        fits = {step: worth for step, worth in fits.items() if step is not Step.KNOW} or {Step.FOLLOW: 0.0}
    steps = tuple(sorted(fits, key=lambda step: -fits[step]))
    known = row(formulation, memory, belief, left / turns)
    return Understanding(
        missing, _stage(formulation, missing), steps, fits, _leads(formulation), forced, tuple(notes), known
    )


def _missing(found: Formulation, memory: Memory) -> tuple[str, ...]:
    missing = []
    if found.thought is None:
        missing.append("the thought")
    if not found.feelings:
        missing.append("the feeling")
    if not found.ratings:
        missing.append("how much it is believed")
    if not found.against:
        missing.append("what does not fit the thought")
    if not memory.times(Step.WEIGH, Step.COMPARE):
        missing.append("what the patient makes of it")
    return tuple(missing)


def _stage(found: Formulation, missing: tuple[str, ...]) -> str:
    if missing and missing[0] in ("the thought", "the feeling"):
        return "informational"
    if len(found.against) >= 2:
        return "summary" if "what the patient makes of it" in missing else "synthesising"
    return "informational"


def _chance(heard: Observation | None, *kinds: Reply) -> float:
    return float(sum(heard.replies[REPLIES.index(kind)] for kind in kinds)) if heard is not None else 0.0


def _turns_away(found: Formulation, heard: Observation | None, text: str) -> bool:
    """The patient turned away from what was asked; agreeing and giving way can be as short, and are none."""
    loosens = found.reply is not None and found.reply.holds["gives_way"] >= LOOSENS
    holds_back = heard is None or _chance(heard, Reply.HOLDS_BACK, Reply.RESISTS) >= SURELY
    return refuses(text) or (turns_away(text) and holds_back and not loosens)


def _forced(
    found: Formulation,
    belief: Belief,
    heard: Observation | None,
    memory: Memory,
    text: str,
    left: int,
    notes: list[str],
    *,
    away: bool,
) -> tuple[Step, Lead, str] | None:
    """Moments that leave no choice."""
    disputes = belief.accurate < ACCURATE
    if left <= 1:
        return Step.CLOSE, Lead.NONE, "the session ends"
    asks = found.reply is not None and found.reply.asks and not felt_now(found)
    if asks and memory.number > 1 and memory.last is not Step.REWORD:
        return Step.REWORD, Lead.NONE, "the question was not understood; it is put more simply"
    if _chance(heard, Reply.RESISTS) >= RUPTURE and memory.number > 1:
        notes.append("resistance: roll with it, repair before anything else")
        if memory.since(Step.REPAIR) >= 2:
            return Step.REPAIR, Lead.NONE, "the patient pushes back; the rupture is repaired first"
        return Step.LISTEN, Lead.SLOW, "the patient still pushes back; nothing is asked"
    if refuses(text) and memory.number > 1:
        notes.append("will not go into it: it is left")
        return Step.DONT_KNOW, Lead.NONE, "the patient will not go into it; it is left alone"
    nothing = does_not_know(text) or away
    if nothing and disputes and left <= LAST_WEIGHING and _eases(memory):
        return Step.DONT_KNOW, Lead.NONE, "not knowing is welcome; something smaller is asked"
    if disputes and 1 < left <= LAST_WEIGHING:
        closing = _waits(found, memory, left, nothing=nothing) or _closing(found, memory, text, left)
        if closing is not None:
            return closing
    if (
        _chance(heard, Reply.AGREES) >= TOO_EAGER
        and not away
        and memory.last in CHALLENGING
        and memory.since(Step.PROVE) >= 3
        and found.thought is not None
        and not (found.reply is not None and found.reply.phrases)
    ):
        notes.append("quick agreement: let it be proved from their own life")
        return Step.PROVE, Lead.NONE, "the patient agrees quickly; the agreement is to be proved"
    return None


def _eases(memory: Memory) -> bool:
    """Something smaller can be asked: not lately, and not too often."""
    return memory.since(Step.DONT_KNOW) >= EASED_APART and memory.times(Step.DONT_KNOW) < EASED


def _waits(found: Formulation, memory: Memory, left: int, *, nothing: bool) -> tuple[Step, Lead, str] | None:
    """What goes before the closing: where nothing came nothing is asked of the patient, and a feeling is met once; no
    number is asked for while it lasts."""
    if nothing and left <= LAST_RATING:
        return Step.FOLLOW, Lead.NONE, "nothing came; it is left, and what ends the session waits"
    if nothing:
        return None
    reply = found.reply
    felt = felt_now(found) or (reply is not None and reply.kind == "feeling")
    if felt and (memory.last is not Step.FOLLOW or left == LAST_RATING):
        return Step.FOLLOW, _leads(found)[0], "a feeling is met before the session is brought to its end"
    told = reply is not None and reply.kind in STORIES and loosens(found) < PULLED
    if told and memory.last is not Step.FOLLOW:
        return Step.FOLLOW, Lead.NONE, "what was just told is followed before the session is brought to its end"
    return None


def _closing(found: Formulation, memory: Memory, text: str, left: int) -> tuple[Step, Lead, str] | None:
    """The end has an order of its own: what came up is weighed, put in the patient's own words, and rated again. What
    had to wait comes a turn later, or not at all."""
    told = told_since(found, memory, *WEIGHS)
    fresh = memory.since(*WEIGHS) > 0 and memory.since(Step.WEIGH) > 2
    waited = memory.last in _WAITING
    if (left == LAST_WEIGHING or (left == LAST_SENTENCE and waited)) and told and fresh:
        return Step.WEIGH, Lead.SUMMARY, "what came up must not be left unweighed at the end"
    fresh_words = memory.since(Step.ALTERNATIVE) >= IN_OWN_WORDS_APART
    if LAST_RATING <= left <= LAST_SENTENCE and memory.times(*WORK) and fresh_words and loosens(found) >= PULLED:
        return Step.ALTERNATIVE, Lead.NONE, "the patient puts it in their own words before the end"
    can_rate = rated(found, memory) and found.ratings and first_number(text) is None
    if (left == LAST_RATING or (left == LAST_PLAN and waited)) and can_rate and memory.since(Step.RATE_AGAIN) > 1:
        return Step.RATE_AGAIN, Lead.NONE, "conviction is rated again before the end"
    if left == LAST_PLAN and not memory.times(Step.PLAN):
        return Step.PLAN, Lead.NONE, "what the patient wants to do with it is asked before the end"
    return None


def _accurate(found: Formulation, memory: Memory) -> dict[Step, float]:
    """Steps where the thought looks true: it is heard, and what helps to bear it is asked about; nothing disputes
    it."""
    followed = memory.last is Step.COPE or (hopeful(found) and memory.last is not Step.FOLLOW)
    points = {Step.COPE: 5.0, Step.FOLLOW: 5.5 if followed else 3.0}
    return points if found.feelings else points | {Step.FEELING: 6.0 - 3.0 * memory.times(Step.FEELING)}


def _leads(found: Formulation) -> tuple[Lead, ...]:
    """Lead-ins that fit: words said back where something gives way or is felt; mostly none."""
    reply = found.reply
    if reply is not None and reply.phrases:
        if reply.holds["feeling"] >= SHIFT and any(one.text in reply.text for one in found.feelings):
            return (Lead.FEELING,)
        if reply.holds["gives_way"] >= SHIFT:
            return (Lead.WORDS,)
    return (Lead.NONE,)

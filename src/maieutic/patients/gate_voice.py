"""The mouth of the gated patient: chooses among the case's phrasings what is asked for and open, and holds back the
rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from maieutic.domain.appraisal import Appraisal, Slot
from maieutic.domain.case import Case, Situation
from maieutic.domain.episode import Session
from maieutic.language.sentences import unsaid

_CONFUSED = ("Sorry, I lost you there.", "I'm not sure what you meant just now.")
_SAFE = ("No, I don't have thoughts like that.", "No. It's been bad, but not in that way.")
_NO_NUMBER = ("I couldn't put a figure on it.", "I don't think of it in numbers.")
MEANING = frozenset({Slot.THOUGHT, Slot.BACKGROUND, Slot.SUPPORT, Slot.WEIGHING, Slot.ALTERNATIVE})
"""What asks for the inner diagram: for meaning, for where it comes from, for what speaks for and against."""


@dataclass(frozen=True, slots=True)
class Told:
    """What may be said now.

    Attributes:
        open_facts: Facts that the gate has opened, in their order.
        diagram: Thought, beliefs and background are open.
        opened: What this very turn opened.
        reserved: A patient of low openness.
    """

    open_facts: tuple[str, ...]
    diagram: bool
    opened: tuple[str, ...]
    reserved: bool


def say(
    case: Case, situation: Situation, *, session: Session, reading: Appraisal, told: Told, rng: Random
) -> tuple[str, str]:
    """(act, words). Wordings that were used come again only when all of their kind are used up.

    A question about danger is always answered, whatever the gate: that is not a matter of depth.
    """
    phrasings, here = case.phrasings, situation.id
    facts = {e.id: e for e in situation.evidence}
    used = [turn.text for turn in session.by("patient")]

    def one(wordings: Sequence[str]) -> str:
        return rng.choice(unsaid(wordings, used) or list(wordings))

    fresh_facts = [n for n in told.open_facts if not any(w in text for w in facts[n].said for text in used)]
    asked = set(reading.asks)
    if not reading.understood:
        return "not_understood", one(_CONFUSED)
    if Slot.RISK in asked:
        if case.risk.level == "none":
            return "risk_denial", one(case.risk.denials or _SAFE)
        return "risk_disclosure", one(case.risk.disclosures)
    if "diagram" in told.opened:
        return "thought", f"{one(phrasings.thought[here])} {one([b.statement for b in case.core_beliefs])}"
    if "experience" in told.opened and fresh_facts:
        return "evidence", one(facts[fresh_facts[-1]].said)
    if Slot.CONVICTION in asked:
        return "not_knowing", one(_NO_NUMBER)
    reached = next((r.evidence for r in reading.reaches), None)
    if reached is not None:
        if reached in told.open_facts:
            return "evidence", one(facts[reached].said)
        return "deflect", one(phrasings.deflecting)
    if asked & MEANING:
        if not told.diagram:
            return (
                ("deflect", one(phrasings.deflecting)) if told.reserved else ("not_knowing", one(phrasings.not_knowing))
            )
        return _from_diagram(case, situation, asked, one)
    if Slot.FEELING in asked:
        return "feeling", one(phrasings.feeling[here])
    if Slot.GOAL in asked and phrasings.hopes:
        return "goal", one(phrasings.hopes)
    if reading.leading or reading.stacked:
        return "resist", one(phrasings.resisting)
    if not reading.questions:
        return ("warmed", one(phrasings.warmed)) if reading.fit >= 0.3 else ("agree", one(phrasings.agreeing))
    if told.reserved and rng.random() < 0.5:
        return "deflect", one(phrasings.deflecting)
    if fresh_facts and not (Slot.SITUATION in asked and rng.random() < 0.5):
        return "evidence", one(facts[fresh_facts[0]].said)
    return "detail", one(phrasings.details[here])


def _from_diagram(
    case: Case, situation: Situation, asked: set[Slot], one: Callable[[Sequence[str]], str]
) -> tuple[str, str]:
    beliefs = case.intermediate_beliefs
    if Slot.BACKGROUND in asked:
        return "background", one(case.phrasings.background)
    if Slot.THOUGHT in asked:
        return "thought", one(case.phrasings.thought[situation.id])
    stated = (*beliefs.rules, *beliefs.assumptions, *beliefs.attitudes, *(b.statement for b in case.core_beliefs))
    return "belief", one(stated)

"""Push and support: how hard a turn challenges, and a rupture that is planted and may be repaired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from maieutic.domain.appraisal import Appraisal, Slot
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.episode import Session, Turn
from maieutic.domain.state import Act
from maieutic.protocols import Therapist

RESISTS = frozenset({Act.RESIST, Act.DEFLECT})
SUPPORTIVE = 0.2
"""Intensity up to which a turn counts as support rather than challenge."""
RUPTURE_AT = 8
"""Therapist turn that is replaced by a blunt one."""
OWN_TURNS = 3
"""Turns that a therapist has to repair the rupture."""
MIN_LOSS, REGAINED = 0.02, 0.75
"""Alliance (0–1) that a blunt turn must cost to be a rupture, and the share of the loss that a repair brings back."""
BLUNT = "Honestly, you are exaggerating. You should just stop thinking like that and get on with it."


def intensity(code: TurnCode | None, appraisal: Appraisal | None) -> float:
    """How hard a turn challenges, 0–1, by the patient's own reading and the rule coder: neither is part of the agent.

    An order, not a measurement (*assumption*): support 0, ordinary questions 0.2, a fact asked for 0.5, experience
    against the thought 0.7, weighing 0.9, telling and disputing 1.
    """
    if code is not None and (Move.CHALLENGE in code or Move.ADVICE in code or Move.LECTURE in code):
        return 1.0
    if appraisal is None:
        return 0.0
    if {Slot.WEIGHING, Slot.ALTERNATIVE} & set(appraisal.asks):
        return 0.9
    if appraisal.wide:
        return 0.7
    if appraisal.reaches:
        return 0.5
    return 0.2 if appraisal.questions else 0.0


@dataclass(frozen=True, slots=True)
class Ruptured:
    """A therapist whose eighth turn is replaced by a blunt one; everything after it is its own."""

    inner: Therapist
    name: str

    async def respond(self, session: Session) -> Turn:
        """The inner therapist's turn, but for one."""
        if len(session.by("therapist")) == RUPTURE_AT - 1:
            return Turn("therapist", BLUNT)
        return await self.inner.respond(session)


def is_struck(alliance: Sequence[float]) -> bool:
    """Whether the planted turn was a rupture to this patient: a strain in the alliance (Safran & Muran 2000).

    Args:
        alliance: At the start and after each therapist turn, 0–1.
    """
    return len(alliance) > RUPTURE_AT and alliance[RUPTURE_AT - 1] - alliance[RUPTURE_AT] >= MIN_LOSS


def turns_to_repair(alliance: Sequence[float]) -> int | None:
    """Own turns, from 1, until three quarters of the lost alliance are back; None when not within `OWN_TURNS`.

    Reactance is no measure of repair here: in the simulator it fades alike with every turn that does not push.
    """
    before, after = alliance[RUPTURE_AT - 1], alliance[RUPTURE_AT]
    level = before - (1.0 - REGAINED) * (before - after)
    own = alliance[RUPTURE_AT + 1 : RUPTURE_AT + 1 + OWN_TURNS]
    return next((n for n, now in enumerate(own, start=1) if now >= level), None)

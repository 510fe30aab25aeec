"""Socratic questions in rotation: Paul and Elder's six types in turn, each after a reflection of the last words.

The questions are canned and the order is fixed but for chance within a type; only the reflection listens.
"""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn
from maieutic.registry import therapist
from maieutic.rivals.reflecting import reflection, safety_question
from maieutic.rivals.set_lines import banks_of

TYPES = banks_of("rotation")
"""The six types (Paul and Elder), four questions each, in own wording; they are asked in this order."""


@therapist("rotation")
@dataclass(frozen=True, slots=True)
class Rotation:
    """One question of each type in turn, whatever was answered.

    Within a type the first question comes first; the others follow in an order drawn by the session's seed.
    """

    name: str = "rotation"

    async def respond(self, session: Session) -> Turn:
        """A reflection of the last words and the next question of the rotation; the trace names its type."""
        safety = safety_question(session)
        if safety is not None:
            return Turn("therapist", safety, trace={"type": "safety"})
        lap, place = divmod(len(session.by("therapist")), len(TYPES))
        kind, bank = list(TYPES.items())[place]
        question = _order(session, bank)[lap % len(bank)]
        heard = reflection(session, session.generator("therapist"))
        return Turn("therapist", f"{heard} {question}", trace={"type": kind})


def _order(session: Session, bank: tuple[str, ...]) -> list[str]:
    rest = list(bank[1:])
    Session((), session.seed).generator("therapist").shuffle(rest)
    return [bank[0], *rest]

"""Socratic questions in rotation: Paul and Elder's six types in turn, each after a reflection of the last words.

The questions are canned and the order is fixed but for chance within a type; only the reflection listens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn
from maieutic.registry import therapist
from maieutic.therapists.arms.reflecting import reflection, safety_question

TYPES: Mapping[str, tuple[str, ...]] = {
    "clarification": (
        "What went through your mind the last time it happened?",
        "What do you mean by that, in your own words?",
        "What would be one example of that from this week?",
        "How did you feel as that went through your mind?",
    ),
    "assumptions": (
        "What are you taking for granted when you think that?",
        "What would have to be true for that thought to hold every time?",
        "Which rule about yourself or other people lies behind it?",
        "What did you expect of yourself at that moment?",
    ),
    "evidence": (
        "What have you seen or heard that doesn't fit with that thought?",
        "When was there a time that it turned out differently?",
        "What have you done, even something small, that speaks against it?",
        "What is it in your own experience that bears on this?",
    ),
    "viewpoints": (
        "How would somebody who knows you well see this?",
        "What would you say to a friend who told you the same?",
        "What might somebody have noticed who was there and is on your side?",
        "How would you have looked at it on a better day?",
    ),
    "implications": (
        "If that thought were only partly true, what would follow?",
        "What does believing it cost you?",
        "When you put together what you've told me, what does it say about the thought?",
        "What could you try this week to find out more?",
    ),
    "the question": (
        "How does what you've told me fit with the thought you started with?",
        "What would you most need to find out to answer this fairly?",
        "Which question haven't I asked that matters here?",
        "How would you put the thought now, so that it takes in everything you've said?",
    ),
}
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

"""Canned wide questions: the textbook's Socratic questions in rotation, aimed at nobody in particular."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn
from maieutic.registry import therapist

_FIRST = (
    "What happened, and when was the last time?",
    "What went through your mind at that moment?",
    "How did you feel as you thought that?",
)
_ROUND = (
    "What speaks against that thought?",
    "Has there been a time when it was different?",
    "How does that fit with the thought you had?",
    "Who knows you well and might see this differently?",
    "What have you noticed that doesn't quite fit with it?",
    "When you put all of that together, what do you make of the thought?",
    "What would you say to a friend who thought this?",
    "When was it less true?",
    "What does all of that tell you about the thought?",
)
_LAST = ("How would you put it now, in your own words?", "What could you try this week to find out more?")


@therapist("wide")
@dataclass(frozen=True, slots=True)
class WideQuestions:
    """Good general questions in a fixed order, without listening to the answers.

    Attributes:
        turns: Length of the session it is written for, in therapist turns.
    """

    name: str = "wide"
    turns: int = 20

    async def respond(self, session: Session) -> Turn:
        """The next question of the fixed order."""
        number = len(session.by("therapist"))
        if number < len(_FIRST):
            return Turn("therapist", _FIRST[number])
        if number >= self.turns - len(_LAST):
            return Turn("therapist", _LAST[(number - self.turns) % len(_LAST)])
        return Turn("therapist", _ROUND[(number - len(_FIRST)) % len(_ROUND)])

"""Fishing: a feeling word given back and "what else doesn't fit?" in ten wordings round and round, with two weighings.

It asks for evidence against the thought without ever following what was answered. A simulator that rewards it as it
rewards skilled questioning would teach the set questions.
"""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn
from maieutic.registry import therapist
from maieutic.rivals.reflecting import reflection, safety_question

_FIRST = ("What went through your mind at that moment?", "How did you feel when that happened?")
_ELSE = (
    "What is there that doesn't fit with that thought?",
    "What else have you seen that speaks against it?",
    "When was it different, even once?",
    "What else doesn't quite match that thought?",
    "What has happened in your life that this thought leaves out?",
    "Which experience of yours points the other way?",
    "What more is there that doesn't go with it?",
    "Who has treated you as if it weren't so?",
    "What have you done that somebody of that kind wouldn't have done?",
    "What else can you think of that it doesn't explain?",
)
_WEIGH = "When you put all of that beside the thought, what do you make of it?"
_WEIGHINGS = (11, 19)
"""Therapist turns, counted from nought, at which what came up is set against the thought."""


@therapist("fishing")
@dataclass(frozen=True, slots=True)
class Fishing:
    """A mirrored word and a question for evidence against the thought, whatever was answered."""

    name: str = "fishing"

    async def respond(self, session: Session) -> Turn:
        """The next turn of the fixed order."""
        safety = safety_question(session)
        if safety is not None:
            return Turn("therapist", safety)
        number = len(session.by("therapist"))
        if number < len(_FIRST):
            question = _FIRST[number]
        else:
            question = _WEIGH if number in _WEIGHINGS else _ELSE[(number - len(_FIRST)) % len(_ELSE)]
        return Turn("therapist", f"{reflection(session, session.generator('therapist'))} {question}")

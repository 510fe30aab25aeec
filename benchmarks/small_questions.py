"""A bot that asks small things which no case has an entry for, the first of them twice: what is made up must be kept.

maieutic evaluate --therapist benchmarks/small_questions.py:make --patient simulated+llm:MODEL --turns 4 --cases starter
"""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn

ASKED = (
    "Before we go on: what was the weather like on the way here today?",
    "And what colour is the front door where you live?",
    "What did you have for breakfast this morning?",
    "What was the weather like, did you say?",
)


@dataclass(frozen=True, slots=True)
class SmallQuestions:
    """Asks them in order, round and round."""

    name: str = "small_questions"

    async def respond(self, session: Session) -> Turn:
        return Turn("therapist", ASKED[len(session.by("therapist")) % len(ASKED)])


def make() -> SmallQuestions:
    """The bot."""
    return SmallQuestions()

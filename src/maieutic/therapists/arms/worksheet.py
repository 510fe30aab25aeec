"""The worksheet: a thought record read out column by column, whatever the patient answers."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn
from maieutic.registry import therapist
from maieutic.therapists.arms.canned import in_order

_COLUMNS = (
    "First column, the situation. What happened?",
    "Second column, the feeling. What did you feel?",
    "Third column, the thought. What went through your mind?",
    "How much do you believe it, from 0 to 100?",
    "Fourth column. What speaks for the thought?",
    "Fifth column. What speaks against the thought?",
    "And what else speaks against it?",
    "Has there been a time when it was different?",
    "Sixth column. When you put both columns side by side, what do you make of the thought?",
    "How would you put it now, in your own words?",
    "How much do you believe the first thought now, from 0 to 100?",
    "A second row, for the same thought. Where does it come from?",
    "What feeling comes with it today?",
    "What have you noticed that doesn't fit with the thought?",
    "Who might see this differently?",
    "When was the thought less true?",
    "Looking at all of this together, what does it tell you about the thought?",
    "How would you put the thought now, so that it is fair?",
    "How much do you believe the thought now, from 0 to 100?",
    "Last row. What could you try this week to find out more?",
)


@therapist("worksheet")
@dataclass(frozen=True, slots=True)
class Worksheet:
    """A thought record in fixed order (after Beck's columns, own wording); adapts to nothing."""

    name: str = "worksheet"

    async def respond(self, session: Session) -> Turn:
        """The next column; after the last one it begins again."""
        return in_order(session, _COLUMNS)

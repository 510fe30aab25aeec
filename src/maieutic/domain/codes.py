"""The code book of therapist moves that the simulator reads: our own, small and multi-label.

Published schemes (AnnoMI, BOLT, …) are separate and live in `maieutic.coding`; the patients' dynamics never read them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Move(StrEnum):
    """What one therapist turn does; a turn may do several things."""

    OPEN_QUESTION = "open_question"
    CLOSED_QUESTION = "closed_question"
    REFLECTION = "reflection"
    SUMMARY = "summary"
    AFFIRMATION = "affirmation"
    REASSURANCE = "reassurance"
    INFORMATION = "information"
    ADVICE = "advice"
    LECTURE = "lecture"
    CHALLENGE = "challenge"
    FEELING_CLAIM = "feeling_claim"
    RISK_RESPONSE = "risk_response"
    OTHER = "other"


DEFINITIONS: Mapping[Move, str] = {
    Move.OPEN_QUESTION: "asks something that cannot be answered with yes, no or one fact",
    Move.CLOSED_QUESTION: "asks for yes or no, a number or one fact",
    Move.REFLECTION: "gives back what the patient said or plainly implied, without adding a view",
    Move.SUMMARY: "draws together two or more things the patient has said",
    Move.AFFIRMATION: "names a strength, an effort or a value; praise",
    Move.REASSURANCE: "says that it will be all right, is not so bad, is not the patient's fault",
    Move.INFORMATION: "gives facts about problems, therapy or the world",
    Move.ADVICE: "says what the patient should, could or might do",
    Move.LECTURE: "explains or argues at length (information or argument over several sentences)",
    Move.CHALLENGE: "disputes or directly questions the truth of what the patient believes",
    Move.FEELING_CLAIM: "states, and does not ask, what the patient feels or wants",
    Move.RISK_RESPONSE: "asks about safety, or answers a disclosure of risk",
    Move.OTHER: "greets, agrees on something practical, or none of the above",
}

QUESTIONS = frozenset({Move.OPEN_QUESTION, Move.CLOSED_QUESTION})
TELLING = frozenset({Move.ADVICE, Move.LECTURE, Move.INFORMATION, Move.REASSURANCE})


@dataclass(frozen=True, slots=True)
class TurnCode:
    """Multi-label code of one therapist turn.

    Attributes:
        probabilities: Move to probability in [0, 1]; a move that is absent from the mapping has probability 0.
        words: Number of words in the turn.
    """

    probabilities: Mapping[Move, float]
    words: int = 0

    def __contains__(self, move: Move) -> bool:
        return self.probabilities.get(move, 0.0) >= 0.5

    def any_of(self, moves: frozenset[Move]) -> bool:
        return any(move in self for move in moves)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves at or above probability 0.5, in code-book order."""
        return tuple(move for move in Move if move in self)

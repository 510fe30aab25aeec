"""What every model here gives back for a conversation, whatever it is: a turn, and what is to be said beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from maieutic.domain.episode import Ending, Speaker, Turn
from maieutic.safety.handover import handover_for
from maieutic.safety.risk import assess, sure_grade
from maieutic.serving.folding import Said

History = Literal["none", "own", "foreign", "unverified"]
"""What the assistant's turns of a request are: there are none; this model said them; it cannot have said some; not
known."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A reply.

    Attributes:
        turn: What was said.
        history: Whether this model can have said the assistant's turns of the request.
        foreign: Places of the turns that it cannot have said, counted from 0 over all turns.
        handed_over: The reply is the fixed hand-over, or belongs to the staying after it.
        opening: A patient's first words, where the conversation begins as if they had been said.
        hidden: The plan, belief or state behind the reply.
    """

    turn: Turn
    history: History = "none"
    foreign: tuple[int, ...] = ()
    handed_over: bool = False
    opening: str | None = None
    hidden: Mapping[str, Any] | None = None


class Served(Protocol):
    """Something that answers conversations, the same conversation and seed with the same reply."""

    async def reply(self, said: Sequence[Said], seed: int, *, strict: bool) -> Spoken:
        """The next turn. Raises `Refusal`; and `ModelError` where a language model behind it gives none."""
        ...


def in_danger(text: str, speaker: Speaker) -> bool:
    """Active danger; of a therapist's turn, which may ask about risk, only what sure rules read in the first person."""
    return (sure_grade(text) if speaker == "therapist" else assess(text).grade) == "active"


def handed_over(speaker: Speaker, *told: str) -> Spoken:
    """The fixed hand-over for what was told, the latest last, in place of a model's turn."""
    return Spoken(Turn(speaker, handover_for(*told), Ending("handed_over", "signs of active danger")), handed_over=True)

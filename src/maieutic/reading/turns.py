"""Makes turns and answers plain where they enter; what the speaker wrote stays beside them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from maieutic.domain.asking import Answer
from maieutic.domain.episode import Turn
from maieutic.errors import ModelRefused
from maieutic.reading.plain import counted, plain


def heard(turn: Turn) -> Turn:
    """A turn as the other side hears it; the same turn where there is nothing to clean.

    Raises:
        ModelRefused: Nothing is left to be heard, such as of a reply that was cut off while the model still reasoned.
    """
    found = plain(turn.text)
    if not found.text.strip() and (found.original.strip() or turn.original) and turn.ending is None:
        why = ", ".join(plain(turn.original or turn.text).cleaned)
        raise ModelRefused(
            f"the {turn.speaker}'s turn holds no words, only {why}; has its model room to end its reply?"
        )
    if not found.cleaned:
        return turn
    return replace(turn, text=found.text, original=turn.original or turn.text)


def read(answer: Answer) -> Answer:
    """An answer outside the dialogue as it is read, line by line; the same answer where there is nothing to clean."""
    found = plain(answer.text, lines=True)
    return replace(answer, text=found.text, original=answer.original or answer.text) if found.cleaned else answer


def cleaned_in(turns: Iterable[Turn]) -> dict[str, int]:
    """How many of the turns each kind was cleaned in."""
    return counted(plain(turn.original).cleaned for turn in turns if turn.original is not None)

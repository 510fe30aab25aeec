"""Which missing thing a therapist turn asks for: a head on the vectors of each of its sentences."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal, get_args

from maieutic.gap.reply_likeness import ASKED, sense
from maieutic.language.sentences import sentences
from maieutic.reading.head import Read, load

Slot = Literal["situation", "thought", "feeling", "against", "duration", "change", "safety", "background"]
SLOTS: Final[tuple[Slot, ...]] = get_args(Slot)
OTHER, NOTHING = "other", "none"
LABELS: Final = (*SLOTS, OTHER, NOTHING)
"""A sentence asks for a slot, for something else, or for nothing: it tells, reflects, advises, or asks leave."""


@lru_cache(maxsize=20_000)
def _read(sentence: str) -> Read:
    return load(ASKED, "asked_slot").read(sense(sentence))


def asks(text: str) -> bool:
    """The turn wants to know something, by question or request; advice in a question's clothes wants nothing."""
    return any(_read(s).label not in (None, NOTHING) for s in sentences(text))


def asked_slots(text: str) -> frozenset[Slot]:
    """The slots that a turn asks for; advice and assent-seeking questions ask for none."""
    found = {_read(s).label for s in sentences(text)}
    return frozenset(slot for slot in SLOTS if slot in found)

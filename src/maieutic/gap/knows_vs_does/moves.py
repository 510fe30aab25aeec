"""Which kinds of move a therapist turn makes, by a trained head: the coder behind 'does' in knows against does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.gap.lost.labels import speaks_for_conclusion
from maieutic.gap.openings import without_openings
from maieutic.gap.turn_vectors import turn_vector
from maieutic.language.sentences import sentences, words
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import shared_minilm

COMFORT: Final = frozenset({"advise", "reassure"})
"""What a helper falls back on: the greedy choice."""
KINDS: Final = (
    "advise",
    "check",
    "explore",
    "inform",
    "listen",
    "plan",
    "reassure",
    "refocus",
    "safety",
    "step_back",
    "summarise",
    "weigh",
)
LONGEST: Final = 40
"""Sentences of a reply that are read."""


@lru_cache(maxsize=20_000)
def moves_of(text: str, before: str = "") -> frozenset[str]:
    """The kinds of move in a therapist turn, of those in `items/frozen_moves.yaml`; several may hold, or none.

    Each sentence is read within its turn by a head that was trained on own-written replies; a kind holds that one
    sentence at least is likely to make. Hedges, thanks and courtesies are left out first, save where one speaks for a
    conclusion by itself: a sentence behind one was read otherwise than the same sentence alone.

    Args:
        text: The turn.
        before: What the patient said just before. It is not read: a reader that knew it could guess what would fit.

    Blind to: irony, what only the talk before makes clear, and other languages; beyond 40 sentences nothing is read.
    """
    head = load("gap/weights/knows_vs_does.npz", "moves")
    rows = sentence_rows(without_openings(parts_of(text), speaks_for_conclusion), head.places)
    return frozenset[str]().union(*map(head.counted, rows))


def parts_of(text: str) -> list[str]:
    """The sentences of a reply that are read."""
    return [part for part in sentences(text) if words(part)][:LONGEST]


def sentence_rows(parts: Sequence[str], vocabulary: Mapping[str, int]) -> list[Floats]:
    """What the head sees of every sentence of a reply: what it does, the whole reply, its form and its words. (d,)
    each"""
    text = " ".join(parts)
    whole = 0.5 * shared_minilm()([text])[0]
    rows = []
    for at, part in enumerate(parts):
        length = len(part.split())
        form = [
            part.rstrip().endswith("?"),
            at == 0,
            at == len(parts) - 1,
            len(parts) == 1,
            "?" in text,
            length < 5,
            length > 15,
            length > 25,
        ]
        rows.append(
            np.concatenate([turn_vector(part), whole, 0.4 * np.array(form, dtype=float), bag(part, vocabulary)])
        )
    return rows

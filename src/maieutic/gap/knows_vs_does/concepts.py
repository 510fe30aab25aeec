"""Whether a reply is an example of a concept of Socratic work, by a head; whether a definition names its marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.gap.knows_vs_does.moves import parts_of
from maieutic.gap.turn_vectors import turn_vector
from maieutic.language.sentences import stands_in, words
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, Head, load
from maieutic.reading.minilm import shared_minilm

CONCEPTS: Final = (
    "open_question",
    "closed_question",
    "leading_question",
    "stacked_questions",
    "disguised_advice",
    "reflection",
    "summary",
    "affirmation",
    "reassurance",
    "direct_advice",
    "evidence_question",
    "perspective_question",
    "implication_question",
    "feeling_question",
    "clarifying_question",
    "synthesising_question",
    "scaling_question",
    "exception_question",
    "episode_question",
    "asking_leave",
    "tentative_feeling",
    "mind_reading",
    "collusion",
    "dispute",
    "experiment",
    "risk_question",
)
"""Labels of the head; those of `items/concepts.yaml`."""


def holds(concept: str, text: str) -> bool:
    """Whether a reply is an example of the concept. A reply without words is an example of nothing."""
    return chance(concept, text) >= _head().doubt


def chance(concept: str, text: str) -> float:
    """Probability that a reply is an example of the concept."""
    return _chances(text).get(concept, 0.0)


def _head() -> Head:
    return load("gap/weights/knows_vs_does.npz", "concepts")


@lru_cache(maxsize=20_000)
def _chances(text: str) -> Mapping[str, float]:
    parts, head = parts_of(text), _head()
    return head(reply_row(parts, head.places)) if parts else {}


def reply_row(parts: Sequence[str], vocabulary: Mapping[str, int]) -> Floats:
    """What the head sees of a reply: what it does, what it is about, its form and its words. (d,)"""
    text = " ".join(parts)
    form = [
        text.count("?") == 0,
        text.count("?") > 1,
        text.rstrip().endswith("?"),
        len(parts) > 1,
        len(text.split()) > 20,
    ]
    return np.concatenate(
        [turn_vector(text), shared_minilm()([text])[0], 0.4 * np.array(form, dtype=float), bag(text, vocabulary)]
    )


def edited_well(concept: str, before: str, after: str, turn: str) -> bool:
    """Whether a changed sentence is what was asked for: an example ('into') or no longer one ('out of').

    A sentence that was left as it was is not changed.
    """
    if words(before) == words(after):
        return False
    return holds(concept, after) is (turn == "into")


def defines(text: str, marks: Sequence[Sequence[str]], needed: int = 2) -> bool:
    """Whether a definition names at least `needed` of the groups of marks; a stem counts at the start of a word."""
    flat = " ".join(text.lower().replace("’", "'").split())
    return sum(any(stands_in(flat, stem, whole=False) for stem in group) for group in marks) >= needed

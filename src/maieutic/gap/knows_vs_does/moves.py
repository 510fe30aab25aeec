"""Which kinds of move a therapist turn makes, by a trained head: the coder behind 'does' in knows against does.

Beside it whether a reply is an example of a concept of Socratic work, by a head, and whether a definition names its
marks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.gap.lost.labels import speaks_for_conclusion
from maieutic.gap.replies import turn_vector, without_openings
from maieutic.language.sentences import sentences, stands_in, words
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, Head, load
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

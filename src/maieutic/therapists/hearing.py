"""What a patient's sentence does to the talk, by the therapists' own heads: asks back, refuses, answers about danger,
tells little.

Neither the patient nor anything that scores reads with these heads (`recipes/readers/therapists.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from maieutic.language.sentences import sentences
from maieutic.reading.bag import bag, sentence_row
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import shared_minilm
from maieutic.safety import risk

WEIGHTS: Final = "therapists/weights/hearing.npz"
TURNS: Final = ("recall", "recap", "human", "insult", "instruct", "unsure", "other")
"""Asks for what was told, for a summary of it, whether this is a person; insults; instructs the program; says 'I don't
know'."""
ANSWERS: Final = ("denies", "affirms", "safe", "unsafe", "takes_up", "other")
"""To a question about danger, or to the hand-over."""
MANNERS: Final = ("guarded", "telling")


WEIGHTS_OF_LINES: Final = "therapists/weights/lines.npz"
LINES: Final = (
    "thought",
    "feeling",
    "words",
    "person",
    "event",
    "reason",
    "origin",
    "for",
    "against",
    "gives_way",
    "unmoved",
    "plan",
    "little",
)
"""What a line holds: a thought or verdict, a feeling, somebody's words, a person, what happened, a reason, where it
comes from, a fact for or against the thought, giving way, standing firm, something to do, hardly anything."""

WEIGHTS_OF_GLANCES: Final = "therapists/weights/glance.npz"
NOTHING: Final = "nothing"
SOMETHING: Final = "something"
GLANCES: Final = (NOTHING, SOMETHING)
"""Whether a sentence, in the company of its turn, may do any of `TURNS` but 'other'."""
WORTH_READING: Final = 0.08
"""Probability of `SOMETHING` from which a sentence of a longer turn is read by itself; out of fold 98 to 99 of 100
sentences that do something are, and one in six of the others."""


def read_together(turn: str) -> None:
    """Encodes a patient turn and each of its sentences at one go, with both encoders: the readers of danger ask for all
    of them, and one after another they take longer."""
    parts = (turn, *sentences(turn))
    shared_minilm()(parts)
    risk.read_together(parts)


@lru_cache(maxsize=20_000)
def heard(head: Literal["turn", "answer", "manner"], text: str) -> str | None:
    """What a head hears in a sentence or a short turn; None where it is in doubt."""
    loaded = load(WEIGHTS, head)
    return loaded.read(sentence_row(text, loaded.places)).label


@lru_cache(maxsize=20_000)
def held_in(text: str) -> Mapping[str, float]:
    """Probability of each of `LINES` for a sentence or a turn."""
    head = load(WEIGHTS_OF_LINES, "line")
    return head(sentence_row(text, head.places))


@lru_cache(maxsize=5_000)
def heard_in(turn: str) -> tuple[tuple[str, str | None], ...]:
    """Each sentence of a patient turn with what the head 'turn' hears in it.

    A turn is encoded once. A sentence is encoded by itself only where a glance at it in that company says that it may
    do something; the others are ordinary.
    """
    parts = sentences(turn) or (turn,)
    if len(parts) == 1:
        return tuple((part, heard("turn", part)) for part in parts)
    vectors = shared_minilm().within(turn, parts)
    return tuple(
        (part, heard("turn", part) if vector is None or _may_do_something(part, vector) else "other")
        for part, vector in zip(parts, vectors, strict=True)
    )


def glance_row(sentence: str, vector: NDArray[np.float32], vocabulary: Mapping[str, int]) -> Floats:
    """What a glance sees: a sentence's vector within its turn, and the words it holds. (384 + len(vocabulary),)"""
    return np.concatenate([vector.astype(np.float64), bag(sentence, vocabulary)])


def _may_do_something(sentence: str, vector: NDArray[np.float32]) -> bool:
    head = load(WEIGHTS_OF_GLANCES, "glance")
    return head(glance_row(sentence, vector, head.places))[SOMETHING] >= WORTH_READING

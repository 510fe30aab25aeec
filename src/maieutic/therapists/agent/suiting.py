"""How well a question of each kind suits a reply: a head fitted on what readers marked in single moments.

Readers who know therapy marked, for moments of talks with development patients, what might be said next: odd, all
right, or good (`recipes/next_question.py`). The head reads what the reply holds and how it is built.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.language.sentences import first_number, sentences, words
from maieutic.reading.head import Floats, load
from maieutic.therapists.agent.formulation import asks_back, felt
from maieutic.therapists.agent.quoting import phrases
from maieutic.therapists.hearing import LINES, held_in

WEIGHTS: Final = "therapists/weights/suiting.npz"
BUILT: Final = ("length", "sentences", "question", "number", "asks back", "quotable", "own", "feeling told")
"""What is read beside `hearing.LINES`."""


def reply_row(text: str) -> Floats:
    """(d,) what the head reads of a reply with words."""
    quotable = phrases(text, 1)
    built = (
        np.log1p(len(words(text))),
        len(sentences(text)),
        "?" in text,
        first_number(text) is not None,
        asks_back(text),
        bool(quotable),
        any(one.own for one in quotable[:2]),
        bool(felt(text, 1)),
    )
    holds = held_in(text)
    return np.array([*(holds[kind] for kind in LINES), *map(float, built)])


@lru_cache(maxsize=2_000)
def suits(text: str) -> Mapping[str, float]:
    """How well a question of each kind would suit a reply, 0–1, by key of the bank; nothing where it has no words."""
    return load(WEIGHTS, "suiting")(reply_row(text)) if words(text) else {}

"""Trained heads that read a therapist reply: sentence vectors, word pairs and the rules' own findings, weighed together.

Rules alone knew the wordings that they were written for. The heads were fitted by `recipes/fit_knows_vs_does.py` on own-written
replies and on no item of the battery; what the patient said is no feature, so that a head cannot guess the move that would be right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.models.embedding import DIMENSIONS, shared_minilm
from maieutic.reading.bag import bag

Floats = NDArray[np.float64]

LONGEST: Final = 40
"""Sentences of a reply that are read."""


@dataclass(frozen=True, slots=True)
class Head:
    """Linear scores of labels over a row of features.

    Attributes:
        labels: Label of each row of weights.
        weights: (labels, d). bias: (labels,).
        vocabulary: Place of each known word or pair of words in the last features.
        limit: Probability from which a label counts.
    """

    labels: tuple[str, ...]
    weights: Floats
    bias: Floats
    vocabulary: Mapping[str, int]
    limit: float

    def scores(self, row: Floats) -> Floats:
        """Linear scores, (labels,)."""
        return np.asarray(self.weights @ row + self.bias)


def vectors(texts: Sequence[str]) -> Floats:
    """Unit vectors, (n, 384)."""
    return shared_minilm()(texts).astype(np.float64)


def sentence_rows(
    parts: Sequence[str], rules: Sequence[Sequence[float]], whole: Sequence[float], vocabulary: Mapping[str, int]
) -> Floats:
    """What the head of moves sees of every sentence of a reply: itself, the one before, the whole, and its form. (n, d)"""
    text = " ".join(parts)
    full, own = 0.5 * vectors([text])[0], vectors(parts)
    rows = []
    for at, part in enumerate(parts):
        length = len(part.split())
        form = [
            part.rstrip().endswith("?"), at == 0, at == len(parts) - 1, len(parts) == 1, "?" in text,
            length < 5, length > 15, length > 25,
        ]  # fmt: skip
        rows.append(
            np.concatenate(
                [
                    own[at], full, 0.5 * own[at - 1] if at else np.zeros(DIMENSIONS),
                    0.4 * np.array(rules[at], dtype=float), 0.2 * np.array(whole, dtype=float),
                    0.4 * np.array(form, dtype=float), bag(part, vocabulary),
                ]
            )
        )  # fmt: skip
    return np.array(rows)


def reply_row(parts: Sequence[str], rules: Sequence[float], vocabulary: Mapping[str, int]) -> Floats:
    """What the heads of concepts see of a reply: the whole, its last sentence, and the rules' findings. (d,)"""
    text = " ".join(parts)
    whole, last = vectors([text, parts[-1]])
    form = [
        text.count("?") == 0, text.count("?") > 1, text.rstrip().endswith("?"), len(parts) > 1, len(text.split()) > 20,
    ]  # fmt: skip
    return np.concatenate(
        [
            whole,
            0.5 * last,
            0.5 * np.array(rules, dtype=float),
            0.4 * np.array(form, dtype=float),
            bag(text, vocabulary),
        ]
    )


@lru_cache(maxsize=2)
def packaged_head(name: str) -> Head:
    """A head in the package: 'moves' or 'concepts'."""
    with as_file(files("maieutic") / "gap" / "weights" / f"knows_vs_does_{name}.npz") as path, np.load(path) as stored:
        return Head(
            tuple(map(str, stored["labels"])),
            stored["weights"].astype(np.float64),
            stored["bias"].astype(np.float64),
            {str(gram): at for at, gram in enumerate(stored["vocabulary"])},
            float(stored["limit"]),
        )


__all__ = ["LONGEST", "Head", "packaged_head", "reply_row", "sentence_rows", "vectors"]

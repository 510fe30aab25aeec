"""One linear head of the embedded coder: its weights on disk, and how they turn features into probabilities."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.features import Row, Style, dense_matrix

Numbers = NDArray[np.float32]
SPACES = ("own", "other", "same", "following", "asked")
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Space:
    """A TF-IDF space over one part of the features.

    Attributes:
        part: Which grams of a row it reads, one of SPACES.
        vocabulary: Gram to its place, from 1.
        idf: Inverse document frequency by column.
        weight: Length of every row that is not empty.
    """

    part: str
    vocabulary: dict[str, int]
    idf: Numbers
    weight: float

    def matrix(self, rows: Sequence[Row]) -> Any:
        """Sublinear TF-IDF rows scaled to length `weight`: sparse (n, columns)."""
        from scipy.sparse import csr_matrix

        values: list[float] = []
        columns: list[int] = []
        starts = [0]
        idf, place = self.idf.tolist(), self.vocabulary.get
        for row in rows:
            found = Counter(filter(None, map(place, getattr(row, self.part))))
            weighted = [idf[at - 1] if times == 1 else (1.0 + math.log(times)) * idf[at - 1]
                        for at, times in found.items()]  # fmt: skip
            length = math.sqrt(sum(value * value for value in weighted)) or 1.0
            values += [self.weight * value / length for value in weighted]
            columns += [at - 1 for at in found]
            starts.append(len(values))
        return csr_matrix((values, columns, starts), shape=(len(rows), len(idf)))


@dataclass(frozen=True, slots=True)
class Basis:
    """The spaces and the scaling of counted properties that map rows to one feature matrix."""

    spaces: tuple[Space, ...]
    mean: Numbers
    scale: Numbers

    def matrix(self, rows: Sequence[Row], extra: NDArray[np.float64] | None = None) -> Any:
        """Sparse features (n, d); `extra` holds further counted columns, (n, k)."""
        from scipy.sparse import csr_matrix, hstack

        dense = dense_matrix(rows)
        if extra is not None:
            dense = np.hstack([dense, extra])
        parts = [space.matrix(rows) for space in self.spaces]
        return hstack([*parts, csr_matrix((dense - self.mean) * self.scale)]).tocsr()


@dataclass(frozen=True, slots=True)
class Head:
    """A fitted linear coder for one speaker of one scheme.

    Attributes:
        labels: Label ids, in the order of the columns.
        style: Punctuation it was trained to read.
        basis: Feature space.
        weights: (d, labels).
        intercept: (labels,).
        slope: Calibration fitted out of fold: probabilities are those of `slope * score + offset`.
        offset: See slope; 0 for one-label schemes.
        threshold: Lowest probability at which a code of a multi-label scheme is given; None for one-label schemes.
        doubt: Below this highest probability the coder abstains.
    """

    labels: tuple[str, ...]
    style: Style
    basis: Basis
    weights: Numbers
    intercept: Numbers
    slope: float = 1.0
    offset: float = 0.0
    threshold: float | None = None
    doubt: float = 0.0

    def scores(self, rows: Sequence[Row], extra: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Uncalibrated linear scores, (n, labels)."""
        return np.asarray(self.basis.matrix(rows, extra) @ self.weights.astype(np.float64) + self.intercept)

    def probabilities(self, rows: Sequence[Row], extra: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Calibrated probabilities, (n, labels); they sum to one unless the scheme is multi-label."""
        return calibrated(self.scores(rows, extra), self.slope, self.offset, multi_label=self.threshold is not None)


def calibrated(scores: NDArray[np.float64], slope: float, offset: float, *, multi_label: bool) -> NDArray[np.float64]:
    """Probabilities from linear scores: softmax, or a logistic curve for each label of a multi-label scheme."""
    logits = np.asarray(slope * scores + offset, dtype=np.float64)
    if multi_label:
        return np.asarray(1.0 / (1.0 + np.exp(-logits)))
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def save_head(head: Head, path: Path) -> None:
    """Writes a head as compressed arrays, without pickled objects."""
    arrays: dict[str, Any] = {
        "format": np.array(_FORMAT),
        "labels": np.array(head.labels),
        "style": np.array(head.style),
        "weights": head.weights,
        "intercept": head.intercept,
        "mean": head.basis.mean,
        "scale": head.basis.scale,
        "calibration": np.array([head.slope, head.offset, head.doubt]),
        "threshold": np.array([] if head.threshold is None else [head.threshold]),
    }
    for space in head.basis.spaces:
        ordered = sorted(space.vocabulary, key=space.vocabulary.__getitem__)
        arrays[f"vocabulary_{space.part}"] = np.array(ordered)
        arrays[f"idf_{space.part}"] = space.idf
        arrays[f"weight_{space.part}"] = np.array(space.weight)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **arrays)


def load_head(path: Path) -> Head:
    """Reads a head that `save_head` wrote."""
    with np.load(path, allow_pickle=False) as stored:
        spaces = tuple(
            Space(
                part,
                {str(gram): column for column, gram in enumerate(stored[f"vocabulary_{part}"], start=1)},
                stored[f"idf_{part}"],
                float(stored[f"weight_{part}"]),
            )
            for part in SPACES
            if f"vocabulary_{part}" in stored
        )
        slope, offset, doubt = (float(number) for number in stored["calibration"])
        threshold = stored["threshold"]
        style: Any = str(stored["style"])
        return Head(
            labels=tuple(str(label) for label in stored["labels"]),
            style=style,
            basis=Basis(spaces, stored["mean"], stored["scale"]),
            weights=stored["weights"],
            intercept=stored["intercept"],
            slope=slope,
            offset=offset,
            threshold=float(threshold[0]) if threshold.size else None,
            doubt=doubt,
        )

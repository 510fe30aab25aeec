"""One linear head of the embedded coder: the word grams and counts that it reads, and its weights on disk."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from operator import mul
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.features import Row, Style, dense_matrix
from maieutic.reading.head import Floats, Head, arrays_in

Numbers = NDArray[np.float32]
SPACES = ("own", "other", "same", "following", "asked")
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Space:
    """A TF-IDF space over one part of the features.

    Attributes:
        part: Which grams of a row it reads, one of SPACES.
        vocabulary: Gram to its place.
        idf: Inverse document frequency by place.
        weight: Length of every row that is not empty.
    """

    part: str
    vocabulary: dict[str, int]
    idf: tuple[float, ...]
    weight: float

    def row(self, row: Row) -> tuple[list[float], list[int]]:
        """Sublinear TF-IDF scaled to length `weight`, and the place of each value."""
        grams, times = _counted(getattr(row, self.part))
        found = [(at, many) for at, many in zip(map(self.vocabulary.get, grams), times, strict=True) if at is not None]
        weighted = [many * self.idf[at] for at, many in found]
        length = math.sqrt(sum(map(mul, weighted, weighted))) or 1.0
        return [self.weight * value / length for value in weighted], [at for at, _ in found]


@lru_cache(maxsize=64)
def _counted(grams: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Each gram once, and the sublinear count of each; several spaces read the same grams."""
    counts = Counter(grams)
    return tuple(counts), tuple(1.0 if times == 1 else 1.0 + math.log(times) for times in counts.values())


@dataclass(frozen=True, slots=True)
class Basis:
    """The spaces and the scaling of counted properties that map rows to one feature matrix."""

    spaces: tuple[Space, ...]
    mean: Numbers
    scale: Numbers

    def matrix(self, rows: Sequence[Row], extra: Floats | None = None) -> Any:
        """Sparse features (n, d), those of the spaces first; `extra` holds further counted columns, (n, k)."""
        from scipy.sparse import csr_matrix

        dense = dense_matrix(rows)
        if extra is not None:
            dense = np.hstack([dense, extra])
        counted = (dense - self.mean) * self.scale
        befores = list(accumulate((len(space.idf) for space in self.spaces), initial=0))
        values: list[float] = []
        columns: list[int] = []
        ends = []
        for row in rows:
            for space, before in zip(self.spaces, befores, strict=False):
                found, places = space.row(row)
                values += found
                columns += [before + at for at in places]
            ends.append(len(values))
        width = counted.shape[1]
        where = np.repeat(ends, width)
        ours = np.arange(befores[-1], befores[-1] + width, dtype=np.int32)
        starts = np.array([0, *ends], dtype=np.int32) + width * np.arange(len(rows) + 1, dtype=np.int32)
        return csr_matrix(
            (
                np.insert(np.array(values, dtype=np.float64), where, counted.ravel()),
                np.insert(np.array(columns, dtype=np.int32), where, np.tile(ours, len(rows))),
                starts,
            ),
            shape=(len(rows), befores[-1] + width),
        )


@dataclass(frozen=True, slots=True)
class WordHead:
    """A fitted linear coder for one speaker of one scheme.

    Attributes:
        style: Punctuation it was trained to read.
        basis: Feature space.
        line: The head on it; its labels may be many where the scheme is multi-label, and its `doubt` is the probability
            below which the coder abstains.
        threshold: Lowest probability at which a code of a multi-label scheme is given; None for one-label schemes.
    """

    style: Style
    basis: Basis
    line: Head
    threshold: float | None = None

    def scores(self, rows: Sequence[Row], extra: Floats | None = None) -> Floats:
        """Uncalibrated linear scores, (n, labels)."""
        return self.line.scores(self.basis.matrix(rows, extra))

    def probabilities(self, rows: Sequence[Row], extra: Floats | None = None) -> Floats:
        """Calibrated probabilities, (n, labels); they sum to one unless the scheme is multi-label."""
        return self.line.probabilities(self.basis.matrix(rows, extra))


def save_head(head: WordHead, path: Path) -> None:
    """Writes a head as compressed arrays, without pickled objects."""
    arrays: dict[str, Any] = {
        "format": np.array(_FORMAT),
        "labels": np.array(head.line.labels),
        "style": np.array(head.style),
        "weights": head.line.weights.T.astype(np.float32),
        "intercept": head.line.bias.astype(np.float32),
        "mean": head.basis.mean,
        "scale": head.basis.scale,
        "calibration": np.array([1.0 / head.line.temperature, 0.0, head.line.doubt]),
        "threshold": np.array([] if head.threshold is None else [head.threshold]),
    }
    for space in head.basis.spaces:
        ordered = sorted(space.vocabulary, key=space.vocabulary.__getitem__)
        arrays[f"vocabulary_{space.part}"] = np.array(ordered)
        arrays[f"idf_{space.part}"] = np.array(space.idf, dtype=np.float32)
        arrays[f"weight_{space.part}"] = np.array(space.weight)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **arrays)


def load_head(path: Path) -> WordHead:
    """Reads a head that `save_head` wrote."""
    stored = arrays_in(path)
    spaces = tuple(
        Space(
            part,
            {str(gram): column for column, gram in enumerate(stored[f"vocabulary_{part}"])},
            tuple(stored[f"idf_{part}"].tolist()),
            float(stored[f"weight_{part}"]),
        )
        for part in SPACES
        if f"vocabulary_{part}" in stored
    )
    slope, offset, doubt = stored["calibration"].tolist()
    threshold = stored["threshold"]
    style: Any = str(stored["style"])
    line = Head(
        tuple(map(str, stored["labels"])),
        # The product with a sparse matrix wants one feature's weights side by side.
        stored["weights"].astype(np.float64).T,
        stored["intercept"].astype(np.float64) + offset / slope,
        temperature=1.0 / slope,
        many=bool(threshold.size),
        doubt=doubt,
    )
    basis = Basis(spaces, stored["mean"], stored["scale"])
    return WordHead(style, basis, line, float(threshold[0]) if threshold.size else None)

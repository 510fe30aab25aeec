"""One linear head for every reader of text: pack, load, predict, and say nothing when in doubt.

A head reads a row of numbers (sentence vectors, `maieutic.reading.bag`, plain counts), never text. Which numbers those
are is its reader's business; the forward pass, the file format and the fitting (`recipes/heads.py`) are the same for
all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from maieutic.errors import UnreadableFile

Floats = NDArray[np.float64]

FORMAT: Final = 1


class Read(NamedTuple):
    """What a head says of one row.

    Attributes:
        label: The likeliest label, or None where its probability stays below the head's `doubt`.
        probability: The calibrated probability of the likeliest label, 0 to 1.
    """

    label: str | None
    probability: float


@dataclass(frozen=True, slots=True)
class Head:
    """A logistic head: multinomial, or one logistic curve a label where labels do not exclude each other.

    Attributes:
        labels: Label of each row of weights.
        weights: (k, d). bias: (k,).
        centre, scale: Of the features, (d,) each, or None: a feature counts as its distance from the centre in scales.
        temperature: Scores are divided by it (Guo et al. 2017); chosen out of fold by `calibrated`.
        many: Labels do not exclude each other.
        doubt: Probability below which `read` gives no label, and from which a label counts where there may be many.
        fitted_on: Name of the encoder whose vectors are among the features.
        vocabulary: Words and pairs that the last features count (`maieutic.reading.bag`), if any.
        places: Where each of them stands among those features.
    """

    labels: tuple[str, ...]
    weights: Floats
    bias: Floats
    centre: Floats | None = None
    scale: Floats | None = None
    temperature: float = 1.0
    many: bool = False
    doubt: float = 0.0
    fitted_on: str = ""
    vocabulary: tuple[str, ...] = ()
    places: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", {gram: at for at, gram in enumerate(self.vocabulary)})

    def scores(self, features: Floats) -> Floats:
        """Uncalibrated linear scores: (d,) → (k,), or (n, d) → (n, k)."""
        if self.centre is not None and self.scale is not None:
            features = (features - self.centre) / self.scale
        return np.asarray(
            features @ self.weights.T + self.bias if features.ndim > 1 else self.weights @ features + self.bias
        )

    def probabilities(self, features: Floats) -> Floats:
        """Calibrated probabilities: (d,) → (k,), or (n, d) → (n, k); they sum to one unless there may be many."""
        return shares(self.scores(features) / self.temperature, many=self.many)

    def log_probabilities(self, features: Floats) -> Floats:
        """Logarithms of the calibrated probabilities of labels that exclude each other: (d,) → (k,), or (n, d) → (n,
        k)."""
        return log_shares(self.scores(features) / self.temperature)

    def __call__(self, features: Floats) -> dict[str, float]:
        """Probability of every label for one row, (d,)."""
        return dict(zip(self.labels, self.probabilities(features).tolist(), strict=True))

    def read(self, features: Floats) -> Read:
        """The likeliest label of one row, (d,), or none where the head is in doubt."""
        chances = self.probabilities(features)
        best = int(chances.argmax())
        return Read(self.labels[best] if chances[best] >= self.doubt else None, float(chances[best]))

    def counted(self, features: Floats) -> frozenset[str]:
        """The labels of one row, (d,), whose probability reaches `doubt`; for heads whose labels may be many."""
        return frozenset(label for label, chance in self(features).items() if chance >= self.doubt)


def shares(scores: Floats, *, many: bool = False) -> Floats:
    """Scores as probabilities over the last axis: softmax, or a logistic curve for each."""
    if many:
        return np.asarray(1.0 / (1.0 + np.exp(-scores)))
    weight = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


def log_shares(scores: Floats) -> Floats:
    """Logarithms of `shares` of labels that exclude each other."""
    raised = np.asarray(scores, dtype=np.float64)
    raised = raised - raised.max(axis=-1, keepdims=True)
    return np.asarray(raised - np.log(np.exp(raised).sum(axis=-1, keepdims=True)))


def packed(head: Head, name: str = "", dtype: type = np.float16) -> dict[str, Any]:
    """The head as named arrays for `numpy.savez_compressed`; several heads may share a file under several names.

    Args:
        head: The head.
        name: Before the name of each of its arrays.
        dtype: Of the weights; half precision serves all but heads whose figures were taken at full length.
    """
    at = f"{name}." if name else ""
    arrays: dict[str, Any] = {
        f"{at}format": np.array(FORMAT),
        f"{at}labels": np.array(head.labels),
        f"{at}weights": head.weights.astype(dtype),
        f"{at}bias": head.bias.astype(np.promote_types(dtype, np.float32)),
        f"{at}temperature": np.array(head.temperature),
        f"{at}many": np.array(head.many),
        f"{at}doubt": np.array(head.doubt),
        f"{at}fitted_on": np.array(head.fitted_on),
    }
    if head.centre is not None and head.scale is not None:
        arrays |= {f"{at}centre": head.centre.astype(np.float32), f"{at}scale": head.scale.astype(np.float32)}
    if head.vocabulary:
        arrays[f"{at}vocabulary"] = np.array(head.vocabulary)
    return arrays


def unpacked(stored: Mapping[str, Any], name: str = "") -> Head:
    """The head that `packed` made, from an opened file. Raises `KeyError` for one that is not there."""
    at = f"{name}." if name else ""

    def wide(part: str) -> Floats:
        return np.asarray(stored[f"{at}{part}"], dtype=np.float64)

    scaled = f"{at}centre" in stored
    return Head(
        tuple(map(str, stored[f"{at}labels"])),
        wide("weights"),
        wide("bias"),
        wide("centre") if scaled else None,
        wide("scale") if scaled else None,
        float(stored[f"{at}temperature"]),
        bool(stored[f"{at}many"]),
        float(stored[f"{at}doubt"]),
        str(stored[f"{at}fitted_on"]),
        tuple(map(str, stored[f"{at}vocabulary"])) if f"{at}vocabulary" in stored else (),
    )


def save(path: Path, **heads: Head) -> None:
    """Writes heads under their names into one file, without pickled objects."""
    arrays: dict[str, Any] = {}
    for name, head in heads.items():
        arrays |= packed(head, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **arrays)


@lru_cache(maxsize=64)
def load(place: str, name: str) -> Head:
    """A head that the package carries.

    Args:
        place: File inside the package, such as 'gap/weights/stances.npz'.
        name: The head's name in it.

    Raises:
        UnreadableFile: the file is missing from the installation or holds no such head.
    """
    try:
        # Many heads lie in one file: only the arrays of the one that is asked for are unfolded.
        with as_file(files("maieutic").joinpath(place)) as path, np.load(path, allow_pickle=False) as stored:
            return unpacked(stored, name)
    except (FileNotFoundError, KeyError, ValueError) as error:
        raise UnreadableFile(
            f"the head {name!r} cannot be read from {place} ({type(error).__name__}: {error}); install maieutic again, "
            f"or run recipes/fit.py {name}"
        ) from error


@lru_cache(maxsize=16)
def load_network(kind: type[_One], place: str, name: str) -> _One:
    """A network that the package carries, by its file inside the package and its name in it."""
    return unpacked_network(kind, stored_arrays(place), name)


def stored_arrays(place: str) -> dict[str, Any]:
    """Every array of a file inside the package, by name."""
    with as_file(files("maieutic").joinpath(place)) as path:
        return arrays_in(path)


def arrays_in(path: Path) -> dict[str, Any]:
    """Every array of a file by name; pickled objects are refused."""
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


@dataclass(frozen=True, slots=True)
class Networks:
    """Networks with one layer of rectified units, whose probabilities are averaged: (d,) → (k,).

    Attributes:
        hidden: (n, h, d) weights of the units of each network. hidden_bias: (n, h).
        out: (n, k, h) weights of the classes. out_bias: (n, k).
    """

    hidden: Floats
    hidden_bias: Floats
    out: Floats
    out_bias: Floats

    def __call__(self, features: Floats) -> Floats:
        """Probability of each class for one row."""
        units = np.maximum(0.0, self.hidden @ features + self.hidden_bias)
        score = np.einsum("nkh,nh->nk", self.out, units) + self.out_bias
        return np.asarray(np.mean(shares(score), axis=0), dtype=np.float64)


_One = TypeVar("_One")


def packed_network(network: Any, name: str, dtype: type = np.float64) -> dict[str, Any]:
    """A network (a dataclass of arrays) as named arrays, beside those of `maieutic.reading.head.packed`."""
    parts = {one.name: np.asarray(getattr(network, one.name)) for one in fields(network)}
    return {
        f"{name}.{part}": value.astype(dtype) if value.dtype.kind == "f" else value for part, value in parts.items()
    }


def unpacked_network(kind: type[_One], stored: Mapping[str, Any], name: str) -> _One:
    """The network that `packed_network` made. Raises `KeyError` for one that is not there."""
    parts = {one.name: np.asarray(stored[f"{name}.{one.name}"]) for one in fields(kind)}  # type: ignore[arg-type]
    return kind(
        **{part: value.astype(np.float64) if value.dtype.kind == "f" else value for part, value in parts.items()}
    )

"""Small networks for what a straight line does not tell apart, stored like heads and loaded like them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np

from maieutic.reading.head import Floats, shares


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

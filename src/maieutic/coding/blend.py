"""Joins the word-gram head and the encoder's head of one code book into calibrated probabilities."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maieutic.reading.head import shares


@dataclass(frozen=True, slots=True)
class Blend:
    """A softmax over a weighted sum of two sets of log probabilities; fitted on out-of-fold scores.

    Attributes:
        labels: Label ids, in the order of the columns.
        linear: Weight of the word-gram head's log probabilities.
        encoder: Weight of the encoder's log probabilities; 0 where the encoder has no such head.
        bias: Added score by label.
        doubt: Below this highest probability the coder abstains.
    """

    labels: tuple[str, ...]
    linear: float
    encoder: float
    bias: tuple[float, ...]
    doubt: float = 0.0

    def probabilities(
        self, linear: NDArray[np.float64], encoder: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Calibrated probabilities, (n, labels), from log probabilities of the same shape; rows sum to one."""
        total = self.linear * linear + np.array(self.bias)
        if encoder is not None:
            total = total + self.encoder * encoder
        return shares(total)

    def table(self) -> dict[str, Any]:
        """The numbers as plain JSON."""
        return asdict(self)

    @classmethod
    def of(cls, table: dict[str, Any]) -> Blend:
        """The blend that `table` wrote."""
        return cls(tuple(table["labels"]), table["linear"], table["encoder"], tuple(table["bias"]), table["doubt"])


def fit_blend(
    labels: tuple[str, ...],
    linear: NDArray[np.float64],
    encoder: NDArray[np.float64] | None,
    truth: NDArray[np.int64],
    *,
    rare_weight: float,
    pull: float = 1e-3,
) -> Blend:
    """The blend that minimises the class-weighted log loss.

    Args:
        labels: Label ids.
        linear: Log probabilities of the word-gram head, (n, labels), out of fold.
        encoder: Those of the encoder, or None.
        truth: Label numbers, (n,).
        rare_weight: Power of the inverse label share that weighs a row: 0 none, 1 balanced. Above 0, probabilities lean
            to rare labels a little, and macro-F1 gains.
        pull: Strength of the pull of weights and bias to (0.5, 0.5, 0).
    """
    from scipy.optimize import minimize

    share = np.bincount(truth, minlength=len(labels)) / len(truth) * len(labels)
    weight = np.maximum(share, 1e-6)[truth] ** -rare_weight
    weight /= weight.mean()
    start = np.array([0.5, 0.5 if encoder is not None else 0.0, *([0.0] * len(labels))])
    other = encoder if encoder is not None else np.zeros_like(linear)
    rows = np.arange(len(truth))

    def loss(numbers: NDArray[np.float64]) -> float:
        total = numbers[0] * linear + numbers[1] * other + numbers[2:]
        total = total - total.max(axis=1, keepdims=True)
        missed = np.log(np.exp(total).sum(axis=1)) - total[rows, truth]
        return float((weight * missed).mean() + pull * ((numbers - start) ** 2).sum())

    found = minimize(loss, start, method="L-BFGS-B").x
    return Blend(labels, float(found[0]), float(found[1]) if encoder is not None else 0.0, tuple(map(float, found[2:])))

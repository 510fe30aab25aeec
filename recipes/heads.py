"""How heads are fitted, calibrated and joined: the package only reads them (`maieutic.reading.head`, `maieutic.coding.head_coder`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.head_coder import Blend
from maieutic.reading.bag import grams
from maieutic.reading.head import Floats, Head, shares

MIN_TEXTS = 3
"""Texts that hold a word or pair before it is known."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a head is fitted; the same on every fold.

    Attributes:
        penalty: Inverse strength of the L2 penalty (`C` of scikit-learn).
        balanced: Rare labels weigh as much as common ones.
        scaled: Features are centred and divided by their spread first.
        light: How many features at the end weigh less once scaled, and how much of their weight they keep.
        many: Labels do not exclude each other: `y` is (n, k) of 0 and 1, and −1 where a label is undecided.
        doubt: See `Head`.
    """

    penalty: float = 1.0
    balanced: bool = True
    scaled: bool = False
    light: tuple[int, float] = (0, 1.0)
    many: bool = False
    doubt: float = 0.0


def fit(
    x: Floats,
    y: Sequence[str] | Floats,
    labels: Sequence[str],
    settings: Settings,
    *,
    weights: Floats | None = None,
    fitted_on: str = "",
) -> Head:
    """Fits a head by L2-penalised logistic regression (scikit-learn; deterministic).

    Args:
        x: (n, d) features.
        y: n labels; with `many`, an (n, k) array of 0, 1 and −1 in the order of `labels`; −1 rows are left out of a
            label.
        labels: Every label, in the order the head shall have them.
        settings: How.
        weights: (n,) weight of each row, or None.
        fitted_on: See `Head`.
    """
    from sklearn.linear_model import LogisticRegression

    centre = scale = None
    if settings.scaled:
        centre, scale = x.mean(axis=0), x.std(axis=0)
        scale[scale < 1e-6] = 1.0
        if settings.light[0]:
            scale[-settings.light[0] :] /= settings.light[1]
        x = (x - centre) / scale

    def one(target: Any, known: Any = slice(None)) -> Any:
        model = LogisticRegression(
            C=settings.penalty, max_iter=2_000, class_weight="balanced" if settings.balanced else None
        )
        return model.fit(x[known], target[known], sample_weight=None if weights is None else weights[known])

    if settings.many:
        fitted = [one(column, column >= 0) for column in np.asarray(y).T]
        slopes, bias = np.concatenate([m.coef_ for m in fitted]), np.concatenate([m.intercept_ for m in fitted])
    else:
        model = one(np.array(y))
        coefficients, intercepts = model.coef_, model.intercept_
        if len(model.classes_) == 2:  # scikit-learn keeps the second class alone
            coefficients, intercepts = (
                np.vstack([-coefficients, coefficients]) / 2,
                np.hstack([-intercepts, intercepts]) / 2,
            )
        order = [list(model.classes_).index(label) for label in labels]
        slopes, bias = coefficients[order], intercepts[order]
    return Head(
        tuple(labels),
        slopes.astype(np.float64),
        bias.astype(np.float64),
        centre,
        scale,
        many=settings.many,
        doubt=settings.doubt,
        fitted_on=fitted_on,
    )


def calibrated(head: Head, scores: Floats, truth: NDArray[np.int64]) -> Head:
    """The head with the temperature that makes out-of-fold scores likeliest (Guo et al. 2017).

    Args:
        head: The head.
        scores: (n, k) out-of-fold scores.
        truth: (n,) places of the true labels; with `many`, (n, k) of 0, 1 and −1 for undecided.
    """
    from scipy.optimize import minimize_scalar

    def missed(log_temperature: float) -> float:
        chances = np.clip(shares(scores / np.exp(log_temperature), many=head.many), 1e-9, 1 - 1e-9)
        if head.many:
            return float(-np.mean(np.where(truth == 1, np.log(chances), np.log(1 - chances))[truth >= 0]))
        return float(-np.mean(np.log(chances[np.arange(len(truth)), truth])))

    return replace(head, temperature=float(np.exp(minimize_scalar(missed, bounds=(-3.0, 3.0), method="bounded").x)))


def evened(head: Head, scores: Floats, truth: NDArray[np.int64]) -> Head:
    """The head with each label's bias moved so that it counts from 0.5 where its F1 is best out of fold.

    Args:
        head: A calibrated head whose labels may be many.
        scores: (n, k) out-of-fold scores.
        truth: (n, k) of 0, 1 and −1 for undecided.
    """

    def best(column: Floats, marks: NDArray[np.int64]) -> float:
        tried = np.quantile(column, np.linspace(0.3, 0.995, 140))
        hits = np.array(
            [[((column >= t) & (marks == 1)).sum(), (column >= t).sum() + (marks == 1).sum()] for t in tried]
        )
        return float(tried[int((hits[:, 0] / hits[:, 1]).argmax())])

    said = [truth[:, at] >= 0 for at in range(len(head.labels))]
    limits = np.array([best(scores[known, at], truth[known, at]) for at, known in enumerate(said)])
    return replace(head, bias=head.bias - limits)


def expected_calibration_error(chances: Floats, truth: NDArray[np.int64], bins: int = 10) -> float:
    """Mean distance between confidence and accuracy over equal-width bins (Naeini et al. 2015), 0 to 1."""
    best, sure = chances.argmax(axis=1), chances.max(axis=1)
    right = best == truth
    place = np.minimum((sure * bins).astype(int), bins - 1)
    parts = [np.sum(place == b) * abs(float(right[place == b].mean() - sure[place == b].mean())) for b in set(place)]
    return float(sum(parts) / len(truth))


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


def vocabulary_of(texts: Iterable[Iterable[str]], fewest: int = MIN_TEXTS) -> tuple[str, ...]:
    """Words and pairs that at least `fewest` texts hold, in order; a text is given as its parts."""
    count = Counter(gram for parts in texts for gram in frozenset[str]().union(*map(grams, parts)))
    return tuple(sorted(gram for gram, n in count.items() if n >= fewest))


@lru_cache(maxsize=16)
def places(vocabulary: tuple[str, ...]) -> Mapping[str, int]:
    """Place of each known word or pair among the features of `bag`."""
    return {gram: at for at, gram in enumerate(vocabulary)}

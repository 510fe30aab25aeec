"""The figures that `train_coder.py` reports: macro-F1 with intervals by group, and calibration."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured out of fold for one head; F1 in [0, 1]; the interval is 95 %, by bootstrap over groups."""

    name: str
    utterances: int
    groups: int
    macro_f1: float
    low: float
    high: float
    by_seed: list[float]
    majority: float
    by_label: dict[str, float]
    calibration_error: float
    abstaining: float
    macro_f1_when_sure: float

    def line(self) -> str:
        """One line for the terminal."""
        labels = ", ".join(f"{label} {value:.3f}" for label, value in self.by_label.items())
        return (
            f"{self.name}: macro-F1 {self.macro_f1:.3f} [{self.low:.3f}, {self.high:.3f}] (majority "
            f"{self.majority:.3f}; {self.utterances} utterances, {self.groups} groups); calibration error "
            f"{self.calibration_error:.3f}; abstaining on {self.abstaining:.3f} leaves {self.macro_f1_when_sure:.3f}\n"
            f"  by label: {labels}"
        )

    def table(self) -> dict[str, Any]:
        """All numbers, rounded to four places."""

        def rounded(value: Any) -> Any:
            if isinstance(value, float):
                return round(value, 4)
            if isinstance(value, dict):
                return {key: rounded(inner) for key, inner in value.items()}
            return [rounded(inner) for inner in value] if isinstance(value, list) else value

        return {key: rounded(value) for key, value in asdict(self).items()}


def counts(gold: Flags, given: Flags) -> NDArray[np.int64]:
    """True positives, false positives and false negatives by label: (3, labels)."""
    truth, claim = gold.astype(bool), given.astype(bool)
    return np.array([(truth & claim).sum(0), (~truth & claim).sum(0), (truth & ~claim).sum(0)])


def f1(count: NDArray[np.int64]) -> NDArray[np.float64]:
    """F1 from (…, 3, labels) counts; 0 where a label neither occurs nor is given."""
    hit, false, missed = count[..., 0, :], count[..., 1, :], count[..., 2, :]
    return np.asarray(2 * hit / np.maximum(2 * hit + false + missed, 1))


def macro_f1(gold: Flags, given: Flags) -> float:
    """Mean F1 over labels of (n, labels) flags."""
    return float(f1(counts(gold, given)).mean())


def bootstrap(gold: Flags, given: Flags, groups: Flags, draws: int = 2000) -> tuple[float, float]:
    """95 % interval of the macro-F1, averaged over repeats, under resampling of whole groups.

    Args:
        gold: (n, labels).
        given: (repeats, n, labels).
        groups: (n,) group of each row.
        draws: Number of resamples.
    """
    names = sorted(set(groups))
    table = np.array([[counts(gold[groups == name], one[groups == name]) for one in given] for name in names])
    rng = np.random.default_rng(0)
    values = []
    for _ in range(draws):
        times = np.bincount(rng.integers(len(names), size=len(names)), minlength=len(names))
        values.append(f1(np.tensordot(times, table, axes=1)).mean())
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def expected_calibration_error(gold: Flags, table: NDArray[np.float64], multi_label: bool, bins: int = 10) -> float:
    """Mean gap between probability and hit rate, over bins: of every label, or of the likeliest one."""
    if multi_label:
        claimed, right = table.ravel(), gold.ravel().astype(float)
    else:
        claimed, right = table.max(1), (gold.argmax(1) == table.argmax(1)).astype(float)
    place = np.minimum((claimed * bins).astype(int), bins - 1)
    return float(
        sum(abs(claimed[place == b].mean() - right[place == b].mean()) * (place == b).mean() for b in set(place))
    )


def temperature(scores: NDArray[np.float64], gold: NDArray[np.int64]) -> float:
    """The slope that minimises the log loss of softmax(slope * scores)."""
    from scipy.optimize import minimize_scalar

    def loss(log_slope: float) -> float:
        logits = np.exp(log_slope) * scores
        logits = logits - logits.max(1, keepdims=True)
        return float(np.mean(np.log(np.exp(logits).sum(1)) - logits[np.arange(len(gold)), gold]))

    return float(np.exp(minimize_scalar(loss, bounds=(-3, 3), method="bounded").x))


def platt(scores: NDArray[np.float64], gold: Flags) -> tuple[float, float]:
    """Slope and offset, shared by all labels, that minimise the log loss of logistic(slope * score + offset)."""
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=1e6).fit(scores.reshape(-1, 1), gold.reshape(-1))
    return float(fitted.coef_[0, 0]), float(fitted.intercept_[0])

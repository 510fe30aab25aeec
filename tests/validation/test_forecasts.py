"""Scores of forecasts: examples worked by hand, and what must hold of any forecasts."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from maieutic.validation.forecasts import FLOOR, _placed, intervals, perfect_band, top1

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def scores(p: Floats, y: Ints, bins: int = 10) -> dict[str, float]:
    """Every score by name, as `intervals` has it at the middle."""
    found = intervals(p, y, range(len(y)), rng=Random(0), bins=bins, draws=1)
    return {name: float(value.estimate or 0.0) for name, value in found.items()}


def one(name: str) -> Callable[..., float]:
    """One of the scores."""
    return lambda p, y, bins=10: scores(p, y, bins=bins)[name]


brier, ece, log_score, entropy = map(one, ("brier", "ece", "log score", "entropy"))
P = np.array([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2], [0.1, 0.0, 0.9], [0.6, 0.3, 0.1]])
Y = np.array([0, 1, 1, 0])


def calibrated(n: int, k: int, seed: int) -> tuple[Floats, Ints]:
    """Forecasts whose truth is drawn from them."""
    source = np.random.default_rng(seed)
    p = source.dirichlet(np.ones(k), size=n)
    y = (p.cumsum(axis=1) < source.random((n, 1))).sum(axis=1).clip(max=k - 1)
    return p, y


@st.composite
def forecasts(draw: st.DrawFn) -> tuple[Floats, Ints]:
    """Any forecasts, whole numbers of parts in each row so that ties are common."""
    k, n = draw(st.integers(1, 5)), draw(st.integers(1, 30))
    parts = np.array(draw(st.lists(st.lists(st.integers(0, 6), min_size=k, max_size=k), min_size=n, max_size=n)))
    parts[parts.sum(axis=1) == 0] = 1
    y = draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n))
    return parts / parts.sum(axis=1, keepdims=True), np.array(y)


def test_the_log_score_by_hand_and_its_floor() -> None:
    assert log_score(P, Y) == pytest.approx(-(math.log(0.7) + math.log(0.3) + math.log(FLOOR) + math.log(0.6)) / 4)
    assert log_score([[0.0, 1.0]], [1]) == 0.0


def test_the_brier_score_by_hand() -> None:
    # 0.09 + 0.04 + 0.01, 0.25 + 0.49 + 0.04, 0.01 + 1 + 0.81, 0.16 + 0.09 + 0.01
    assert brier(P, Y) == pytest.approx((0.14 + 0.78 + 1.82 + 0.26) / 4)
    assert brier([[0.0, 1.0]], [0]) == 2.0


def test_top_hypothesis_and_ties_by_hand() -> None:
    assert top1(P, Y) == 0.5
    assert top1([[0.4, 0.4, 0.2]], [0]) == top1([[0.4, 0.4, 0.2]], [1]) == 0.5
    assert top1([[0.4, 0.4, 0.2]], [2]) == 0.0
    assert top1(np.full((8, 4), 0.25), [0] * 8) == 0.25


def test_entropy_by_hand() -> None:
    assert entropy([[0.5, 0.5, 0.0]], [0]) == pytest.approx(math.log(2))
    assert entropy([[1.0, 0.0], [0.5, 0.5]], [0, 0]) == pytest.approx(math.log(2) / 2)


def test_calibration_error_by_hand_in_two_bins() -> None:
    # Confidences 0.5, 0.6 | 0.7, 0.9 with hits 0, 1 | 1, 0: gaps 0.05 and 0.3, half of the rows each.
    assert ece(P, Y, bins=2) == pytest.approx((0.05 + 0.30) / 2)
    # A row a bin: |0.5 − 0|, |0.6 − 1|, |0.7 − 1|, |0.9 − 0|.
    assert ece(P, Y) == pytest.approx((0.5 + 0.4 + 0.3 + 0.9) / 4)


def test_the_parts_of_the_brier_score_by_hand_in_two_bins() -> None:
    parts = scores(P, Y, bins=2)
    assert parts["reliability"] == pytest.approx((0.05**2 + 0.3**2) / 2)
    assert parts["resolution"] == pytest.approx(0.0)  # half of the rows hit in each bin and overall
    assert parts["uncertainty"] == pytest.approx(0.25)
    # Of confidence within a bin, variance less twice the covariance with the hit: 0.0025 − 0.05, 0.01 + 0.1.
    whole = parts["reliability"] - parts["resolution"] + parts["uncertainty"] + (0.0025 - 0.05 + 0.01 + 0.1) / 2
    assert whole == pytest.approx((0.25 + 0.16 + 0.09 + 0.81) / 4)


def test_bins_hold_equal_numbers_and_equal_confidences_share_one() -> None:
    p = np.array([[c, 1.0 - c] for c in (0.6, 0.6, 0.6, 0.8)])
    assert ece(p, [0, 0, 1, 0], bins=4) == pytest.approx((3 * abs(0.6 - 2 / 3) + 0.2) / 4)
    sure = np.linspace(0.51, 0.99, 100)
    y = np.tile([0, 1], 50)
    gaps = [abs(sure[at : at + 10].mean() - 0.5) for at in range(0, 100, 10)]
    assert ece(np.column_stack([sure, 1 - sure]), y) == pytest.approx(np.mean(gaps))


@given(forecasts(), st.integers(1, 12))
def test_the_parts_add_up_whatever_the_bins(given_: tuple[Floats, Ints], bins: int) -> None:
    p, y = given_
    parts, sure = scores(p, y, bins=bins), p.max(axis=1)
    hit = np.array([top1([row], [true]) for row, true in zip(p, y, strict=True)])
    place = _placed(sure, bins)[1]
    same = [np.flatnonzero(place == at) for at in set(place)]
    within = sum(((sure[b] - sure[b].mean()) * (sure[b] - sure[b].mean() - 2 * hit[b])).sum() for b in same) / len(y)
    whole = float((hit * (1 - sure) ** 2 + (1 - hit) * sure**2).mean())
    assert whole == pytest.approx(parts["reliability"] - parts["resolution"] + parts["uncertainty"] + within)


@given(forecasts())
def test_with_one_bin_for_each_confidence_murphys_three_parts_are_the_whole(given_: tuple[Floats, Ints]) -> None:
    p, y = given_
    parts = scores(p, y, bins=10_000)  # so many bins that only equal confidences share one
    sure = p.max(axis=1)
    hit = np.array([top1([row], [true]) for row, true in zip(p, y, strict=True)])
    whole = float((hit * (1 - sure) ** 2 + (1 - hit) * sure**2).mean())
    assert whole == pytest.approx(parts["reliability"] - parts["resolution"] + parts["uncertainty"])
    assert 0.0 <= parts["resolution"] <= parts["uncertainty"] + 1e-12
    if p.shape[1] == 2:
        assert brier(p, y) == pytest.approx(2.0 * whole)


@given(forecasts(), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_hypotheses_does_not_matter(given_: tuple[Floats, Ints], rng: Random) -> None:
    p, y = given_
    rows = np.array(rng.sample(range(len(y)), len(y)))
    columns = np.array(rng.sample(range(p.shape[1]), p.shape[1]))
    q, z = p[rows][:, columns], np.argsort(columns)[y[rows]]
    assert scores(q, z) == pytest.approx(scores(p, y))


@given(forecasts())
def test_scores_keep_their_ranges(given_: tuple[Floats, Ints]) -> None:
    p, y = given_
    assert 0.0 <= log_score(p, y) <= -math.log(FLOOR)
    assert 0.0 <= brier(p, y) <= 2.0
    assert 0.0 <= ece(p, y) <= 1.0
    assert 0.0 <= top1(p, y) <= 1.0
    assert -1e-12 <= entropy(p, y) <= math.log(p.shape[1]) + 1e-12


def test_proper_scores_are_best_for_the_truth() -> None:
    p, y = calibrated(4000, 3, seed=1)
    for other in (p**2 / (p**2).sum(axis=1, keepdims=True), 0.5 * p + 0.5 / 3):
        assert log_score(p, y) < log_score(other, y)
        assert brier(p, y) < brier(other, y)


def test_a_calibrated_forecaster_lies_in_the_band_and_an_overconfident_one_does_not() -> None:
    inside = 0
    for seed in range(40):
        p, y = calibrated(400, 4, seed)
        band = perfect_band(p, rng=Random(seed), draws=400)
        assert band.low is not None and band.high is not None and band.estimate is not None
        assert 0.0 < band.low < band.estimate < band.high
        inside += band.low <= ece(p, y) <= band.high
    assert inside >= 35
    sharp = p**4 / (p**4).sum(axis=1, keepdims=True)
    band = perfect_band(sharp, rng=Random(0), draws=400)
    assert band.high is not None and ece(sharp, y) > 2 * band.high


def test_the_band_narrows_with_rows_and_is_the_same_for_the_same_generator() -> None:
    few, many = calibrated(100, 3, 0)[0], calibrated(10_000, 3, 0)[0]
    wide, narrow = (perfect_band(p, rng=Random(3), draws=300) for p in (few, many))
    assert wide.low is not None and narrow.high is not None and narrow.high < wide.low
    assert perfect_band(few, rng=Random(3), draws=300) == wide


def test_rows_that_share_their_luck_count_as_one() -> None:
    few = calibrated(40, 3, 0)[0]
    often, luck = np.repeat(few, 20, axis=0), [case for case in range(40) for _ in range(20)]
    alone, shared, once = (
        perfect_band(p, rng=Random(3), luck=of, draws=400) for p, of in ((often, None), (often, luck), (few, None))
    )
    assert alone.estimate is not None and shared.estimate is not None and once.estimate is not None
    assert shared.estimate == pytest.approx(once.estimate, rel=0.1) and shared.estimate > 2 * alone.estimate
    each = perfect_band(few, rng=Random(3), luck=range(40), draws=400)  # the same truths, drawn in another way
    assert each.estimate == pytest.approx(once.estimate, rel=0.1)
    tied = perfect_band(np.full((200, 4), 0.25), rng=Random(0), luck=[0] * 200, draws=50)
    assert tied.high == pytest.approx(0.0)


def test_the_band_of_tied_forecasts_is_that_of_their_hits() -> None:
    certain = perfect_band(np.eye(3)[[0, 1, 2]], rng=Random(0), draws=50)
    assert certain.estimate == certain.high == 0.0
    tied = np.full((200, 4), 0.25)  # any truth is hit to a quarter: no forecaster is off
    assert perfect_band(tied, rng=Random(0), draws=50).high == pytest.approx(0.0)
    assert ece(tied, [3] * 200) == pytest.approx(0.0)


def test_intervals_hold_the_scores_and_draw_whole_groups() -> None:
    p, y = calibrated(300, 3, seed=2)
    groups = [f"case-{n // 10}" for n in range(300)]
    found = intervals(p, y, groups, rng=Random(0), draws=200)
    assert found["brier"].estimate == pytest.approx(((p - np.eye(3)[y]) ** 2).sum(axis=1).mean())
    assert found["log score"].estimate == pytest.approx(-np.log(p[np.arange(300), y]).mean())
    assert found["entropy"].estimate == pytest.approx(-(p * np.log(p)).sum(axis=1).mean())
    assert found["top-1"].estimate == pytest.approx((p.argmax(axis=1) == y).mean())
    assert {value.n for value in found.values()} == {30}
    assert all(v.low is not None and v.high is not None and v.low < v.high for v in found.values())
    assert intervals(p, y, groups, rng=Random(0), draws=200) == found
    # The same thirty rows ten times over, each in the group of the first: no more is known than from the thirty.
    again = intervals(np.repeat(p[:30], 10, axis=0), np.repeat(y[:30], 10), np.repeat(np.arange(30), 10).tolist(), rng=Random(0), draws=200)  # fmt: skip
    alone = intervals(p[:30], y[:30], list(range(30)), rng=Random(0), draws=200)
    assert (again["brier"].low, again["brier"].high) == pytest.approx((alone["brier"].low, alone["brier"].high))
    assert intervals(p, y, ["one"] * 300, rng=Random(0), draws=200)["brier"].low is None


@pytest.mark.parametrize(
    ("p", "y", "message"),
    [
        ([[0.5, 0.4]], [0], "sum to 1"),
        ([[1.5, -0.5]], [0], "non-negative"),
        ([[math.nan, 1.0]], [0], "non-negative"),
        ([0.5, 0.5], [0], "must be"),
        (np.empty((0, 3)), [], "at least one row"),
        ([[0.5, 0.5]], [2], "0 … 1"),
        ([[0.5, 0.5]], [-1], "0 … 1"),
        ([[0.5, 0.5]], [0, 1], "one integer"),
        ([[0.5, 0.5]], [0.0], "one integer"),
    ],
)
def test_what_is_no_set_of_forecasts_is_refused(p: Floats, y: Ints, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        brier(p, y)


def test_groups_must_name_every_row() -> None:
    with pytest.raises(ValueError, match="one label"):
        intervals(P, Y, ["a"], rng=Random(0))

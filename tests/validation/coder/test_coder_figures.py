"""The figures of the coder: worked examples, agreement with scikit-learn, and intervals that know about groups."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maieutic.validation.coder import figures as fig
from maieutic.validation.coder.evidence import fleiss


def flags(places: list[int], labels: int) -> fig.Flags:
    return np.array([[at == place for at in range(labels)] for place in places])


def test_macro_f1_of_a_worked_example() -> None:
    gold, said = flags([0, 0, 1, 1, 2], 3), flags([0, 1, 1, 1, 0], 3)
    assert fig.f1(fig.counts(gold, said)).tolist() == pytest.approx([0.5, 0.8, 0.0])
    assert fig.macro_f1(gold, said) == pytest.approx(1.3 / 3)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=4, max_size=60))
@pytest.mark.slow
def test_macro_f1_and_calibration_agree_with_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    from sklearn.metrics import f1_score

    truth, said = ([pair[at] for pair in pairs] for at in (0, 1))
    expected = f1_score(truth, said, average="macro", labels=[0, 1, 2, 3], zero_division=0)
    assert fig.macro_f1(flags(truth, 4), flags(said, 4)) == pytest.approx(expected)


def test_several_labels_are_given_where_they_reach_the_threshold_and_always_one() -> None:
    table = np.array([[[0.6, 0.5, 0.1], [0.2, 0.1, 0.3]]])
    assert fig.chosen(table, 0.5).tolist() == [[[True, True, False], [False, False, True]]]
    assert fig.chosen(table, None).tolist() == [[[True, False, False], [False, False, True]]]


def test_calibration_error_of_a_worked_example() -> None:
    def error(table: np.ndarray, *, multi_label: bool) -> float:
        return float(fig.calibration_error(fig.binned(*fig.claims(gold, table, multi_label=multi_label)).sum(0)[None]))

    gold = flags([0, 0, 0, 1], 2)
    table = np.array([[0.75, 0.25]] * 4)
    assert error(table, multi_label=False) == pytest.approx(0.0)
    always = np.array([[0.95, 0.05]] * 4)
    assert error(always, multi_label=False) == pytest.approx(0.2)
    assert error(always, multi_label=True) == pytest.approx(0.2)


def test_the_interval_takes_whole_groups() -> None:
    """Rows of one group are copies of each other: resampling rows would give an interval that is far too narrow."""
    rng = np.random.default_rng(0)
    right = rng.random(20) < 0.6
    truth = np.repeat(rng.integers(0, 2, 20), 30)
    said = np.where(np.repeat(right, 30), truth, 1 - truth)
    gold, given_flags = flags(truth.tolist(), 2), flags(said.tolist(), 2)

    def limits(groups: list[int]) -> tuple[float, float]:
        table = fig.f1_table(gold, given_flags[None], fig.places(groups))
        found = fig.interval([table], fig.mean_macro_f1, rng=random.Random(0))
        assert found.low is not None and found.high is not None
        return found.low, found.high

    by_group, by_row = limits(np.repeat(np.arange(20), 30).tolist()), limits(list(range(600)))
    assert by_group[1] - by_group[0] > 3 * (by_row[1] - by_row[0])
    assert by_group[0] < fig.macro_f1(gold, given_flags) < by_group[1]


def test_sums_by_group_do_not_depend_on_the_order_of_rows() -> None:
    rows = np.arange(12.0).reshape(6, 2)
    place = fig.places(["b", "a", "b", "c", "a", "b"])
    table = fig.by_group(rows, place)
    assert table.tolist() == [[14.0, 17.0], [10.0, 12.0], [6.0, 7.0]]


def test_one_group_has_no_interval() -> None:
    table = fig.f1_table(flags([0, 1], 2), flags([0, 1], 2)[None], fig.places(["x", "x"]))
    found = fig.interval([table], fig.mean_macro_f1, rng=random.Random(0))
    assert (found.estimate, found.low, found.high, found.n) == (1.0, None, None, 1)


def test_the_least_certain_rows_abstain() -> None:
    table = np.array([[[0.9, 0.1], [0.55, 0.45], [0.3, 0.7], [0.2, 0.8], [0.6, 0.4]]])
    assert fig.sure(table, 0.2).tolist() == [[True, False, True, True, True]]
    assert fig.sure(table, 0.0).all()


def test_calibration_fits_find_the_slope_that_made_the_data() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(4000, 3)) * 2
    chances = np.exp(0.5 * scores) / np.exp(0.5 * scores).sum(1, keepdims=True)
    gold = (chances.cumsum(1) < rng.random((4000, 1))).sum(1)
    assert fig.temperature(scores, gold) == pytest.approx(0.5, abs=0.05)
    hit = rng.random(scores.shape) < 1 / (1 + np.exp(-(0.7 * scores - 1.0)))
    assert fig.platt(scores, hit) == pytest.approx((0.7, -1.0), abs=0.06)


def test_platt_agrees_with_scikit_learn() -> None:
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(3)
    scores = rng.normal(size=(300, 2))
    gold = rng.random((300, 2)) < 1 / (1 + np.exp(-1.5 * scores))
    fitted = LogisticRegression(C=1e6).fit(scores.reshape(-1, 1), gold.reshape(-1))
    assert fig.platt(scores, gold) == pytest.approx((fitted.coef_[0, 0], fitted.intercept_[0]), abs=2e-3)


def test_kappa_of_the_published_example() -> None:
    """The worked example of Fleiss (1971) as it is commonly reprinted: 14 coders, 10 items, 5 categories, 0.210."""
    table = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    assert fleiss(table) == pytest.approx(0.210, abs=0.0005)
    assert fleiss([[1, 0], [0, 1]]) is None

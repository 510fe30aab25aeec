"""The statistics against closed forms, published worked examples and scipy."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from maieutic import stats


def test_rank_biserial_gives_the_published_effect_sizes() -> None:
    # n = 6 and 8 with U = 2, 2.5 and 0: the behavioural-activation study's printed effect sizes.
    assert [round(stats.rank_biserial(u, 6, 8), 4) for u in (2.0, 2.5, 0.0)] == [0.9167, 0.8958, 1.0]


def test_u_counts_pairs_with_ties_as_half() -> None:
    assert stats.mann_whitney_u([3, 5], [1, 3, 5]) == 0.5 + 1 + 1 + 1 + 0.5
    assert stats.auc([3, 5], [1, 3, 5]) == pytest.approx(4 / 6)
    assert stats.auc([], [1.0]) is None
    assert (stats.auc([2.0], [1.0]), stats.auc([1.0], [1.0])) == (1.0, 0.5)


@pytest.mark.parametrize("bad", [[], [math.nan], [1.0, math.nan], [math.inf], [-math.inf, 2.0]])
def test_a_rank_statistic_that_cannot_be_had_is_none(bad: list[float]) -> None:
    for groups in ((bad, [2.0, 3.0]), ([2.0, 3.0], bad), (bad, bad)):
        assert stats.auc(*groups) is None
        assert stats.mann_whitney_p(*groups) is None


def test_the_p_of_one_value_a_group_and_of_equal_values() -> None:
    assert stats.mann_whitney_p([1.0], [2.0]) == pytest.approx(1.0)
    assert stats.mann_whitney_p([1.0], [1.0]) is None


def test_what_is_adjusted_are_ps() -> None:
    assert stats.benjamini_hochberg([]) == []
    assert stats.benjamini_hochberg([0.2]) == pytest.approx([0.2])
    with pytest.raises(ValueError, match="between 0 and 1"):
        stats.benjamini_hochberg([math.nan, 0.1])


@given(st.lists(st.integers(0, 9), min_size=1, max_size=20), st.lists(st.integers(0, 9), min_size=1, max_size=20))
def test_u_and_p_agree_with_scipy(first: list[int], second: list[int]) -> None:
    expected = scipy.stats.mannwhitneyu(first, second, method="asymptotic")
    assert stats.mann_whitney_u(first, second) == pytest.approx(expected.statistic)
    if len(set(first + second)) == 1:
        assert stats.mann_whitney_p(first, second) is None
    else:
        assert stats.mann_whitney_p(first, second) == pytest.approx(expected.pvalue, abs=1e-9)


def test_auc_of_swapped_groups_adds_up_to_one() -> None:
    rng = random.Random(1)
    a, b = [rng.gauss(1, 1) for _ in range(30)], [rng.gauss(0, 1) for _ in range(20)]
    forth, back = stats.auc(a, b), stats.auc(b, a)
    assert forth is not None and back is not None
    assert forth + back == pytest.approx(1.0)


def test_weighted_auc_equals_the_auc_of_the_repeated_sample() -> None:
    values = np.array([1.0, 4.0, 2.0, 2.0, 3.0])
    first = np.array([True, True, False, False, True])
    weights = np.array([[1, 1, 1, 1, 1], [2, 0, 3, 0, 0], [0, 0, 2, 3, 0]])
    got = stats.weighted_auc(values, first, weights)
    assert got[0] == pytest.approx(stats.auc([1, 4, 3], [2, 2]))
    assert got[1] == pytest.approx(stats.auc([1, 1], [2, 2, 2]))
    assert math.isnan(got[2])


def test_bootstrap_mean_matches_the_normal_interval_for_independent_values() -> None:
    rng = random.Random(3)
    values = [rng.gauss(10, 2) for _ in range(400)]
    got = stats.bootstrap_mean(values, rng=random.Random(0))
    error = np.std(values) / math.sqrt(len(values))
    assert got.estimate == pytest.approx(np.mean(values))
    assert got.low is not None and got.high is not None
    assert got.low == pytest.approx(np.mean(values) - 1.96 * error, abs=0.05)
    assert got.high == pytest.approx(np.mean(values) + 1.96 * error, abs=0.05)
    assert got.n == 400


def test_clusters_widen_the_interval_by_the_known_factor() -> None:
    # Ten equal copies of each of 50 values carry the information of 50 values, not of 500.
    rng = random.Random(4)
    units = [rng.gauss(0, 1) for _ in range(50)]
    copies = [value for value in units for _ in range(10)]
    labels = [unit for unit in range(50) for _ in range(10)]
    alone = stats.bootstrap_mean(copies, rng=random.Random(0), draws=4000)
    grouped = stats.bootstrap_mean(copies, clusters=labels, rng=random.Random(0), draws=4000)
    assert alone.low is not None and alone.high is not None
    assert grouped.low is not None and grouped.high is not None
    assert (grouped.high - grouped.low) / (alone.high - alone.low) == pytest.approx(math.sqrt(10), rel=0.1)
    assert grouped.n == 50


def test_coverage_of_the_bootstrap_interval_is_near_what_it_says() -> None:
    rng = random.Random(5)
    hits = 0
    for trial in range(200):
        got = stats.bootstrap_mean([rng.gauss(0, 1) for _ in range(40)], rng=random.Random(trial), draws=400)
        assert got.low is not None and got.high is not None
        hits += got.low <= 0 <= got.high
    assert 0.88 <= hits / 200 <= 0.99


def test_same_seed_same_interval_and_other_seed_other_interval() -> None:
    values = [1.07, 5.31, 2.0, 8.9, 3.53, 4.4, 6.17, 0.3]
    assert stats.bootstrap_mean(values, rng=random.Random(7)) == stats.bootstrap_mean(values, rng=random.Random(7))
    assert stats.bootstrap_mean(values, rng=random.Random(7)) != stats.bootstrap_mean(values, rng=random.Random(8))


def test_nothing_and_one_cluster_give_none_not_zero() -> None:
    assert stats.bootstrap_mean([], rng=random.Random(0)) == stats.Interval(None, None, None, 0)
    one = stats.bootstrap_mean([1.0, 3.0], clusters=["a", "a"], rng=random.Random(0))
    assert one == stats.Interval(2.0, None, None, 1)
    assert not one.excludes(0.0)
    with pytest.raises(ValueError, match="one label"):
        stats.bootstrap_mean([1.0, 3.0], clusters=["a"], rng=random.Random(0))


def test_bootstrap_statistic_of_the_median_encloses_it() -> None:
    items = [float(i) for i in range(101)]
    got = stats.bootstrap_statistic(items, lambda chosen: float(np.median(chosen)), rng=random.Random(0), draws=500)
    assert got.estimate == 50.0
    assert got.low is not None and got.high is not None
    # The order-statistic interval of the median of 101 values runs from about the 41st to the 61st.
    assert 35 < got.low < 46 and 54 < got.high < 66
    none = stats.bootstrap_statistic(items, lambda chosen: None, rng=random.Random(0), draws=10)
    assert none == stats.Interval(None, None, None, 101)


def test_paired_difference_uses_shared_keys_and_students_interval_over_clusters() -> None:
    a = {(f"c{n}", seed): 5.0 + n + seed for n in range(6) for seed in (0, 1)} | {("c9", 0): 100.0}
    b = {(f"c{n}", seed): 4.0 + (n % 3) + seed for n in range(6) for seed in (0, 1) if (n, seed) != (5, 1)}
    got = stats.paired_difference(a, b, clusters=lambda key: key[0])  # type: ignore[index]
    gaps = [1.0 + n - n % 3 for n in range(6)]
    expected = scipy.stats.ttest_1samp(gaps, 0.0).confidence_interval()
    assert (got.estimate, got.n) == (pytest.approx(np.mean(gaps)), 6)
    assert (got.low, got.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_a_few_cases_get_an_estimate_and_no_interval() -> None:
    """Of five cases that all differ by the same a bootstrap says [2, 2]."""
    few = {f"c{n}": 2.0 for n in range(stats.MIN_CASES - 1)}
    got = stats.paired_difference(few, dict.fromkeys(few, 0.0))
    assert got == stats.Interval(2.0, None, None, 5) and not got.excludes(0.0)
    few["more"] = 3.0
    assert stats.paired_difference(few, dict.fromkeys(few, 0.0)).low is not None


def test_students_interval_holds_the_mean_of_normal_differences_in_95_of_100_studies() -> None:
    rng, hits = np.random.default_rng(0), 0
    for size in (6, 10, 20):
        for _ in range(1000):
            found = stats.student_mean(list(rng.normal(3.0, 5.0, size)))
            hits += found.low is not None and found.high is not None and found.low <= 3.0 <= found.high
    assert hits / 3000 == pytest.approx(0.95, abs=0.01)


def test_wilson_gives_newcombes_worked_examples() -> None:
    # Newcombe 1998, table I, method 3: 81/263, 15/148, 0/20, 1/29.
    for successes, total, low, high in [
        (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)
    ]:  # fmt: skip
        got = stats.wilson(successes, total)
        assert got.low == pytest.approx(low, abs=5e-5)
        assert got.high == pytest.approx(high, abs=5e-5)
    assert stats.wilson(0, 0).estimate is None


def test_benjamini_hochberg_rejects_four_in_the_authors_example() -> None:
    # Benjamini & Hochberg 1995, section 3.2: fifteen p-values; at 0.05 the first four are rejected, Holm rejects three.
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
         0.7590, 1.0]  # fmt: skip
    q = stats.benjamini_hochberg(p)
    assert sum(value <= 0.05 for value in q) == 4
    assert q[3] == pytest.approx(0.0095 * 15 / 4)
    assert sum(value <= 0.05 for value in stats.holm(p)) == 3


@given(st.lists(st.floats(0, 1), max_size=15))
def test_adjusted_p_agree_with_scipy_and_keep_the_order(p: list[float]) -> None:
    q = stats.benjamini_hochberg(p)
    if p:
        assert q == pytest.approx(list(scipy.stats.false_discovery_control(p)))
    assert all(adjusted >= raw for adjusted, raw in zip(stats.holm(p), p, strict=True))
    assert all(h >= b - 1e-12 for h, b in zip(stats.holm(p), q, strict=True))


def test_percentile_bounds_refuse_when_most_draws_failed() -> None:
    assert stats.percentile_bounds(np.array([np.nan, np.nan, np.nan, 1.0])) == (None, None)

"""The paired difference, what it could have shown and how many cases it takes, against scipy and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from maieutic.comparing.compare import cases_needed, detectable, paired

FIRST = {(f"c{n}", seed): float(10 + n + seed) for n in range(8) for seed in (0, 1)}
SECOND = {key: value + (2.0 if int(key[0][1]) % 2 else 3.5) for key, value in FIRST.items()}


def test_the_interval_and_p_are_students_on_the_differences_of_cases() -> None:
    found = paired(FIRST, SECOND)
    gaps = [2.0 if n % 2 else 3.5 for n in range(8)]
    expected = scipy.stats.ttest_1samp(gaps, 0.0)
    low, high = expected.confidence_interval()
    assert found.estimate == pytest.approx(2.75)
    assert (found.low, found.high, found.p) == pytest.approx((low, high, expected.pvalue))
    assert (found.cases, found.pairs) == (8, 16)


def test_only_what_both_have_is_paired() -> None:
    fewer = {key: value for key, value in SECOND.items() if key[0] != "c0" and key != ("c1", 1)}
    found = paired(FIRST, fewer)
    assert (found.cases, found.pairs) == (7, 13)


def test_sessions_without_seeds_are_paired_by_the_means_of_cases() -> None:
    people = {("c0", 0): 20.0, ("c0", 1): 22.0, ("c1", 0): 30.0}
    found = paired({("c0", 7): 10.0, ("c1", 9): 11.0}, people, by_case=True)
    assert found.estimate == pytest.approx((11.0 + 19.0) / 2)
    assert found.cases == found.pairs == 2


def test_one_case_gives_no_interval_and_no_p() -> None:
    found = paired({("c", 0): 1.0}, {("c", 0): 2.0})
    assert (found.estimate, found.low, found.p) == (1.0, None, None)


def test_equal_arms_give_a_difference_of_zero_that_is_no_finding() -> None:
    found = paired(FIRST, FIRST)
    assert (found.estimate, found.low, found.high, found.p) == (0.0, 0.0, 0.0, 1.0)
    assert detectable(found.sd, 8) is None and cases_needed(found.sd, 8, 1.0) is None


def test_nothing_shared_gives_nothing() -> None:
    assert paired({("a", 0): 1.0}, {("b", 0): 1.0}).estimate is None


@pytest.mark.slow
def test_the_detectable_difference_is_found_with_a_power_of_four_fifths() -> None:
    """Over pilots of this size, since the spread that it is made of is itself an estimate."""
    size, sd, rng, found = 12, 3.0, np.random.default_rng(0), 0
    for _ in range(4000):
        gap = detectable(float(rng.normal(0.0, sd, size).std(ddof=1)), size)
        assert gap is not None
        found += scipy.stats.ttest_1samp(rng.normal(gap, sd, size), 0.0).pvalue < 0.05
    assert found / 4000 == pytest.approx(0.8, abs=0.02)


def test_the_number_of_cases_counts_that_the_spread_is_an_estimate() -> None:
    known = cases_needed(3.0, 10_000, 2.0)
    few = cases_needed(3.0, 6, 2.0)
    assert known == pytest.approx(20, abs=1)  # the textbook's number for 2/3 of a standard deviation
    assert few is not None and known is not None and few > known


def test_a_difference_that_takes_more_than_a_hundred_thousand_cases_has_no_number() -> None:
    assert cases_needed(10.0, 10, 0.001) is None

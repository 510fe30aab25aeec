"""The quick form of the error counts: what is wrong too often, or found too seldom, shows here before the long run does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from compare_error import false_differences, found_at_printed, lower_limit
from ratings_error import null_boards, swiss_against_all
from swiss_recorded import likeness

pytestmark = pytest.mark.slow


def test_equal_runs_are_told_apart_no_more_often_than_they_may() -> None:
    found = false_differences(100, seed=500)
    assert lower_limit(found["family"], 100) <= 0.05
    assert lower_limit(found["one"], 100) <= 0.05


def test_a_planted_difference_is_found_at_the_printed_number_of_cases() -> None:
    assert found_at_printed(60)["power"] >= 0.7  # 0.8, less two standard errors of 60


def test_boards_of_equals_are_cut_no_more_often_than_they_may() -> None:
    found = null_boards(64, seed=9)
    assert lower_limit(found["all"], 64) <= 0.05 and lower_limit(found["swiss"], 64) <= 0.05


def test_swiss_has_the_tiers_of_all_against_all_for_two_fifths_of_the_sessions() -> None:
    found = swiss_against_all(8)
    assert found["share"] <= 0.4 and found["alike"] >= 0.7


def test_tiers_are_alike_finer_coarser_or_of_another_order() -> None:
    whole = (("a",), ("b", "c"))
    assert likeness((("a",), ("c", "b")), whole) == "alike"
    assert likeness((("a",), ("b",), ("c",)), whole) == "finer"
    assert likeness((("a", "b", "c"),), whole) == "coarser"
    assert likeness((("a", "b"), ("c",)), whole) == "other"
    assert likeness((("b",), ("a",), ("c",)), whole) == "other"

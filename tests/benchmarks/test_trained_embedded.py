"""The trained packaged model: whom it is measured with, the sign of a difference, and when it would be shipped."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from benchmark_modules import benchmark
from maieutic.library import get_case

trained_embedded = benchmark("trained_embedded")


def test_it_is_measured_with_test_cases_that_stand_in_arm_means() -> None:
    cases = [get_case(name) for name in trained_embedded.test_cases()]
    assert len({case.id for case in cases}) == trained_embedded.CASES
    assert {(case.split, case.special) for case in cases} == {("test", None)}


def test_a_difference_is_turned_with_its_interval(tmp_path: Path) -> None:
    row = {"first": "model", "second": "wide", "estimate": 2.0, "low": 0.5, "high": 3.5, "cases": 12, "pairs": 12}
    (tmp_path / "tables").mkdir()
    pl.DataFrame([row]).write_parquet(tmp_path / "tables" / "differences.parquet")
    same = trained_embedded.beyond(tmp_path, "model", "wide")
    turned = trained_embedded.beyond(tmp_path, "wide", "model")
    assert same == {"estimate": 2.0, "low": 0.5, "high": 3.5, "cases": 12}
    assert turned == {"estimate": -2.0, "low": -3.5, "high": -0.5, "cases": 12}
    with pytest.raises(LookupError):
        trained_embedded.beyond(tmp_path, "model", "warm")


@pytest.mark.parametrize(
    ("low", "size", "goes"), [(0.1, 1_500_000, True), (0.1, 1_500_001, False), (0.0, 1, False), (None, 1, False)]
)
def test_the_decision_of_the_plan(low: float | None, size: int, goes: bool) -> None:
    assert trained_embedded.shipped({"low": low}, size) is goes

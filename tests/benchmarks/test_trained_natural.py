"""Turns in natural words: what they were taught on, what a session repeats, and a model's favourite lines as a script."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from benchmark_modules import benchmark
from maieutic.library import get_case
from maieutic.runs.files import read_lines

lines = benchmark("favourite_lines")  # the other one takes its helpers from it
natural = benchmark("trained_natural")


def test_every_turn_is_short_and_no_case_is_kept_for_testing_or_in_both_files() -> None:
    taught, held = read_lines(natural.TAUGHT), read_lines(natural.HELD)
    cases = [row["case"] for row in (*taught, *held)]
    assert (len(taught), len(held), len(set(cases))) == (32, 6, 38)
    assert {(get_case(name).split, get_case(name).special) for name in cases} == {("dev", None)}
    for row in (*taught, *held):
        said = [m["content"] for m in row["messages"] if m["role"] == "assistant"]
        assert len(said) == 20 and max(len(text.split()) for text in said) <= 25
        assert len({natural.question_of(text) for text in said}) >= 15


def test_it_is_measured_with_all_test_cases_that_stand_in_arm_means() -> None:
    found = [get_case(name) for name in natural.regular()]
    assert len(found) == 23 and {(case.split, case.special) for case in found} == {("test", None)}


def test_what_a_session_repeats_is_counted() -> None:
    said = ["Sad. What happened?", "So. What  happened?", "Well.", "No one no one no one came. Why?"]
    found = natural.habits([said, ["What happened?"]])
    assert found["turns"] == 5 and found["question_again"] == pytest.approx(0.2)
    assert found["no_question"] == pytest.approx(0.2) and found["thrice"] == 0.0
    assert natural.says_thrice("I see you I see you I see you.")
    assert natural.favourites([said]) == ["What happened?", "Why?"]


def test_the_script_says_the_questions_that_are_stored_or_those_beside_a_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said = lines._lines()
    assert len(said) == natural.LINES and all(line.endswith("?") for line in said)
    assert lines.make().name == "favourites"
    (tmp_path / "lines.json").write_text('["What else?"]')
    monkeypatch.setenv(lines.LINES_FILE, str(tmp_path / "lines.json"))
    assert lines._lines.__wrapped__() == ("What else?",)


def test_a_difference_is_turned_with_its_interval(tmp_path: Path) -> None:
    row = {"first": "model", "second": "wide", "estimate": 2.0, "low": 0.5, "high": 3.5, "cases": 12, "pairs": 12}
    (tmp_path / "tables").mkdir()
    pl.DataFrame([row]).write_parquet(tmp_path / "tables" / "differences.parquet")
    same = natural.beyond(tmp_path, "model", "wide")
    turned = natural.beyond(tmp_path, "wide", "model")
    assert same == {"estimate": 2.0, "low": 0.5, "high": 3.5, "cases": 12}
    assert turned == {"estimate": -2.0, "low": -3.5, "high": -0.5, "cases": 12}
    with pytest.raises(LookupError):
        natural.beyond(tmp_path, "model", "warm")

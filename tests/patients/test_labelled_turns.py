"""The labelled turns that comprehension was calibrated on, and those it is judged by: size, labels, frames, no overlap."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from maieutic.domain.case import Case
from maieutic.language.sentences import content_words, words
from maieutic.library import case_ids
from maieutic.runs.files import files_of_lines, read_lines

ROOT = Path(__file__).parents[2]
CALIBRATION = files_of_lines(ROOT / "recipes" / "data", "comprehension_*.jsonl")
HELD_OUT = files_of_lines(ROOT / "src" / "maieutic" / "validation" / "data", "comprehension_heldout_*.jsonl")
KINDS = {"fitting", "two", "leading", "near", "generic", "wide", "other_life", "advice", "pile", "told"}


def read(paths: list[Path]) -> list[dict[str, Any]]:
    return [row for path in paths for row in read_lines(path)]


def frame(row: dict[str, Any], case: Case) -> str:
    """The turn with every word of the situation's facts blanked out."""
    situation = next(s for s in case.situations if s.id == row["situation"])
    matter = frozenset().union(
        *(content_words(t) for e in situation.evidence for t in (e.fact, *e.said, *e.topics, *e.asks))
    )
    return " ".join("_" if w in matter else w for w in words(row["text"]))


def test_there_are_enough_of_each_kind() -> None:
    calibration, held_out = read(CALIBRATION), read(HELD_OUT)
    assert len(calibration) >= 1500
    assert len(held_out) >= 200
    assert set(Counter(r["kind"] for r in calibration)) == KINDS
    assert {r["kind"] for r in held_out} >= {"fitting", "advice", "pile", "other_life", "generic", "near"}


@pytest.mark.parametrize(("paths", "split"), [(CALIBRATION, "dev"), (HELD_OUT, "test")])
def test_labels_name_facts_of_cases_of_the_split(paths: list[Path], split: str, cases: dict[str, Case]) -> None:
    for row in read(paths):
        case = cases[row["case"]]
        assert case.split == split
        situation = next(s for s in case.situations if s.id == row["situation"])
        assert row["kind"] in KINDS
        if row["kind"] in ("fitting", "two", "leading"):
            assert row["fact"] in {e.id for e in situation.evidence}
        else:
            assert row["fact"] is None


def test_no_frame_comes_more_than_three_times(cases: dict[str, Case]) -> None:
    asked = [r for r in read(CALIBRATION) if r["kind"] != "pile"]
    frames = Counter(frame(row, cases[row["case"]]) for row in asked)
    assert frames.most_common(1)[0][1] <= 3, frames.most_common(3)


def test_held_out_turns_and_cases_took_no_part(cases: dict[str, Case]) -> None:
    seen = {row["text"].lower() for row in read(CALIBRATION)}
    assert not [row for row in read(HELD_OUT) if row["text"].lower() in seen]
    assert {row["case"] for row in read(HELD_OUT)} <= set(case_ids("test"))
    frames = {frame(row, cases[row["case"]]) for row in read(CALIBRATION)}
    again = [r for r in read(HELD_OUT) if r["kind"] != "pile" and frame(r, cases[r["case"]]) in frames]
    assert len(again) <= 0.01 * len(read(HELD_OUT)), again


def test_turns_later_in_a_talk_aim_at_facts_of_development_cases(cases: dict[str, Case]) -> None:
    talks = read([ROOT / "recipes" / "data" / "reach_turns.jsonl"])
    assert Counter(one["hand"] for one in talks) == {"short": 8, "long": 8, "assistant": 8}
    for one in talks:
        case = cases[one["case"]]
        assert case.split == "dev"
        facts = {fact.id for fact in case.situation(one["situation"]).evidence}
        for turn in one["turns"]:
            assert turn["kind"] in KINDS
            assert (turn.get("fact") in facts) if turn["kind"] == "fitting" else "fact" not in turn

"""What is read off sessions with minimal pairs, on sessions whose answer is known beforehand."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmark_modules import benchmark
from maieutic.domain.episode import EpisodeKey, Turn
from maieutic.library import get_case

PAIRS = benchmark("pairs")


def played(arm: str, twin: str, end: float, *, trace: dict[str, Any] | None = None) -> Any:
    """A session that begins at 84 and ends there; warranted is 82 in the true life and 28 in the other."""
    mind = {"distress": 60.0, "openness": 0.5, "left": False}
    said = (Turn("therapist", "Go on.", trace=trace),)
    return SimpleNamespace(
        key=EpisodeKey(arm, twin, 1),
        failed=False,
        states=(SimpleNamespace(held=84.0, **mind), SimpleNamespace(held=end, **mind)),
        provenance={"warranted": 82.0 if twin.endswith("true") else 28.0},
        session=SimpleNamespace(by=lambda _: said),
    )


def test_a_true_thought_taken_away_and_a_distorted_one_that_falls_are_told_apart() -> None:
    sure, unsure = (
        {"step": "coping", "belief": {"may be accurate": 0.9}},
        {"step": "against", "belief": {"may be accurate": 0.2}},
    )
    episodes = [
        one
        for number in range(6)
        for one in (
            played("no_session", f"p{number}-true", 84.0),
            played("no_session", f"p{number}-distorted", 84.0),
            played("socratic", f"p{number}-true", 83.0, trace=sure),
            played("socratic", f"p{number}-distorted", 54.0, trace=unsure),
            played("blind", f"p{number}-true", 64.0, trace={"step": "question 3"}),
            played("blind", f"p{number}-distorted", 64.0),
        )
    ]
    found = PAIRS.table(episodes)
    assert found["blind"]["true twins taken away, beyond no session"] == [1.0, 0.61, 1.0, 6]
    assert found["socratic"]["true twins taken away, beyond no session"] == [0.0, 0.0, 0.39, 6]
    assert found["blind"]["distorted − true, within pair"] == [0.0, 0.0, 0.0, 6]
    assert found["socratic"]["true twins taken away, share"] == [0.0, 0.0, 0.39, 6]
    assert found["socratic"]["fall of distorted twins"] == [30.0, 30.0, 30.0, 6]
    assert found["socratic"]["distorted − true, within pair"] == [29.0, 29.0, 29.0, 6]
    assert found["socratic"]["coping or validation, true"][0] == 1.0
    assert found["socratic"]["coping or validation, distorted"][0] == 0.0
    assert found["socratic"]["tells twins apart at its last turn, AUC"] == 1.0
    assert found["socratic"]["the true twin is held likelier, share of twins that meet"] == [1.0, 0.61, 1.0, 6]
    assert "coping or validation, true" not in found["blind"]
    assert "socratic" in PAIRS.lines(found)
    assert json.loads(PAIRS.written(found)) == found
    assert '"fall of distorted twins": [30.0, 30.0, 30.0, 6],' in PAIRS.written(found)


def test_read_again_a_result_names_the_commit_that_was_played(tmp_path: Path) -> None:
    first = PAIRS.made(tmp_path, again=False)
    assert first["commit"]
    (tmp_path / "made.json").write_text(json.dumps({"date": "2026-01-01", "commit": "abc"}), encoding="utf-8")
    assert PAIRS.made(tmp_path, again=True) == {"date": "2026-01-01", "commit": "abc"}
    assert PAIRS.made(tmp_path / "bare", again=True)["commit"] == "not noted"


def test_readers_are_right_where_they_say_what_the_file_says() -> None:
    rows = [
        {"read": read, "case": f"p-{side}", "true": says}
        for read, side, says in (
            ("opening", "true", True),
            ("opening", "distorted", False),
            ("facts", "true", True),
            ("facts", "true", True),
            ("facts", "distorted", False),
            ("facts", "distorted", True),
        )
    ]
    found = PAIRS.marked(rows)
    assert found["right from the opening"][0::3] == [1.0, 1], "one word a pair"
    assert found["right from the facts"][0] == 0.75
    assert found["two readers of the facts agree"][0] == 0.5


def test_to_the_one_sided_arm_no_thought_is_accurate() -> None:
    twin = get_case("third-chair-true")
    told = PAIRS.one_sided().informed(case=twin, state=None)
    assert twin.situations[0].accurate
    assert not told.case.situations[0].accurate


@pytest.mark.parametrize(
    ("case", "parts"), [("third-chair-true", ("third-chair", "true")), ("a-b-distorted", ("a-b", "distorted"))]
)
def test_a_twin_is_named_by_its_pair_and_side(case: str, parts: tuple[str, str]) -> None:
    assert PAIRS.pair_and_side(case) == parts

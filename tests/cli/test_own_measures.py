"""A measure in a file of the user's is scored by `evaluate` and by `rescore` where it is named, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import maieutic
from maieutic import registry

MINE = """
from maieutic import Score


def zebra_share(episode):
    return Score("zebra_share", 1.0, "share")
"""


def forget() -> None:
    registry._makers["measure"].pop("zebra_share", None)


@pytest.fixture
def spec(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    yield f"{tmp_path / 'mine.py'}:zebra_share"
    forget()


def test_a_measure_in_a_file_is_scored_where_it_is_named(spec: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    arms = ("--therapist", "advice", "--therapist", "no_session", "--cases", "gethin", "--seeds", "1", "--turns", "2")
    steps = (
        (("evaluate", *arms, "--out", str(run), "--measure", spec), True),
        (("rescore", str(run)), False),
        (("rescore", str(run), "--measure", spec), True),
    )
    for words, shown in steps:
        done = maieutic(*words)
        assert done.returncode == 0, done.stderr
        assert ("zebra share" in (run / "report.html").read_text(encoding="utf-8")) is shown
        assert ("since not named again: zebra_share" in " ".join(done.stdout.split())) is (
            words[-1] == str(run) and words[0] == "rescore"
        )
        forget()


def test_a_measure_that_fails_costs_its_own_figure_and_is_told_with_file_and_line(spec: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def zebra_share(episode):\n    return episode.turns\n", encoding="utf-8")
    arms = ("--therapist", "advice", "--therapist", "no_session", "--cases", "gethin", "--seeds", "1", "--turns", "2")
    done = maieutic("evaluate", *arms, "--out", str(tmp_path / "run"), "--measure", spec)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    told = " ".join(done.stdout.split())
    assert "Missing where the measure zebra_share failed: AttributeError:" in told and "(mine.py, line 2)" in told
    assert "zebra share" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "named",
    [
        'class zebra_share:\n    id, unit, hidden = "zebra_share", "share", False\n\n'
        '    def __call__(self, episode):\n        return Score(self.id, 1.0, "share")\n',
        'def zebra_share():\n    return lambda episode: Score("zebra_share", 1.0, "share")\n',
    ],
    ids=["a class", "a maker"],
)
@pytest.mark.parametrize("registers", [False, True], ids=["", "that registers itself"])
def test_a_class_or_a_maker_is_taken_for_the_measure_that_it_makes(tmp_path: Path, named: str, registers: bool) -> None:
    itself = 'import maieutic\nmaieutic.measure("zebra_share")(zebra_share())\n' if registers else ""
    (tmp_path / "made.py").write_text(f"from maieutic import Score\n\n\n{named}{itself}", encoding="utf-8")
    try:
        found = registry.measure_of_file(f"{tmp_path / 'made.py'}:zebra_share")
        assert found(None).value == 1.0  # type: ignore[arg-type]
        assert "zebra_share" in registry.known("measure")
    finally:
        forget()


def test_the_measure_of_the_example_is_scored_as_the_guide_says() -> None:
    example = Path(__file__).parents[2] / "examples" / "02_your_own_measure.py"
    try:
        assert registry.measure_of_file(f"{example}:LongTurns").id == "long_turns"
    finally:
        registry._makers["measure"].pop("long_turns", None)

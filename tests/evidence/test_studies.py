"""A study takes the right figures from its runs, pays for a run once, and gives what is stored when it is run again."""

from __future__ import annotations

from pathlib import Path

import orjson
import polars as pl
import pytest
from typer.testing import CliRunner

from maieutic.cli.main import app
from maieutic.errors import RunFolderError, UnknownName
from maieutic.evidence import command
from maieutic.evidence.atlas import packaged
from maieutic.evidence.entry import Run, Study
from maieutic.evidence.picks import result_of

RUN = Run(name="small", command="evaluate --turns 4", seconds=1.0)
PICKS = {
    "row": {"kind": "row", "run": "small", "arm": "warm", "measure": "effect"},
    "between": {"kind": "between", "run": "small", "first": "eliza", "second": "warm", "measure": "words"},
    "effect": {"kind": "between", "run": "small", "first": "eliza", "second": "warm", "measure": "effect"},
    "over_arms": {"kind": "over arms", "run": "small", "measure": "words", "against": "effect"},
    "over_sessions": {"kind": "over sessions", "run": "small", "measure": "words", "against": "effect"},
    "over_profiles": {
        "kind": "over profiles",
        "run": "small",
        "measure": "effect",
        "other": "small",
        "against": "words",
    },
}
ARMS = {"no_session": 0.0, "eliza": 1.0, "warm": 2.0, "socratic": 5.0}


def _study(**picks) -> Study:
    figures = [{"id": name, "label": name, "unit": "", "pick": pick} for name, pick in picks.items()]
    return Study(name="tried", answers=("Q1",), question="?", runs=("small",), figures=tuple(figures))  # type: ignore[arg-type]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A finished run with four arms and five cases; the fall of an arm is its number more than the case's own."""
    folder = tmp_path / RUN.folder
    folder.mkdir()
    rows = [
        {"therapist": arm, "case": f"case{case}", "seed": 0, "group": "regular", "measure": measure, "value": value}
        for arm, fall in ARMS.items()
        for case in range(5)
        for measure, value in (
            ("conviction_change", fall + case + (0.1 * case if arm == "warm" else 0.0)),
            ("words", 10.0 - fall + 0.01 * case),
        )
    ]
    rows.append({**rows[0], "therapist": "warm", "case": "special", "group": "risk", "value": 900.0})
    pl.DataFrame(rows).write_parquet(folder / "scores.parquet")
    shown = [
        {"measure": measure, "group": arm, "value": value, "low": value - 1, "high": value + 1, "n": 5}
        for arm, fall in ARMS.items()
        for measure, value in (("effect", fall), ("words", 10.0 - fall))
    ]
    (folder / "scores.json").write_bytes(orjson.dumps(shown))
    return tmp_path


def test_figures_are_those_of_the_runs(runs: Path):
    found = result_of(_study(**PICKS), {"small": RUN}, runs, made="2026-11-23").figures
    assert (found["row"].value, found["row"].low, found["row"].high, found["row"].n) == (2.0, 1.0, 3.0, 5)
    assert found["between"].value == pytest.approx(-1.0)
    assert found["effect"].value == pytest.approx(1.2)
    assert found["effect"].n == 5
    assert found["over_arms"].value == pytest.approx(-1.0)
    assert found["over_profiles"].value == pytest.approx(-1.0)
    assert found["over_profiles"].low is None
    assert found["over_sessions"].n == 15


@pytest.mark.slow
def test_a_study_of_the_same_runs_is_the_same_to_the_last_digit(runs: Path):
    first, second = (result_of(_study(**PICKS), {"small": RUN}, runs, made="2026-11-23") for _ in range(2))
    assert first == second


def test_too_little_for_a_figure_is_missing_with_the_reason(runs: Path):
    few = {**PICKS["over_arms"], "left_out": ["eliza", "socratic"]}
    found = result_of(_study(few=few), {"small": RUN}, runs, made="2026-11-23").figures["few"]
    assert found.value is None
    assert found.reason


@pytest.mark.parametrize(
    ("pick", "said"),
    [
        ({**PICKS["row"], "arm": "warn"}, "Did you mean 'warm'"),
        ({**PICKS["row"], "measure": "effects"}, "Did you mean 'effect'"),
        ({**PICKS["between"], "second": "sokratic"}, "Did you mean 'socratic'"),
        ({**PICKS["over_arms"], "measure": "word"}, "Did you mean 'words'"),
    ],
)
def test_an_arm_or_measure_that_is_none_is_named(runs: Path, pick, said):
    with pytest.raises(UnknownName, match=said):
        result_of(_study(one=pick), {"small": RUN}, runs, made="2026-11-23")


def test_an_unfinished_run_gives_no_figure(runs: Path):
    (runs / RUN.folder / "scores.json").unlink()
    with pytest.raises(RunFolderError, match="not finished"):
        result_of(_study(**PICKS), {"small": RUN}, runs, made="2026-11-23")


def test_another_command_gets_another_run_folder():
    assert RUN.folder != Run(name="small", command="evaluate --turns 5", seconds=1.0).folder


def test_without_a_name_the_studies_are_listed():
    done = CliRunner().invoke(app, ["study"])
    assert done.exit_code == 0
    assert all(name[:20] in done.output for name in packaged().studies)


def test_a_run_that_is_there_is_not_made_again_and_a_stopped_one_goes_on(tmp_path: Path, monkeypatch, runs: Path):
    asked = []

    def played(words, check):
        asked.append(words[3:])
        return type("Done", (), {"returncode": 0})()

    monkeypatch.setattr("subprocess.run", played)
    command._made(RUN, runs)
    assert asked == []
    (runs / RUN.folder / "scores.json").unlink()
    (runs / RUN.folder / "manifest.json").write_text("{}")
    command._made(RUN, runs)
    assert asked == [["evaluate", "--resume", str(runs / RUN.folder)]]
    command._made(RUN, tmp_path / "fresh")
    assert asked[1] == ["evaluate", "--turns", "4", "--out", str(tmp_path / "fresh" / RUN.folder)]


CHEAP = [one.name for one in packaged().studies.values() if one.remade]


def test_what_is_made_again_takes_less_than_a_minute_in_all():
    atlas = packaged()
    needed = {run for name in CHEAP for run in atlas.studies[name].runs}
    assert CHEAP
    assert sum(atlas.runs[run].seconds for run in needed) < 60


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_cheap_studies_run_again_give_what_is_stored(tmp_path: Path):
    done = CliRunner().invoke(app, ["study", *CHEAP, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    for name in CHEAP:
        stored = packaged().results[name].figures
        again = orjson.loads((tmp_path / f"{name}.json").read_bytes())["figures"]
        for key, figure in stored.items():
            assert again[key]["value"] == pytest.approx(figure.value, rel=1e-6, abs=1e-9), f"{name}/{key}"

"""`maieutic validate coder` as a user meets it: exit codes, what is printed, what is left behind, refusals."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from coded_rows import keep, made_rows, table_for
from command_line import maieutic
from maieutic.cli.main import main
from maieutic.runs.findings import Finding
from maieutic.stats import Interval
from maieutic.validation.coder import datasets, stored, transfer

FILE = "annomi/AnnoMI-simple.csv"
ROWS = made_rows()


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, *words: str) -> int:
    """The command in this process and in the folder; its exit code."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["maieutic", "validate", "coder", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with made-up data, and nothing stored yet."""
    (tmp_path / "data" / "annomi").mkdir(parents=True)
    (tmp_path / "data" / FILE).write_text("x\n", encoding="utf-8")
    monkeypatch.setattr(stored, "FOLDER", tmp_path / "oof")
    monkeypatch.setattr(datasets, "gold", lambda head, data: ROWS)
    return tmp_path


def store(place: Path, skill: float) -> None:
    keep(place / "oof", "annomi_therapist", ROWS, table_for(ROWS, skill=skill), place / "data", files=[FILE])


@pytest.mark.parametrize(("skill", "word", "code"), [(9.0, "holds", 0), (0.5, "broken", 1)])
def test_the_point_estimate_decides_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: Path, skill: float, word: str, code: int
) -> None:
    store(place, skill)
    assert run(monkeypatch, place, "--data", "data", "--quick", "--out", "here") == code
    out = capsys.readouterr().out
    (line,) = [line for line in out.splitlines() if "macro-F1: " in line and "human, as known before 0.800" in line]
    assert line.startswith(word)
    assert "majority" in line and "asked ≥ 0.78" in line
    assert "point estimate" in " ".join(out.split())
    assert "recipes/train_coder.py" in out  # heads without stored figures name the command that makes them
    assert sorted(path.name for path in (place / "here").iterdir()) == ["findings.json", "report.html"]


def test_report_and_findings_hold_the_figures_and_no_text(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    store(place, 9.0)
    run(monkeypatch, place, "--data", "data", "--quick", "--out", "here")
    kept = json.loads((place / "here" / "findings.json").read_text(encoding="utf-8"))
    assert kept["kind"] == "validate coder" and kept["quick"] is True
    (line,) = [one for one in kept["findings"] if one["check"] == "annomi_therapist" and one["title"] == "macro-F1"]
    assert line["holds"] is True and line["value"]["estimate"] > 0.9
    assert {"socratic", "epitome_er", "bolt_therapist_judge"} <= set(kept["missing"])
    page = (place / "here" / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 2 and "<script" not in page
    for address in ("http://", "https://", "src=", "@import"):
        assert address not in page
    assert f"{line['value']['estimate']:.3f}" in page
    assert "demonstration sessions" in page


def test_transfers_run_unless_quick(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: Path
) -> None:
    store(place, 9.0)
    low = Finding("transfer", "somewhere else", Interval(0.4, 0.3, 0.5, 9), "AUC", "≥ 0.70", False, whole=False)
    monkeypatch.setattr(transfer, "sessions_to_code", lambda data: 5)
    monkeypatch.setattr(transfer, "packaged_transfers", lambda data, kept, *, tick: [low])
    assert run(monkeypatch, place, "--data", "data") == 1
    captured = capsys.readouterr()
    assert "broken     somewhere else: 0.400 [0.300, 0.500] AUC, asked ≥ 0.70; whole interval: no" in captured.out
    assert "5 sessions to code; writing to validation/coder" in captured.err.replace("\\", "/")


def test_other_data_is_refused_before_anything_is_computed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: Path
) -> None:
    store(place, 9.0)
    (place / "data" / FILE).write_text("y\n", encoding="utf-8")
    assert run(monkeypatch, place, "--data", "data", "--quick", "--out", "here") == 2
    err = " ".join(capsys.readouterr().err.split())
    assert "AnnoMI-simple.csv" in err and "SHA-256" in err and "Traceback" not in err
    assert not (place / "here").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--data", "nowhere"], "--data nowhere is not there"),
        (["--data", "data", "--out", "taken"], "taken is a file; --out names a folder"),
        ([], "--data"),
    ],
)
def test_bad_input_is_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: Path, words: list[str], says: str
) -> None:
    (place / "taken").write_text("a file", encoding="utf-8")
    assert run(monkeypatch, place, *words) == 2
    err = " ".join(capsys.readouterr().err.split())
    assert says in err and "Traceback" not in err


def test_the_command_explains_itself(tmp_path: Path) -> None:
    done = maieutic("validate", "coder", "--help", cwd=tmp_path)
    assert done.returncode == 0
    for word in ("--data", "--out", "--quick", "point estimate"):
        assert word in done.stdout

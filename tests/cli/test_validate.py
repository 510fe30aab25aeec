"""`maieutic validate` as a user meets it: exit codes, what is printed, what is left behind, one clear line on bad input."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from command_line import maieutic
from maieutic.cli.main import main
from maieutic.runs.findings import Finding
from maieutic.stats import Interval
from maieutic.validation import patients
from maieutic.validation.arms import ARMS, table
from maieutic.validation.patients import Evidence
from rows import rows_with

KEPT = Finding("arms", "warm [fall] beyond", Interval(0.5, 0.1, 0.9, 8), "points", "≤ 3", True)
BROKEN = Finding("leaks", "sessions with a leak", Interval(0.5, 0.1, 0.9, 8), "share", "0", False)
OPEN = Finding("flip", "resistant patients", None, "share", "0", None)
PLAIN = Finding("reality check", "log-loss", Interval(1.0, 0.9, 1.1, 8), "nats")

LINES = tuple(table(rows_with({"no_session": 0.0, "oracle": 30.0})))


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, *words: str) -> int:
    """The command in this process and in the folder; its exit code."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["maieutic", "validate", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0)


def gathering(monkeypatch: pytest.MonkeyPatch, *findings: Finding) -> list[dict[str, Any]]:
    """Let a run find what is given instead of playing; what it was asked for is kept."""
    asked: list[dict[str, Any]] = []

    def gather(size: str, **more: Any) -> Evidence:
        asked.append({"size": size, **more})
        return Evidence("quick", 1, 2, LINES, (), (), findings, (), (), dict.fromkeys(ARMS, (80.0, 79.0)))

    monkeypatch.setattr(patients, "gather", gather)
    return asked


@pytest.mark.parametrize(
    ("findings", "code"), [((KEPT, PLAIN), 0), ((KEPT, OPEN), 0), ((KEPT, BROKEN), 1), ((PLAIN,), 0)]
)
def test_the_exit_code_says_whether_a_bound_is_broken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, findings: tuple[Finding, ...], code: int
) -> None:
    gathering(monkeypatch, *findings)
    assert run(monkeypatch, tmp_path, "patients", "--quick", "--out", "here") == code
    assert sorted(p.name for p in (tmp_path / "here").iterdir()) == ["findings.json", "report.html", "rows.jsonl"]
    kept = json.loads((tmp_path / "here" / "findings.json").read_text(encoding="utf-8"))
    assert [f["title"] for f in kept["findings"]] == [f.title for f in findings]


def test_every_finding_is_printed_with_its_figure_and_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gathering(monkeypatch, KEPT, BROKEN, OPEN, PLAIN)
    run(monkeypatch, tmp_path, "patients", "--quick")
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert "holds      warm [fall] beyond: 0.5 [0.1, 0.9] points, asked ≤ 3" in lines
    assert "broken     sessions with a leak: 0.500 [0.100, 0.900] share, asked 0" in lines
    assert "not judged resistant patients: missing , asked 0" in lines
    assert "           log-loss: 1.000 [0.900, 1.100] nats" in lines
    assert "Report: validation/report.html" in out.replace("\\", "/")
    assert "not validated on humans" in " ".join(out.split())
    assert "sessions to play; writing to validation" in err


@pytest.mark.parametrize(
    ("words", "size"), [([], "default"), (["--quick"], "quick"), (["--full", "--split", "dev"], "full")]
)
def test_options_reach_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str], size: patients.Size
) -> None:
    asked = gathering(monkeypatch, KEPT)
    monkeypatch.setattr(patients, "check_inputs", lambda *_: None)
    assert (
        run(
            monkeypatch,
            tmp_path,
            "patients",
            *words,
            "--voice",
            "scripted",
            "--comprehension",
            "scripted",
            "--data",
            "there",
        )
        == 0
    )
    (call,) = asked
    split = "dev" if "--split" in words else None
    assert (call["size"], call["voice"], call["data"], call["split"]) == (size, "scripted", Path("there"), split)
    assert (call["comprehension"], call["plan"]) == ("scripted", patients.make_plan(size, split))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["patients", "--quick", "--full"], "--quick and --full exclude each other"),
        (["patients", "--split", "tset"], "Did you mean 'test'?"),
        (["patients", "--quick", "--out", "taken"], "taken is a file; --out names a folder, so choose another"),
        (["patients", "--bogus"], "--bogus"),
        (["patient"], "patient"),
    ],
)
def test_bad_input_ends_before_anything_is_played(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    monkeypatch.setattr(patients, "play", lambda *_, **__: pytest.fail("sessions were played"))
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    assert run(monkeypatch, tmp_path, *words) == 2
    err = " ".join(capsys.readouterr().err.split())
    assert says in err
    assert "Traceback" not in err
    assert [p.name for p in tmp_path.iterdir()] == ["taken"]


def test_a_wrong_data_folder_costs_nothing_that_was_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept = tmp_path / "validation" / "rows.jsonl"
    kept.parent.mkdir()
    kept.write_text("rows of an hour", encoding="utf-8")
    assert run(monkeypatch, tmp_path, "patients", "--quick", "--data", "nowhere") == 2
    assert kept.read_text(encoding="utf-8") == "rows of an hour"


def test_a_data_folder_without_the_file_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(patients, "play", lambda *_, **__: pytest.fail("sessions were played"))
    assert run(monkeypatch, tmp_path, "patients", "--quick", "--data", "nowhere") == 2
    assert "holds no annomi/AnnoMI-full.csv" in capsys.readouterr().err


def test_a_model_that_nobody_knows_ends_before_anything_is_played(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def play(*_: Any, **__: Any) -> None:
        raise AssertionError("sessions were played")

    monkeypatch.setattr(patients, "play", play)
    assert run(monkeypatch, tmp_path, "patients", "--quick", "--voice", "embeded") == 2
    assert "Did you mean 'embedded'?" in capsys.readouterr().err


def test_what_models_are_asked_for_is_counted_ahead() -> None:
    plan = patients.make_plan("quick")
    voiced = patients.EXTENTS["quick"].voiced
    heard = len(patients.reading.labelled())
    assert heard > 200
    for voice, ears, count in ((None, None, 0), ("x", None, voiced), (None, "x", heard), ("x", "x", voiced + heard)):
        assert patients.asked_of_models("quick", plan, voice=voice, comprehension=ears) == count


def test_a_place_that_cannot_be_written_is_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gathering(monkeypatch, KEPT)
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    assert run(monkeypatch, tmp_path, "patients", "--quick", "--out", "taken/below") == 2
    assert "taken" in capsys.readouterr().err


def test_the_command_explains_itself(tmp_path: Path) -> None:
    done = maieutic("validate", "patients", "--help", cwd=tmp_path)
    assert done.returncode == 0
    for word in ("--quick", "--full", "--split", "--data", "--voice", "--out", "Ends with 1 when a bound is broken"):
        assert word in done.stdout

"""`score` and `code` as a user meets them: folders, corrupt files, resume, pages, and what is said about the input."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

import command_line

TALK = (
    "Therapist: What has been on your mind since we spoke about the garden?\n"
    "Client: I feel sad about it, and my sister Annika has not called.\n"
    "Therapist: It sounds like going out there would hurt a little too much just now.\n"
    "Client: Yes, that is it, and then I think that I should just sell the place.\n"
    "Therapist: You should call an agent and get it over with.\n"
    "Client: I do not know if I want to do that, it was my father's.\n"
)

maieutic = partial(command_line.maieutic, columns=160)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        (tmp_path / "in" / f"{name}.txt").write_text(TALK, "utf-8")
    return tmp_path


@pytest.mark.slow
def test_score_does_the_rest_and_ends_with_3_when_one_file_is_corrupt(folder: Path) -> None:
    (folder / "in" / "c.csv").write_bytes(b"session,speaker,text\ns,T\n")
    done = maieutic("score", "in", "--out", "run", cwd=folder)
    assert done.returncode == 3, done.stderr
    assert "c.csv, line 2: 2 cells" in " ".join(done.stdout.split())
    assert "1 file could not be read; the rest is done" in done.stderr
    assert json.loads((folder / "run" / "manifest.json").read_text("utf-8"))["scored"] == 2
    pages = sorted((folder / "run" / "sessions").iterdir())
    assert len(pages) == 2
    report = (folder / "run" / "report.html").read_text("utf-8")
    for page in pages:
        text = page.read_text("utf-8")
        assert f"sessions/{page.name}" in report
        assert "Annika" not in text and "[NAME1]" in text
        assert "http" not in text.split("</style>")[1]


def test_code_does_the_rest_and_ends_with_3_when_one_file_is_corrupt(folder: Path) -> None:
    (folder / "in" / "c.csv").write_bytes(b"session,speaker,text\ns,T\n")
    done = maieutic("code", "in", "--scheme", "annomi", "--fast", "--out", "coded", cwd=folder)
    assert done.returncode == 3, done.stderr
    assert "c.csv" in done.stdout and "12 of 12 rows coded" in done.stdout
    again = maieutic("code", "in", "--scheme", "annomi", "--fast", "--out", "coded", "--resume", cwd=folder)
    assert "From an earlier run: 2 files" in again.stdout
    live = maieutic(
        "code", "in", "--scheme", "annomi", "--fast", "--before-only", "--out", "coded", "--resume", cwd=folder
    )
    assert "12 of 12 rows coded by embedded:fast:before-only" in live.stdout and "earlier run" not in live.stdout


BAD = {
    "dry run of no model": (["code", "in", "--scheme", "annomi", "--out", "x", "--dry-run"], "name one with --coder"),
    "fast judge": (["code", "in", "--scheme", "annomi", "--out", "x", "--coder", "scripted", "--fast"], "--fast"),
    "live judge": (
        ["code", "in", "--scheme", "annomi", "--out", "x", "--coder", "scripted", "--before-only"],
        "--before-only",
    ),
    "samples": (
        ["code", "in", "--scheme", "annomi", "--out", "x", "--coder", "scripted", "--samples", "0"],
        "--samples",
    ),
    "column": (["score", "in", "--column", "who=x"], "--column expects KEY=NAME"),
    "session": (["score", "in", "--session", "zz"], "no session 'zz'"),
    "ratings": (["score", "in", "in", "--ratings", "a.csv"], "the folder of one kit"),
}


@pytest.mark.parametrize(("words", "says"), BAD.values(), ids=BAD)
def test_bad_options_are_one_clear_line(folder: Path, words: list[str], says: str) -> None:
    done = maieutic(*words, cwd=folder)
    assert done.returncode == 2, done.stderr
    assert says in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert {path.name for path in folder.iterdir()} == {"in"}


def test_a_dry_run_of_a_judge_tells_the_cost_and_writes_nothing(folder: Path) -> None:
    words = ["code", "in", "--scheme", "annomi", "--coder", "http://localhost:9/v1#none", "--out", "coded", "--dry-run"]
    done = maieutic(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "12 utterances" in done.stderr and "calls" in done.stderr
    assert {path.name for path in folder.iterdir()} == {"in"}


@pytest.mark.parametrize("command", ["score", "code"])
def test_help_has_examples(command: str, tmp_path: Path) -> None:
    done = maieutic(command, "--help", cwd=tmp_path)
    assert "Examples:" in done.stdout and done.stdout.count(f"maieutic {command} ") >= 4

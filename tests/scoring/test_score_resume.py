"""`score` loses nothing when it is stopped, goes on with the same run only, and does the rest when a file is corrupt."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from own_sessions import PUSHY, TALK, as_text, chat_line, stand_in, write_csv

from maieutic.errors import InputError, RunFolderError, StorageError
from maieutic.runs import figures
from maieutic.runs.journal import Journal
from maieutic.scoring import score as module
from maieutic.scoring.score import score_paths
from maieutic.scoring.score_run import ScoreOptions

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few bootstrap draws and no drawing."""
    monkeypatch.setattr(module, "DRAWS", 50)
    monkeypatch.setattr(figures, "drawn", lambda *chart, **size: "<svg></svg>")


def chats(path: Path, sessions: int) -> Path:
    lines = [
        chat_line(str(i), PUSHY if i % 2 else TALK, meta={"group": "low" if i % 2 else "high"}) for i in range(sessions)
    ]
    path.write_text("\n".join(lines), "utf-8")
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


class Stopper:
    """Stops the run after some sessions, and counts those that were coded."""

    def __init__(self, after: int) -> None:
        self.after = after
        self.coded: list[str] = []

    def predict(self, transcript: Any) -> Any:
        self.coded.append(transcript.id)
        return stand_in(transcript)

    def progress(self, done: int, total: int, name: str) -> None:
        if done == self.after:
            raise KeyboardInterrupt


def stopped(source: Path, out: Path, after: int = 3, options: ScoreOptions | None = None) -> list[str]:
    stopper = Stopper(after)
    with pytest.raises(KeyboardInterrupt):
        score_paths([source], out=out, options=options, predict=stopper.predict, progress=stopper.progress)
    return stopper.coded


@pytest.mark.parametrize("options", [ScoreOptions(), ScoreOptions(keep_text=True)], ids=["plain", "with text"])
def test_a_stopped_run_goes_on_and_ends_as_a_whole_one(tmp_path: Path, options: ScoreOptions) -> None:
    source = chats(tmp_path / "in.jsonl", 8)
    score_paths([source], out=tmp_path / "whole", options=options, predict=stand_in)
    before = stopped(source, tmp_path / "cut", options=options)
    again = Stopper(-1)
    score_paths([source], out=tmp_path / "cut", options=options, resume=True, predict=again.predict)
    assert before == ["0", "1", "2"] and again.coded == ["3", "4", "5", "6", "7"]
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


@pytest.mark.parametrize(("of", "step"), [(Path, "mkdir"), (Journal, "write"), (Journal, "__init__")])
def test_a_run_stopped_while_its_folder_is_made_leaves_none(
    of: type, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = chats(tmp_path / "in.jsonl", 2)
    done = getattr(of, step)

    def interrupted(*given: Any, **named: Any) -> None:
        done(*given, **named)
        raise KeyboardInterrupt

    with monkeypatch.context() as at, pytest.raises(KeyboardInterrupt):
        at.setattr(of, step, interrupted)
        score_paths([source], out=tmp_path / "run", predict=stand_in)
    assert not (tmp_path / "run").exists()


def test_a_run_for_whose_plan_the_disk_is_full_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = chats(tmp_path / "in.jsonl", 2)

    def full(journal: Journal, line: bytes) -> None:
        raise StorageError(f"cannot write to {journal.path}: the disk is full")

    with monkeypatch.context() as at, pytest.raises(StorageError, match=r"cannot write to .*the disk is full"):
        at.setattr(Journal, "write", full)
        score_paths([source], out=tmp_path / "run", predict=stand_in)
    assert not (tmp_path / "run").exists()


def test_a_run_stopped_as_it_goes_on_leaves_its_sessions_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = chats(tmp_path / "in.jsonl", 6)
    stopped(source, tmp_path / "run")
    left, begin = contents(tmp_path / "run"), Journal.__init__

    def interrupted(*given: Any, **named: Any) -> None:
        begin(*given, **named)
        raise KeyboardInterrupt

    with monkeypatch.context() as at, pytest.raises(KeyboardInterrupt):
        at.setattr(Journal, "__init__", interrupted)
        score_paths([source], out=tmp_path / "run", resume=True, predict=stand_in)
    assert left and contents(tmp_path / "run") == left


def test_a_plan_that_may_not_be_read_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, open_path = chats(tmp_path / "in.jsonl", 5), Path.open
    stopped(source, tmp_path / "run")

    def denied(path: Path, *given: Any, **named: Any) -> Any:
        if path.name == "sessions.jsonl":
            raise PermissionError(errno.EACCES, "Permission denied")
        return open_path(path, *given, **named)

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(StorageError, match=r"cannot read .*journal"):
        score_paths([source], out=tmp_path / "run", resume=True, predict=stand_in)


def test_a_line_that_a_kill_cut_off_is_done_again(tmp_path: Path) -> None:
    source = chats(tmp_path / "in.jsonl", 6)
    score_paths([source], out=tmp_path / "whole", predict=stand_in)
    stopped(source, tmp_path / "cut")
    journal = tmp_path / "cut" / "journal" / "sessions.jsonl"
    journal.write_bytes(journal.read_bytes()[:-40])
    again = Stopper(-1)
    score_paths([source], out=tmp_path / "cut", resume=True, predict=again.predict)
    assert again.coded[0] == "2"
    assert contents(tmp_path / "cut") == contents(tmp_path / "whole")


def test_a_journal_that_is_damaged_inside_is_named(tmp_path: Path) -> None:
    source = chats(tmp_path / "in.jsonl", 6)
    stopped(source, tmp_path / "cut")
    journal = tmp_path / "cut" / "journal" / "sessions.jsonl"
    journal.write_bytes(b"{broken\n" + journal.read_bytes())
    with pytest.raises(RunFolderError, match=r"sessions\.jsonl, line 1 is damaged"):
        score_paths([source], out=tmp_path / "cut", resume=True, predict=stand_in)


def test_an_unfinished_run_is_not_overwritten(tmp_path: Path) -> None:
    source = chats(tmp_path / "in.jsonl", 5)
    stopped(source, tmp_path / "run")
    left = contents(tmp_path / "run")
    with pytest.raises(RunFolderError, match="did not finish; add --resume"):
        score_paths([source], out=tmp_path / "run", predict=stand_in)
    assert contents(tmp_path / "run") == left


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("input", "in.jsonl has changed"),
        ("option", r"settings: --keep-text \(off, now on\)\."),
        ("columns", r"settings: --column \(therapist is new\)\."),
        ("measure", r"settings: --measure \(reflection_rate is new\)"),
        ("more input", "more.jsonl is new"),
    ],
)
def test_resume_is_refused_with_the_difference(tmp_path: Path, change: str, told: str) -> None:
    source = chats(tmp_path / "in.jsonl", 5)
    stopped(source, tmp_path / "run")
    before = contents(tmp_path / "run")
    options, paths = ScoreOptions(), [source]
    if change == "input":
        chats(source, 6)
    elif change == "more input":
        paths.append(chats(tmp_path / "more.jsonl", 2))
    else:
        options = {
            "option": ScoreOptions(keep_text=True),
            "columns": ScoreOptions({"therapist": "Ann"}),
            "measure": ScoreOptions(measures=("reflection_rate",)),
        }[change]
    with pytest.raises(RunFolderError, match=told):
        score_paths(paths, out=tmp_path / "run", options=options, resume=True, predict=stand_in)
    assert contents(tmp_path / "run") == before


def test_the_journal_of_a_run_without_text_holds_no_word_that_was_said(tmp_path: Path) -> None:
    source = chats(tmp_path / "in.jsonl", 40)
    stopped(source, tmp_path / "run", after=30)
    assert all(b"garden" not in content for content in contents(tmp_path / "run").values())


CORRUPT = {
    "cells": (
        b"session,speaker,text\ns,T,Hi\ns,C\n",
        "line 3: 2 cells where the header has 3; no cell for column 'text'",
    ),
    "encoding": (
        "session,speaker,text\ns,T,é\n".encode() + b"s,C,caf\xe9\n",
        "line 3: holds bytes that are not UTF-8",
    ),
    "empty id": (b"session,speaker,text\ns,T,Hi\n,C,Oh\n", "line 3: the session column 'session' is empty"),
    "columns": (b"id,who\n1,2\n", "no column for session, text"),
    "empty": (b"", "the file is empty"),
    "quote": (b'session,speaker,text\ns,T,"Hi\n', "line 2: not readable as CSV"),
}


@pytest.mark.parametrize(("content", "told"), CORRUPT.values(), ids=CORRUPT)
def test_one_corrupt_file_among_many_is_named_and_the_rest_is_done(tmp_path: Path, content: bytes, told: str) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a", "b", "d"):
        (folder / f"{name}.txt").write_text(as_text(), "utf-8")
    (folder / "c.csv").write_bytes(content)
    summary = score_paths([folder], out=tmp_path / "run", predict=stand_in)
    assert len(summary.sessions) == 3
    assert [one.name for one in summary.unread] == ["c.csv"]
    assert f"c.csv, {told}" in summary.unread[0].reason or f"c.csv: {told}" in summary.unread[0].reason
    assert json.loads((tmp_path / "run" / "manifest.json").read_text("utf-8"))["unread"][0]["name"] == "c.csv"


def test_a_line_of_json_that_is_broken_is_named_by_line_and_column(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    chats(folder / "a.jsonl", 2)
    (folder / "b.jsonl").write_text(chat_line("x") + '\n{"id": 1, "messages": [}\n', "utf-8")
    summary = score_paths([folder], out=tmp_path / "run", predict=stand_in)
    assert summary.unread == () and len(summary.sessions) == 3
    (note,) = (one for one in summary.notes if "same words" not in one)
    assert "b.jsonl: 1 line skipped (b.jsonl, line 2, column 24: not JSON" in note
    assert "1 line skipped" in (tmp_path / "run" / "report.html").read_text("utf-8")


def test_a_session_can_be_asked_for_by_its_id(tmp_path: Path) -> None:
    rows = [[s, who, text] for s in range(40) for who, text in TALK]
    source = write_csv(tmp_path / "in.csv", ["session", "speaker", "text"], rows)
    summary = score_paths([source], out=tmp_path / "run", options=ScoreOptions(sessions=("7",)), predict=stand_in)
    assert [one.session for one in summary.sessions] == ["7"]
    assert [one.file for one in summary.pages] == ["sessions/01-in-7.html"]
    with pytest.raises(InputError, match=r"no session '99' in the input; sessions of in\.csv: 0, 1, 2"):
        score_paths([source], out=tmp_path / "b", options=ScoreOptions(sessions=("99",)), predict=stand_in)
    assert not (tmp_path / "b").exists()


MEASURED = """
import resource, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from own_sessions import stand_in
from maieutic.scoring import score as module
module.DRAWS = 50
measure, kept = module.scores_of, []
def first_only(*asked):  # the measures' own time is not in question here
    kept[:] = kept or [measure(*asked)]
    return kept[0]
module.scores_of = first_only
def one(path, out):
    module.score_paths([Path(path)], out=Path(out), predict=stand_in)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(one({small!r}, {out!r} + "/a"), one({large!r}, {out!r} + "/b"))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read as Linux counts it")
@pytest.mark.timeout(900)
@pytest.mark.full
def test_the_texts_of_a_thousand_sessions_are_not_held(tmp_path: Path) -> None:
    talk = [(who, f"{text} " * 70) for who, text in TALK * 8]
    for name, count in (("small", 300), ("large", 1_000)):
        folder = tmp_path / name
        folder.mkdir()
        for number in range(count):
            (folder / f"{number}.jsonl").write_text(chat_line(str(number), talk), "utf-8")
    script = MEASURED.format(
        tests=str(HERE), small=str(tmp_path / "small"), large=str(tmp_path / "large"), out=str(tmp_path / "run")
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=800)
    small, large = map(int, done.stdout.split())
    written = sum(path.stat().st_size for path in (tmp_path / "large").iterdir()) / 1024
    assert written > 150_000  # kilobytes
    assert large < small + 60_000  # tables of 700 more sessions on their way to disk


def test_a_folder_with_other_peoples_files_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    study = tmp_path / "study"
    (study / "sessions").mkdir(parents=True)
    chats(study / "sessions" / "in.jsonl", 2)
    (study / "report.html").write_text("mine", "utf-8")
    before = contents(study)
    with pytest.raises(RunFolderError, match=r"is not empty and holds no run.* such as .*study/score"):
        score_paths([study / "sessions"], out=study, predict=stand_in)
    assert contents(study) == before
    (tmp_path / "empty").mkdir()
    score_paths([study / "sessions"], out=tmp_path / "empty", predict=stand_in)
    assert (tmp_path / "empty" / "report.html").is_file()


def test_a_run_that_was_killed_before_its_plan_was_whole_is_begun_again(tmp_path: Path) -> None:
    source, out = chats(tmp_path / "in.jsonl", 2), tmp_path / "out"
    (out / "journal").mkdir(parents=True)
    (out / "journal" / "sessions.jsonl").write_text('{"inputs": ', "utf-8")
    score_paths([source], out=out, predict=stand_in)
    assert (out / "report.html").is_file()

"""The run folder: files are whole or not there, locks hold, other runs are refused."""

from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from maieutic.dialogue import converse
from maieutic.errors import RunFolderError, StorageError
from maieutic.evaluation.folder import locked, prepare, read_manifest, usable, write_json, write_tables
from maieutic.evaluation.plan import FORMAT
from maieutic.registry import load_therapist
from maieutic.runs.files import write_whole
from talks import Speaker, make_patient, make_talk

MANIFEST = {"format": FORMAT, "kind": "evaluate", "run_seed": 0, "cases": {"a": "1"}}


def test_a_file_is_written_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    write_whole(tmp_path / "new" / "x.json", b"one")
    write_whole(tmp_path / "new" / "x.json", b"two")
    assert (tmp_path / "new" / "x.json").read_bytes() == b"two"
    assert [p.name for p in (tmp_path / "new").iterdir()] == ["x.json"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    target = tmp_path / "scores.json"
    write_whole(target, b"before")

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(*((os, "fsync", full) if step == "fsync" else (Path, "replace", full)))
    with pytest.raises(StorageError, match="the disk is full; what was there before is unchanged"):
        write_whole(target, b"after")
    assert target.read_bytes() == b"before"
    assert [p.name for p in tmp_path.iterdir()] == ["scores.json"]


def test_a_file_in_the_place_of_the_folder_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match=r"cannot write x\.json in \S+: File exists$"):  # nothing was there
        write_whole(tmp_path / "file" / "x.json", b"")
    with pytest.raises(StorageError, match="cannot write in"), locked(tmp_path / "file"):
        pass


def test_a_new_folder_is_prepared_and_taken_up_again(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "run"
    prepare(folder, MANIFEST, resume=False)
    assert read_manifest(folder) == MANIFEST
    prepare(folder, MANIFEST, resume=True)
    with pytest.raises(RunFolderError, match="go on with --resume"):
        prepare(folder, MANIFEST, resume=False)


def test_there_is_nothing_to_go_on_with_in_a_folder_without_a_run(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(RunFolderError, match="is a file; --out names a folder"):
        usable(tmp_path / "notes.txt", MANIFEST, resume=False)
    with pytest.raises(RunFolderError, match="holds no run that could go on"):
        prepare(tmp_path / "run", MANIFEST, resume=True)
    assert not (tmp_path / "run").exists()


OTHERS = [({"run_seed": 1}, "--seed"), ({"cases": {"a": "2"}}, "--cases"), ({"new": True}, "new")]


@pytest.mark.parametrize(("other", "name"), OTHERS)
def test_an_unequal_manifest_is_refused_and_says_what_differs(tmp_path: Path, other: dict[str, Any], name: str) -> None:
    prepare(tmp_path / "run", MANIFEST, resume=False)
    with pytest.raises(RunFolderError, match=rf"other settings: {name} \("):
        prepare(tmp_path / "run", {**MANIFEST, **other}, resume=True)
    assert read_manifest(tmp_path / "run") == MANIFEST


def test_a_folder_with_other_things_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.docx").write_text("mine")
    with pytest.raises(RunFolderError, match="is not empty"):
        prepare(tmp_path, MANIFEST, resume=False)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.docx"]


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (FORMAT + 1, "format .* Update maieutic"),
        ("1", "is no run folder: .* no format"),
        (None, "is no run folder: .* no format"),
    ],
)
def test_a_newer_or_unknown_format_is_refused(tmp_path: Path, found: Any, says: str) -> None:
    write_json(tmp_path / "manifest.json", {**MANIFEST, "format": found})
    with pytest.raises(RunFolderError, match=says):
        read_manifest(tmp_path)
    with pytest.raises(RunFolderError):
        prepare(tmp_path, MANIFEST, resume=True)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"7", b"\xff"])
def test_a_damaged_manifest_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(RunFolderError, match=r"manifest\.json|format"):
        read_manifest(tmp_path)


def test_no_manifest_is_no_run_folder(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="is no run folder"):
        read_manifest(tmp_path)


def test_a_folder_in_use_is_refused_and_free_again_after(tmp_path: Path) -> None:
    with locked(tmp_path / "run"):
        with pytest.raises(RunFolderError, match="in use"), locked(tmp_path / "run"):
            pass
        prepare(tmp_path / "run", MANIFEST, resume=False)
    with pytest.raises(ValueError, match="of its own"), locked(tmp_path / "run"):
        raise ValueError("of its own")
    with locked(tmp_path / "run"):
        pass


def test_tables_are_sorted_typed_and_free_of_clock_host_and_path(tmp_path: Path) -> None:
    therapists = (Speaker("z"), Speaker("a", ends_at=1), Speaker("m", breaks_at=1), load_therapist("no_session"))
    episodes = [
        asyncio.run(converse(make_talk(t, make_patient(), turns=3, seed=s), guarded=True))
        for t in therapists
        for s in (1, 0)
    ]
    write_tables(tmp_path, episodes)
    first = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    write_tables(tmp_path, episodes[::-1])
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == first
    rows = pl.read_parquet(tmp_path / "episodes.parquet")
    turns = pl.read_parquet(tmp_path / "turns.parquet")
    assert rows.select("therapist", "seed").rows() == sorted(rows.select("therapist", "seed").rows())
    keys = turns.select("therapist", "case", "seed", "turn").rows()
    assert keys == sorted(set(keys))
    closed = rows.filter(pl.col("therapist") == "a").row(0, named=True)
    assert (closed["ending"], closed["therapist_turns"], closed["calls"]) == ("completed", 2, 2)
    broken = rows.filter(pl.col("therapist") == "m").row(0, named=True)
    assert (broken["ending"], broken["reason"]) == ("failed", "ZeroDivisionError: a bug of its own")
    alone = turns.filter((pl.col("therapist") == "no_session") & (pl.col("seed") == 0))
    assert alone["held"].to_list() == [
        s.held for s in next(e for e in episodes if e.key[::2] == ("no_session", 0)).states
    ]
    spoken = turns.filter((pl.col("therapist") == "z") & (pl.col("seed") == 1))
    expected = next(e for e in episodes if e.key[::2] == ("z", 1))
    assert spoken["text"].to_list() == [t.text for t in expected.session.turns]
    assert spoken["held"].drop_nulls().to_list() == [s.held for s in expected.states]
    assert not any(str(tmp_path).encode() in data or os.uname().nodename.encode() in data for data in first.values())

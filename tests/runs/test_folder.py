"""The run folder: files are whole or not there, locks hold, other runs are refused."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from maieutic.errors import InputError, RunFolderError, StorageError
from maieutic.runs.files import write_json, write_whole
from maieutic.runs.folder import FORMAT, RunFolder, changes, drop_begun, is_anything_said, locked, read_manifest

MANIFEST = {"format": FORMAT, "kind": "evaluate", "run_seed": 0, "cases": {"a": "1"}}


def prepare(folder: Path, manifest: Mapping[str, Any], *, resume: bool) -> None:
    """A run that begins, or goes on, and ends at once."""
    with RunFolder(folder, manifest, resume=resume):
        pass


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
        RunFolder(tmp_path / "notes.txt", MANIFEST, resume=False)
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


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        (["a", "b"], ["b", "a"], "in another order"),
        (["a", "b"], ["a", "b", "b"], "b again is new"),
        (["a", "b"], ["c", "b"], "a is missing, c is new"),
        (None, True, "none, now on"),
        (None, {"rate.py:pace": "9f" * 32}, "rate.py:pace is new"),
        ({"rate.py:pace": "9f" * 32}, None, "rate.py:pace is missing"),
        ("x" * 90 + "tier one", "x" * 90 + "tier two", f"…{'x' * 15}tier one, now …{'x' * 15}tier two"),
    ],
)
def test_what_differs_is_always_seen(was: Any, now: Any, told: str) -> None:
    assert changes({"measures": was}, {"measures": now}) == [f"measures ({told})"]


def test_options_of_a_plan_are_told_by_their_own_names() -> None:
    before = {"options": {"keep_text": False, "columns": {}}}
    assert changes(before, {"options": {"keep_text": True, "columns": {}}}) == ["--keep-text (off, now on)"]


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
        with pytest.raises(RunFolderError, match="in use"):
            prepare(tmp_path / "run", MANIFEST, resume=False)
    with pytest.raises(ValueError, match="of its own"), locked(tmp_path / "run"):
        raise ValueError("of its own")
    with locked(tmp_path / "run"):
        pass


def test_a_new_folder_in_which_nothing_was_said_goes_again_on_bad_input(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with pytest.raises(InputError, match="no key"), RunFolder(run, MANIFEST, resume=False):
        (run / "journal").mkdir()
        (run / "journal" / "0001.jsonl").touch()
        raise InputError("no key")
    assert not run.exists()
    with pytest.raises(InputError, match="no key"), RunFolder(run, MANIFEST, resume=False):
        write_whole(run / "journal" / "0001.jsonl", b"{}\n")
        raise InputError("no key")
    drop_begun(run)
    assert read_manifest(run) == MANIFEST and is_anything_said(run)
    with pytest.raises(InputError), RunFolder(run, MANIFEST, resume=True):
        (run / "journal" / "0001.jsonl").write_bytes(b"")
        raise InputError("no key")
    assert read_manifest(run) == MANIFEST  # it was begun before


@pytest.mark.parametrize(
    ("beside", "goes"), [((), True), ((".DS_Store", "forks.jsonl"), True), (("notes.txt", "forks.jsonl"), False)]
)
def test_a_run_in_which_nothing_was_said_goes_with_its_empty_files_and_no_others(
    tmp_path: Path, beside: tuple[str, ...], goes: bool
) -> None:
    run = tmp_path / "run"
    prepare(run, MANIFEST, resume=False)
    for name in beside:
        (run / name).touch()
    assert not is_anything_said(run)
    drop_begun(run)
    assert run.exists() is not goes


def test_what_is_another_error_leaves_a_new_folder_to_go_on_with(tmp_path: Path) -> None:
    with pytest.raises(StorageError), RunFolder(tmp_path / "run", MANIFEST, resume=False):
        raise StorageError("full")
    prepare(tmp_path / "run", MANIFEST, resume=True)

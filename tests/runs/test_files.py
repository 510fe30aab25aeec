"""What is written is plain, whole or not there, and a kill leaves nothing in the way."""

from __future__ import annotations

import errno
import fcntl
import json
import lzma
import math
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from maieutic.errors import StorageError
from maieutic.runs.files import files_of_lines, new_folder, read_lines, staged, write_json, write_lines
from maieutic.runs.folder import locked
from maieutic.runs.journal import Journal

TOLD = "cannot write {}: {}"


class Pair(NamedTuple):
    a: int
    b: float


def test_numbers_of_numpy_are_numbers_and_what_is_not_finite_is_null(tmp_path: Path) -> None:
    table = np.array([[1.5, np.nan, 3.0], [4.0, 5.0, -np.inf]])
    found = {"f": np.float64(0.5), "i": np.int64(3), "b": np.bool_(True), "table": table, "column": table[:, 0]}
    write_json(tmp_path / "a.json", found | {"nan": math.nan, "own": np.float64("nan"), "pair": Pair(1, 2.0), 2: "two"})
    assert json.loads((tmp_path / "a.json").read_text()) == {
        "f": 0.5, "i": 3, "b": True, "table": [[1.5, None, 3.0], [4.0, 5.0, None]], "column": [1.5, 4.0],
        "nan": None, "own": None, "pair": [1, 2.0], "2": "two",
    }  # fmt: skip


def test_packed_lines_are_read_by_the_name_of_the_plain_file(tmp_path: Path) -> None:
    rows = [{"text": "a line\u2028that goes on"}, {"text": "Zoë"}]
    write_lines(tmp_path / "b_plain.jsonl", rows)
    (tmp_path / "b.jsonl.xz").write_bytes(lzma.compress((tmp_path / "b_plain.jsonl").read_bytes()))
    found = files_of_lines(tmp_path, "b*.jsonl")
    assert [path.name for path in found] == ["b.jsonl", "b_plain.jsonl"]
    assert [read_lines(path) for path in found] == [rows, rows] == [read_lines(tmp_path / "b.jsonl.xz")] * 2
    with pytest.raises(FileNotFoundError, match=r"c\.jsonl\.xz"):
        read_lines(tmp_path / "c.jsonl")


def test_what_is_no_plain_data_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="not JSON serializable: set"):
        write_json(tmp_path / "a.json", {"a": {1, 2}})
    assert not list(tmp_path.iterdir())


KILLED = """
import os, sys
from pathlib import Path
from maieutic.runs.files import new_folder
with new_folder(Path(sys.argv[1]), told="{} {}") as folder:
    (folder / "half").touch()
    os._exit(9)
"""


@pytest.mark.parametrize("is_there", [False, True])
def test_a_kill_leaves_a_new_folder_as_it_was_and_the_next_try_is_whole(tmp_path: Path, is_there: bool) -> None:
    out = tmp_path / "whole"
    if is_there:
        out.mkdir()
    assert subprocess.run([sys.executable, "-c", KILLED, str(out)], check=False).returncode == 9
    assert (tmp_path / ".whole.part" / "half").exists() and out.exists() is is_there
    assert not is_there or not list(out.iterdir())
    with new_folder(out, told=TOLD) as folder:
        (folder / "all").touch()
    assert [one.name for one in tmp_path.iterdir()] == ["whole"] and [one.name for one in out.iterdir()] == ["all"]


def test_a_folder_that_was_filled_meanwhile_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "whole"
    with pytest.raises(StorageError, match=r"cannot write .*whole: Directory not empty"), new_folder(out, told=TOLD):
        out.mkdir()
        (out / "mine").touch()
    assert [*tmp_path.rglob("*")] == [out, out / "mine"]


def fill(out: Path, **how: Any) -> None:
    with staged(out, name=".try", **how) as folder:
        for name in ("manifest.json", "b", "a", "z"):
            (folder / name).mkdir() if name != "manifest.json" else (folder / name).touch()
            if name == "b":
                (folder / name / "new").touch()


def test_what_goes_first_and_last_is_said_and_not_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved: list[str] = []
    move = Path.replace

    def noted(path: Path, target: Path) -> Path:
        moved.append(path.name)
        return move(path, target)

    monkeypatch.setattr(Path, "replace", noted)
    fill(tmp_path / "out", first=["z"])
    assert moved == ["z", "a", "b", "manifest.json"]


def test_what_is_there_is_replaced_only_where_it_is_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "b").mkdir(parents=True)
    (out / "b" / "mine").touch()
    with pytest.raises(StorageError, match="b is there already"):
        fill(out)
    assert [*out.rglob("*")] == [out / "b", out / "b" / "mine"]
    fill(out, replaces=True)
    assert [*(out / "b").iterdir()] == [out / "b" / "new"]


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EIO])
def test_a_disk_without_locks_locks_nothing_and_any_other_fault_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fails(*_: Any) -> None:
        raise OSError(number, "a fault")

    def both() -> None:
        with locked(tmp_path / "run"):
            Journal(tmp_path / "journal.jsonl").write(b"{}\n")

    monkeypatch.setattr(fcntl, "flock", fails)
    if number == errno.ENOLCK:
        both()
        assert (tmp_path / "journal.jsonl").read_bytes() == b"{}\n"
        return
    with pytest.raises(StorageError, match=r"cannot write in .*run: a fault"):
        both()
    with pytest.raises(StorageError, match=r"cannot write to .*journal\.jsonl: a fault"):
        Journal(tmp_path / "journal.jsonl")

"""Which files of a folder are to be coded, and the record of those that are done, so that a break costs one file at
most."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from maieutic.runs.files import write_whole
from maieutic.transcripts import opening

RECORD = "coded.json"


@dataclass(frozen=True, slots=True)
class Done:
    """One coded file.

    Attributes:
        name: Name of the input.
        note: What its codes depend on.
        out: Name of the coded file, relative to the folder.
        rows, coded, abstained, not_coded, sessions: As in the summary.
        learnt: The training file that it equals, or None.
        cleaned: As in the summary.
        told: What must be known of how it was read: its encoding, lines that were skipped.
    """

    name: str
    note: Mapping[str, Any]
    out: str
    rows: int
    coded: int
    abstained: int
    not_coded: Mapping[str, int]
    sessions: int
    learnt: str | None
    cleaned: Mapping[str, int] = field(default_factory=dict)
    told: Sequence[str] = ()


class FolderRecord:
    """The record that lies in an output folder: finished files and what they depend on, failed files and why."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._done: dict[str, dict[str, Any]] = {}
        self._failed: dict[str, str] = {}
        try:
            read = json.loads((folder / RECORD).read_text(encoding="utf-8"))
            self._done = dict(read["files"]) if read["format"] == 1 else {}
        except (OSError, ValueError, KeyError, TypeError):
            self._done = {}

    def finished(self, name: str, note: Mapping[str, Any]) -> Done | None:
        """The file as an earlier run left it, if it depends on the same and is still there."""
        try:
            one = Done(name=name, **self._done[name])
        except (KeyError, TypeError):
            return None
        return one if one.note == note and (self.folder / one.out).is_file() else None

    def finish(self, one: Done) -> None:
        """Notes a finished file."""
        entry = asdict(one)
        entry.pop("name")
        self._done[one.name] = entry
        self._failed.pop(one.name, None)
        self._write()

    def fail(self, name: str, reason: str) -> None:
        """Notes a file that could not be coded."""
        self._failed[name] = reason
        self._done.pop(name, None)
        self._write()

    def _write(self) -> None:
        content = {"format": 1, "files": self._done, "failed": self._failed}
        write_whole(self.folder / RECORD, json.dumps(content, ensure_ascii=False, indent=1).encode())


def inside(folder: Path, out: Path) -> list[tuple[Path, str, str]]:
    """The files and corpora below a folder, sorted, each with its name and the name of its coded file.

    Hidden files, what lies in the output folder, and JSON files that are no list are left out.
    """
    found = []
    for path in opening.inside(folder, opening.READABLE, leave_out=out.resolve()):
        name = path.relative_to(folder).as_posix()
        suffix = path.suffix.lower()
        target = name if suffix in (".csv", ".parquet") else f"{name}.convokit.csv" if path.is_dir() else f"{name}.csv"
        found.append((path, name, target))
    return found

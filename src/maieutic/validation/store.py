"""What a long validation played, on disk: a stop loses at most what is in flight, and `--resume` goes on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, fields
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from maieutic.library import case_hash, get_case
from maieutic.runs.journal import Checkpoint
from maieutic.validation.rows import Row
from maieutic.validation.units import OfCase

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


Asked = TypeVar("Asked", bound=OfCase, contravariant=True)
Seen = TypeVar("Seen", bound="DataclassInstance")


class Store(Generic[Asked, Seen]):
    """Rows of played sessions by what they were: the case with its hash, the `repr` of what was asked, the player."""

    def __init__(self, path: Path, kind: type[Seen], line: str, *, resume: bool, player: str = "") -> None:
        """Open `path`; what is there is taken over with `resume` and thrown away without. Raises `StorageError`.

        Args:
            kind: Of the rows. line: The field of a line that names them. player: What else they depend on.
        """
        self._line, self._player = line, player
        self._kept = Checkpoint(path, line, lambda entry: [_row(kind, row) for row in entry["rows"]], resume=resume)

    def get(self, asked: Asked) -> list[Seen] | None:
        """What was played of it before; None where nothing was, or where anything that plays has changed."""
        return self._kept.found.get(self._name(asked))

    def put(self, asked: Asked, rows: Sequence[Seen]) -> None:
        """Keep rows; failed sessions have none and are played again. Raises `StorageError`."""
        if rows:
            self._kept.write({self._line: self._name(asked), "rows": [asdict(row) for row in rows]})

    def _name(self, asked: Asked) -> str:
        what = f"{version('maieutic')} {self._player}{case_hash(get_case(asked.case))} {asked!r}"
        return hashlib.sha256(what.encode()).hexdigest()[:24]


def row_store(path: Path, *, resume: bool) -> Store[Any, Row]:
    """The store of `validate patients`."""
    return Store(path, Row, "task", resume=resume)


def _row(kind: type[Seen], data: dict[str, Any]) -> Seen:
    return kind(**{field.name: _frozen(data[field.name]) for field in fields(kind)})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value

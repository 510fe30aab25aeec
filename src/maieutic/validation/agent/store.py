"""Played sessions on disk while `validate agent` runs: a stop loses at most those in flight, and `--resume` goes on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, fields
from functools import lru_cache
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from maieutic.library import case_hash, get_case
from maieutic.runs.checkpoint import Checkpoint
from maieutic.validation.agent.conduct import Conduct
from maieutic.validation.agent.played import Batch

PLAYS = (
    "coding",
    "dialogue.py",
    "domain",
    "language",
    "models",
    "patients",
    "prompts",
    "safety",
    "therapists",
    "tracking",
    "validation/worlds.py",
    "validation/agent/conduct.py",
    "validation/agent/kinds.py",
    "validation/agent/played.py",
)
"""What of the package has a say in a session; cases are told apart by their own hashes."""
_READ = (".py", ".yaml", ".json", ".npz", ".md")
"""Encoders' weights are not read: the code or the facts beside them pin their hashes."""


class ConductStore:
    """Played sessions by what they were: case with its hash, arm, seed, world with its constants, and the code that
    played."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        """Open `path`; what is there is taken over with `resume` and thrown away without. Raises `StorageError`."""
        self._kept = Checkpoint(path, "session", lambda entry: [_conduct(row) for row in entry["rows"]], resume=resume)

    def get(self, batch: Batch) -> list[Conduct] | None:
        """What was played of this batch before; None where nothing was, or where anything that plays has changed."""
        return self._kept.found.get(_name(batch))

    def put(self, batch: Batch, rows: Sequence[Conduct]) -> None:
        """Keep the sessions of a batch; failed ones, which have no rows, are played again. Raises `StorageError`."""
        if not rows:
            return
        self._kept.write({"session": _name(batch), "rows": [asdict(row) for row in rows]})


def _name(batch: Batch) -> str:
    what = f"{version('maieutic')} {played_by()} {case_hash(get_case(batch.case))} {batch!r}"
    return hashlib.sha256(what.encode()).hexdigest()[:24]


@lru_cache(maxsize=1)
def played_by() -> str:
    """Hash of the code, tables, banks and prompts that play sessions: a version stands still while they change."""
    seen = hashlib.sha256()
    for part in PLAYS:
        for name, content in _contents(files("maieutic").joinpath(part), part):
            seen.update(name.encode())
            seen.update(content)
    return seen.hexdigest()[:16]


def _contents(place: Traversable, name: str) -> list[tuple[str, bytes]]:
    if place.is_file():
        return [(name, place.read_bytes())] if name.endswith(_READ) else []
    inside = sorted(place.iterdir(), key=lambda one: one.name)
    return [found for one in inside for found in _contents(one, f"{name}/{one.name}")]


def _conduct(data: dict[str, Any]) -> Conduct:
    return Conduct(**{field.name: _frozen(data[field.name]) for field in fields(Conduct)})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value

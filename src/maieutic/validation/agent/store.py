"""Played sessions on disk while `validate agent` runs: a stop loses at most those in flight, and `--resume` goes on."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from maieutic.validation.agent.conduct import Conduct
from maieutic.validation.store import Store

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
    "rivals",
    "tracking",
    "validation/worlds.py",
    "worlds.py",
    "ruptures.py",
    "validation/agent/conduct.py",
    "validation/agent/kinds.py",
    "validation/agent/played.py",
)
"""What of the package has a say in a session; cases are told apart by their own hashes."""
_READ = (".py", ".yaml", ".json", ".npz", ".md")
"""Encoders' weights are not read: the code or the facts beside them pin their hashes."""


def conduct_store(path: Path, *, resume: bool) -> Store[Any, Conduct]:
    """The store of `validate agent`: sessions are played again when the code that plays them has changed."""
    return Store(path, Conduct, "session", resume=resume, player=f"{played_by()} ")


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

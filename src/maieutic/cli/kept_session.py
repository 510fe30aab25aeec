"""The file in which a session with a simulated patient, or with a therapist, is kept: what was typed, and how it
began."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maieutic.errors import InputError, StorageError
from maieutic.runs.files import write_whole

if TYPE_CHECKING:
    from maieutic.domain.episode import Session

FORMAT = 2
FOLDER = Path("runs/chat")


def begun(whose: Mapping[str, Any]) -> dict[str, Any]:
    """A session in which nothing was said yet."""
    return {"format": FORMAT, **whose, "said": [], "ended": ""}


def read_session(file: Path, whose: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A kept session; `said` has what was typed, `messages` the transcript, `ended` why it is over.

    Args:
        file: Where it lies.
        whose: What it must have been begun with, or None.

    Raises:
        InputError: The file cannot be read, holds no session, or one that was begun otherwise.
    """
    asked = {"format": FORMAT, **(whose or dict.fromkeys(("case", "seed", "patient", "turns")))}
    try:
        held: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        found = {name: held[name] for name in asked}
        _ = held["said"], held["ended"]
    except FileNotFoundError as error:
        raise InputError(f"no such file: {file}; sessions of `maieutic chat` are kept in {FOLDER}/") from error
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise InputError(
            f"{file} holds no session of `maieutic chat`; name a file that it wrote, such as {FOLDER}/gethin-1.json"
        ) from error
    if held["format"] != FORMAT:
        raise InputError(
            f"the session in {file} was kept by another version, whose patients answer otherwise: begin another"
        )
    if whose is not None and found != asked:
        other = ", ".join(f"{name} {found[name]!r}" for name in asked if found[name] != asked[name])
        raise InputError(f"the session in {file} was begun with {other}; give the same, or another --session FILE")
    return held


def write_session(file: Path, held: dict[str, Any], session: Session) -> None:
    """Keeps a session with its transcript, which `maieutic score FILE` reads.

    Raises:
        StorageError: It cannot be kept.
    """
    said = [turn for turn in session.turns if turn.text]
    held["messages"] = [{"role": turn.speaker, "content": turn.text} for turn in said]
    try:
        write_whole(file, (json.dumps(held, ensure_ascii=False, indent=1) + "\n").encode())
    except StorageError as error:
        raise StorageError(f"the session cannot be kept: {error}") from error


def free_file(name: str) -> Path:
    """The first of 'gethin-1.json', 'gethin-2.json' … that is not there."""
    return next(file for number in count(1) if not (file := FOLDER / f"{name}-{number}.json").exists())

"""Prompt texts are `.md` files in this folder; a prompt's hash goes into the manifest."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from maieutic.errors import UnknownName

_FOLDER = Path(__file__).parent


class Prompt(NamedTuple):
    """A prompt text and the first 16 hex digits of its sha256."""

    id: str
    text: str
    hash: str


def prompt_ids() -> tuple[str, ...]:
    """Ids of the packaged prompts, sorted."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.md")))


@lru_cache(maxsize=64)
def prompt(name: str) -> Prompt:
    """Load a prompt by id. Raises `UnknownName`."""
    path = _FOLDER / f"{name}.md"
    if not path.is_file():
        raise UnknownName("prompt", name, prompt_ids())
    text = path.read_text(encoding="utf-8").strip()
    return Prompt(name, text, sha256(text.encode()).hexdigest()[:16])

"""The one sentence encoder of the battery's readers, so that a reply is encoded once however many of them read it."""

from __future__ import annotations

from functools import lru_cache

from maieutic.models.embedding import MiniLM


@lru_cache(maxsize=1)
def encoder() -> MiniLM:
    """The encoder; its weights are loaded at the first text."""
    return MiniLM()


__all__ = ["encoder"]

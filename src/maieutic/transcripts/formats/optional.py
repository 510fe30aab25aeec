"""A reader's library that a plain installation may lack: the message says what to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from maieutic.errors import UnreadableFile


@contextmanager
def needs(extra: str, name: str) -> Iterator[None]:
    """Turns a library that is not installed into what to do. Raises `UnreadableFile`."""
    try:
        yield
    except ImportError as error:
        raise UnreadableFile(
            f"{name}: files of this kind need {error.name}: pip install 'maieutic[{extra}]', or save it as .csv or .txt"
        ) from error

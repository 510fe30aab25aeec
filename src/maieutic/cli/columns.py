"""The --column and --encoding options of the commands that read transcripts: KEY=NAME pairs, checked."""

from __future__ import annotations

from typing import Annotated

import typer

_KEYS = ("session", "speaker", "text", "group", "therapist", "client")
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        help="KEY=NAME: the column that holds the session, speaker, text or group; or the speaker name of the "
        "therapist or client. Repeat for more.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(help="Encoding of texts, such as windows-1252 or utf-16. Default: UTF-8, else found out and told."),
]


def read_columns(pairs: list[str] | None, keys: tuple[str, ...] = _KEYS) -> dict[str, str]:
    """The pairs as a table. Raises `InputError` for an unknown key."""
    from maieutic.errors import InputError

    found = {}
    for pair in pairs or ():
        role, equals, name = pair.partition("=")
        if not equals or role not in keys or not name:
            raise InputError(f"--column expects KEY=NAME with KEY one of {', '.join(keys)}, got {pair!r}")
        found[role] = name
    return found

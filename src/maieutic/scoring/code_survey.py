"""Reads a table through once before it is coded: what is wrong with it, how long it is, and where its sessions end."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from maieutic.errors import UnreadableFile
from maieutic.scoring.code_layout import SPEAKERS
from maieutic.scoring.code_sources import CodeSource


@dataclass(frozen=True, slots=True)
class Survey:
    """What a first reading of a table found.

    Attributes:
        rows: Number of rows.
        sessions: Number of dialogues; rows that stand alone count each.
        cleaned: Number of rows in which each kind of markup was cleaned.
        last: Row number of the last row of every session, by hash, in a table whose sessions are interleaved; else None.
    """

    rows: int
    sessions: int
    last: Mapping[int, int] | None
    cleaned: Mapping[str, int] = field(default_factory=dict)


def survey(source: CodeSource) -> Survey:
    """Reads a table once, so that what is wrong with it shows before anything is coded.

    Raises:
        UnreadableFile: A row cannot be read, there is none, or no speaker is known.
    """
    runs, ends = array("q"), array("q")
    number, alone, known, current = 0, 0, 0, None
    unknown: dict[str, int] = {}
    cleaned: Counter[str] = Counter()
    for number, (line, row) in enumerate(source.rows(), start=1):
        said = source.read(row)
        known += said.role in SPEAKERS
        cleaned.update(said.cleaned)
        if said.role not in SPEAKERS and len(unknown) < 5:
            unknown.setdefault(said.label, line)
        if said.session is None:
            alone += 1
        elif said.session != current or not runs:
            current = said.session
            runs.append(hash(current))
            ends.append(number - 1)
        else:
            ends[-1] = number - 1
    if not number:
        raise UnreadableFile(f"{source.name} has a header but no row; expected one utterance a row")
    if not known:
        names = ", ".join(f"{label!r} (line {line})" for label, line in unknown.items())
        raise UnreadableFile(
            f"{source.name}, column {source.where!r}: none of the speakers is known as therapist or client: {names}. "
            "Name them with --column therapist=NAME and --column client=NAME"
        )
    sessions = len(set(runs))
    last = dict(zip(runs, ends, strict=True)) if sessions < len(runs) else None
    return Survey(number, sessions + alone, last, cleaned)

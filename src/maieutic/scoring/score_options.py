"""What a run of `score` was asked for, and the plan by which `--resume` knows that it goes on with the same run."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from maieutic.errors import UnreadableFile
from maieutic.transcripts.opening import Unread
from maieutic.transcripts.source import Source

SEED = 0
_PACKAGES = ("maieutic", "numpy", "polars", "phonenumbers")


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """Options of `score`.

    Attributes:
        columns: Column names by key (session, speaker, text, group) and speaker names by role (therapist, client).
        codes: Files with codes to use instead of a coder's.
        sessions: Ids of the sessions to score; empty means all.
        keep_text: Also write what was said into turns.parquet; off, since transcripts are private.
        redact: Take names, emails, phone numbers and addresses out of every copy of text that is kept.
        accurate: Use the accurate coder instead of the fast one. Over whole sessions the two give much the same rates,
            and the quality score was fitted on the fast coder's codes.
        alliance: Also compute the measures of alliance, which need sentence vectors and are slow.
        encoding: Encoding of texts that are not UTF-8; found out where it is not given.
        all_measures: Pages and the terminal also show what was not held against human codes, and what only
            motivational interviewing knows; scores-all.csv holds all of it in any case.
        measures: Measures besides, by id or `FILE.py:NAME`; pages show them.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    codes: tuple[Path, ...] = ()
    sessions: tuple[str, ...] = ()
    keep_text: bool = False
    redact: bool = True
    accurate: bool = False
    alliance: bool = False
    encoding: str | None = None
    all_measures: bool = False
    measures: tuple[str, ...] = ()

    @property
    def every(self) -> bool:
        """Whether all measures are shown; who asks for alliance wants to see it."""
        return self.all_measures or self.alliance

    @property
    def names(self) -> tuple[str, ...]:
        """Names of speakers that the user gave."""
        return tuple(self.columns[role] for role in ("therapist", "client") if role in self.columns)


def make_plan(
    sources: Sequence[Source], unread: Sequence[Unread], options: ScoreOptions, *, coder: str, measures: Sequence[str]
) -> dict[str, Any]:
    """What must be equal for a run to go on, as JSON holds it."""
    return {
        "inputs": {one.name: one.sha256 for one in sources},
        "not read": sorted(one.name for one in unread),
        "codes": {path.name: hash_file(path) for path in options.codes},
        "options": {
            "columns": dict(options.columns),
            "sessions": sorted(options.sessions),
            "keep_text": options.keep_text,
            "redact": options.redact,
            "accurate": options.accurate,
            "alliance": options.alliance,
            "encoding": options.encoding,
            "all_measures": options.all_measures,
        }
        | ({"asked": {spec: _file_hash(spec) for spec in options.measures}} if options.measures else {}),
        "coder": coder,
        "measures": list(measures),
        "seed": SEED,
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on."""
    return {"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}}


def _file_hash(spec: str) -> str:
    """Of the file that holds a measure; '' for one that is known by its id."""
    path, _, _ = spec.rpartition(":")
    return hash_file(Path(path)) if path.endswith(".py") else ""


def hash_file(path: Path) -> str:
    """The sha256 of a file, read in pieces."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UnreadableFile(f"{path.name}: cannot be opened ({error.strerror})") from error

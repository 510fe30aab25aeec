"""`read_profiles()`: a file of published profiles in, drafts of cases out; the format is told by the content."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from maieutic.errors import InvalidCase, UnknownName, UnreadableFile, why
from maieutic.importing import eeyore, patient_psi, patienthub
from maieutic.importing.draft import Imported, finish

SOURCES: Mapping[str, ModuleType] = {m.NAME: m for m in (patient_psi, eeyore, patienthub)}


def read_profiles(path: Path, source: str | None = None) -> list[Imported]:
    """The profiles of a JSON file as drafts, each with what the source does not hold.

    Args:
        path: A JSON file: a list of profiles, or one profile.
        source: 'patient_psi', 'eeyore' or 'patienthub'; None to tell it by the content.

    Raises:
        UnreadableFile: no such file, or no JSON in it.
        UnknownName: no such source.
        InvalidCase: a format that none of the importers knows, or not that of `source`.
    """
    if source is not None and source not in SOURCES:
        raise UnknownName("source", source, SOURCES)
    records = _records(path)
    names = [source] if source else list(SOURCES)
    found = next((name for name in names if SOURCES[name].fits(records[0])), None)
    if found is None:
        keys = ", ".join(sorted(map(str, records[0]))[:8])
        wanted = f"a profile of {source}" if source else f"a profile format we can read ({', '.join(SOURCES)})"
        raise InvalidCase(f"{path.name}: not {wanted}; its first profile has the keys {keys or 'none'}")
    odd = next((n for n, record in enumerate(records, 1) if not SOURCES[found].fits(record)), None)
    if odd is not None:
        raise InvalidCase(
            f"{path.name}: profile {odd} is not of the format of the first ({found}); split the file by format"
        )
    try:
        return finish(SOURCES[found].read(records), found)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InvalidCase(f"{path.name}: a {found} profile with a part of an unexpected form: {error!r}") from error


def _records(path: Path) -> Sequence[Mapping[str, Any]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise UnreadableFile(f"no file {str(path)!r} with profiles") from error
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {why(error)}") from error
    except (UnicodeDecodeError, ValueError) as error:
        raise UnreadableFile(f"{path.name} is not JSON in UTF-8: {error}") from error
    except RecursionError as error:
        raise UnreadableFile(f"{path.name} is nested too deeply to be a file of profiles") from error
    records = data if isinstance(data, list) else [data]
    if not records or not all(isinstance(record, dict) and record for record in records):
        raise InvalidCase(f"{path.name}: expected a list of profiles (JSON objects), or one profile")
    return records

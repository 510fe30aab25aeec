"""`read_profiles()`: a file of published profiles in, drafts of cases out; the format is told by the content."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from maieutic.domain.case import TODO
from maieutic.errors import InputError, InvalidCase, StorageError, UnknownName, UnreadableFile, why
from maieutic.importing import eeyore, patient_psi, patienthub
from maieutic.importing.draft import Draft, Imported, finish, marked
from maieutic.importing.filling import filled


def as_yaml(imported: Imported, *, fill: bool = False) -> str:
    """One draft as a case file: with markers where parts are missing, or with those parts filled by rule."""
    import yaml

    head = [
        f"# Imported from a {imported.source} profile ({imported.name}). Texts of the source stay under its licence."
    ]
    draft: Draft
    if fill:
        draft, named = filled(imported)
        head.append(f"# Filled by rule, not from the source ({len(named)} fields):")
        head += [f"#   {name}" for name in named]
    else:
        draft = marked(imported)
        head.append(f"# {len(imported.missing)} parts are missing; each stands below as {TODO!r} with what to write.")
    head += [f"# Note: {note}" for note in imported.notes]
    body = yaml.safe_dump(draft, sort_keys=False, allow_unicode=True, width=120)
    return "\n".join((*(line.replace("\n", " ") for line in head), body))


def write_drafts(profiles: Sequence[Imported], folder: Path, *, fill: bool = False) -> list[Path]:
    """Write `<id>.yaml` for every profile that is not refused; nothing is written when one of them cannot be.

    Raises:
        InputError: a file of that name is there already.
        InvalidCase: a filled profile is no valid case.
        StorageError: the folder cannot be written.
    """
    texts = {folder / f"{p.draft['id']}.yaml": as_yaml(p, fill=fill) for p in profiles if p.refused is None}
    taken = [path for path in texts if path.exists()]
    if taken:
        raise InputError(f"{taken[0]} is there already; move it away or choose another --out (nothing was written)")
    if not texts:
        return []
    done: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder, prefix=".import-") as half:
            for path, text in texts.items():
                (Path(half) / path.name).write_text(text, encoding="utf-8")
            for path in texts:
                (Path(half) / path.name).replace(path)
                done.append(path)
    except OSError as error:
        for path in done:
            path.unlink(missing_ok=True)
        raise StorageError(f"{folder} cannot be written: {why(error)}") from error
    return done


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

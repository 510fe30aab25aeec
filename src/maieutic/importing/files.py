"""Writes drafts as YAML: all of them or none, with a head that says what is missing or what was filled by rule."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from maieutic.domain.case import TODO
from maieutic.errors import InputError, StorageError, why
from maieutic.importing.draft import Draft, Imported, marked
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

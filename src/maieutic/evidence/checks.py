"""What can be wrong with the map: a number that drifted from its stored result, or a result from the page it stands
on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from maieutic.evidence.atlas import Atlas
from maieutic.evidence.entry import Entry, Figure, Number, Quoted
from maieutic.evidence.words import rounded

_ENTRIES = {"C": 37, "Q": 34}
"""Claims and lines of inquiry that the map must hold."""


def drifted(atlas: Atlas) -> Iterator[str]:
    """Numbers of entries that are not what is stored, and stored results that no entry or study stands for."""
    for entry in atlas.entries.values():
        for number in entry.numbers:
            yield from _drift(entry, number, atlas.figure(number))
    used = {number.at.partition("/")[0] for entry in atlas.entries.values() for number in entry.numbers}
    for name in sorted(set(atlas.results) - used):
        yield f"results/{name}.json: no entry has a number of it"
    for name in sorted(set(atlas.studies) - set(atlas.results)):
        yield f"study {name}: it has no stored result; run `maieutic study {name}` and keep {name}.json"
    for letter, count in _ENTRIES.items():
        lacking = [f"{letter}{k}" for k in range(1, count + 1) if f"{letter}{k}" not in atlas.entries]
        yield from (f"{one}: no entry" for one in lacking)


def _drift(entry: Entry, number: Number, stored: Figure) -> Iterator[str]:
    for name in ("value", "low", "high"):
        ours, theirs = getattr(number, name), getattr(stored, name)
        kept = None if theirs is None else rounded(theirs, number.decimals)
        shown = None if ours is None else rounded(ours, number.decimals)
        if kept != shown:
            yield f"{entry.id}: {name} of {number.at} is {shown}, stored is {kept}"
    if number.n != stored.n:
        yield f"{entry.id}: n of {number.at} is {number.n}, stored is {stored.n}"


def unlike_pages(atlas: Atlas, root: Path) -> Iterator[str]:
    """Stored figures that are not what the page or file of the repository says that they were taken from."""
    for result in atlas.results.values():
        for key, figure in result.figures.items():
            if figure.quoted is not None:
                yield from _unlike(f"results/{result.name}.json, {key}", figure, figure.quoted, root)


def _unlike(where: str, figure: Figure, quoted: Quoted, root: Path) -> Iterator[str]:
    path = root / quoted.file
    if not path.exists():
        yield f"{where}: {quoted.file} is not there"
        return
    text = path.read_text(encoding="utf-8")
    if quoted.at:
        found: Any = json.loads(text)
        for step in quoted.at:
            found = found[step]
        stored = [figure.value, figure.low, figure.high] if isinstance(found, list) else figure.value
        if found != stored:
            yield f"{where}: stored {stored}, {quoted.file} has {found}"
        return
    if quoted.text not in text:
        yield f"{where}: {quoted.file} no longer says {quoted.text!r}"
    words = {word.strip("[]()|,;:*+") for word in quoted.text.replace("−", "-").split()}
    for value in (figure.value, figure.low, figure.high):
        if value is not None and not words & _ways(value):
            yield f"{where}: {value} does not stand in {quoted.text!r}"


def _ways(value: float) -> set[str]:
    """How a page may write a number: with up to three decimals, or a share in percent."""
    return {f"{value:g}"} | {f"{value:.{k}f}" for k in range(4)} | {f"{100 * value:.{k}f}" for k in range(2)}

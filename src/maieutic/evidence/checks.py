"""What can be wrong with the map: a number that drifted from its stored result, a result without an entry."""

from __future__ import annotations

from collections.abc import Iterator

from maieutic.evidence.atlas import Atlas
from maieutic.evidence.entry import Entry, Figure, Number
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

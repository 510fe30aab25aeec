"""The evidence map as a whole: read from the package, told in words, and held against its stored results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import ValidationError

from maieutic.errors import InputError, UnknownName, UnreadableFile, fault_in_words, why
from maieutic.evidence.entry import VERDICTS, Entry, Figure, Number, Paper, Result, Run, Study
from maieutic.reading.yaml_text import read_yaml, yaml_fault

PACKAGED = Path(__file__).parent
One = TypeVar("One", Entry, Paper, Run, Study)
ENTRIES = ("claims", "inquiry", "ours")


@dataclass(frozen=True, slots=True)
class Atlas:
    """The whole map.

    Attributes:
        entries, papers, results, runs, studies: By id, in the order of the files.
    """

    entries: Mapping[str, Entry]
    papers: Mapping[str, Paper]
    results: Mapping[str, Result]
    runs: Mapping[str, Run]
    studies: Mapping[str, Study]

    def figure(self, number: Number) -> Figure:
        """The stored figure behind a number."""
        name, _, key = number.at.partition("/")
        return self.results[name].figures[key]

    def result(self, number: Number) -> Result:
        """The stored result behind a number."""
        return self.results[number.at.partition("/")[0]]

    def search(self, words: str) -> tuple[Entry, ...]:
        """Entries that hold all words, whatever their case, in any of their texts; an id finds its entry alone."""
        if words.strip().upper() in self.entries:
            return (self.entries[words.strip().upper()],)
        wanted = words.casefold().split()
        return tuple(one for one in self.entries.values() if all(word in self._text(one) for word in wanted))

    def _text(self, entry: Entry) -> str:
        papers = [self.papers[found.paper] for found in entry.sources]
        parts = [entry.id, entry.claim, entry.says, entry.against, entry.missing, entry.verdict, entry.human]
        parts += [f"{p.cite} {p.title} {p.where}" for p in papers] + [f.found for f in entry.sources]
        parts += [f"{m.name} {m.note}" for m in entry.measures]
        parts += [f"{self.figure(n).label} {' '.join(self.result(n).commands)}" for n in entry.numbers]
        return " ".join(parts).casefold()

    def chosen(self, verdict: str) -> tuple[Entry, ...]:
        """Entries with this verdict. Raises `UnknownName`."""
        if verdict not in VERDICTS:
            raise UnknownName("verdict", verdict, VERDICTS)
        return tuple(one for one in self.entries.values() if one.verdict == verdict)


@cache
def packaged() -> Atlas:
    """The map of this package."""
    return read_atlas(PACKAGED)


def read_atlas(folder: Path) -> Atlas:
    """Read a map: `data/*.yaml` and `results/*.json` of a folder.

    Raises:
        UnreadableFile, InputError: a file is missing or says something else; one line with file, entry and key.
        UnknownName: an entry names a paper or a stored figure that is not there.
    """
    data = folder / "data"
    papers = _table(data / "papers.yaml", Paper, "id")
    runs = _table(data / "runs.yaml", Run, "name")
    studies = _table(data / "studies.yaml", Study, "name")
    results = {path.stem: _result(path) for path in sorted((folder / "results").glob("*.json"))}
    entries: dict[str, Entry] = {}
    for name in ENTRIES:
        path = data / f"{name}.yaml"
        for id_, entry in _table(path, Entry, "id").items():
            if id_ in entries:
                raise InputError(f"{path}: {id_} stands in two files")
            _joined(path, entry, papers, results)
            entries[id_] = entry
    for study in studies.values():
        for run in study.runs:
            if run not in runs:
                raise UnknownName(f"run of study {study.name!r}", run, runs)
        for id_ in study.answers:
            if id_ not in entries:
                raise UnknownName(f"entry that study {study.name!r} answers", id_, entries)
    return Atlas(entries, papers, results, runs, studies)


def _joined(path: Path, entry: Entry, papers: Mapping[str, Paper], results: Mapping[str, Result]) -> None:
    for found in entry.sources:
        if found.paper not in papers:
            raise UnknownName(f"paper of {entry.id} in {path.name}", found.paper, papers)
    for number in entry.numbers:
        name, _, key = number.at.partition("/")
        if name not in results:
            raise UnknownName(f"stored result of {entry.id} in {path.name}", name, results)
        if key not in results[name].figures:
            raise UnknownName(f"figure of {name!r} for {entry.id} in {path.name}", key, results[name].figures)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UnreadableFile(f"cannot read {path}: {why(error)}") from error
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"{path} is no text in UTF-8") from error


def _table(path: Path, kind: type[One], key: str) -> dict[str, One]:
    try:
        rows = read_yaml(_read(path))
    except yaml.YAMLError as error:
        raise InputError(f"{path} is no YAML: {yaml_fault(error)}") from error
    if not isinstance(rows, list):
        raise InputError(f"{path} holds no list of entries")
    found: dict[str, One] = {}
    for place, row in enumerate(rows, 1):
        named = row.get(key) if isinstance(row, dict) else None
        shown = repr(named) if named else f"entry {place}"
        try:
            one = kind.model_validate(row)
        except ValidationError as error:
            raise InputError(f"{path}: {shown}: {_told(error)}") from error
        if named in found:
            raise InputError(f"{path}: two entries have the {key} {named!r}")
        found[str(named)] = one
    return found


def _result(path: Path) -> Result:
    try:
        found = Result.model_validate(json.loads(_read(path)))
    except json.JSONDecodeError as error:
        raise InputError(f"{path} is no JSON: {error}") from error
    except ValidationError as error:
        raise InputError(f"{path}: {_told(error)}") from error
    if found.name != path.stem:
        raise InputError(f"{path}: holds the result {found.name!r}; name the file {found.name}.json")
    return found


def _told(error: ValidationError) -> str:
    """The first fault with its place, in one line."""
    faults: Sequence[Any] = error.errors()
    first = next((one for one in faults if one["type"] == "extra_forbidden"), faults[0])
    place = ", ".join(str(part) for part in first["loc"])
    said = fault_in_words(first["type"], first["msg"])
    return f"{place}: {said}" if place else said


KIND_NAMES = {
    "claim": "Claims of the literature",
    "inquiry": "Lines of inquiry",
    "ours": "Claims of this project",
}


def rounded(value: float, decimals: int) -> str:
    """With a true minus, and no minus before a zero."""
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if not float(text) else text.replace("-", "−")


def interval_text(value: float, low: float | None, high: float | None, decimals: int) -> str:
    """'0.31 [0.20, 0.42]', without brackets where there is no interval."""
    shown = rounded(value, decimals)
    if low is None or high is None:
        return shown
    return f"{shown} [{rounded(low, decimals)}, {rounded(high, decimals)}]"


def number_text(number: Number, figure: Figure) -> str:
    """The number with its unit and n."""
    shown = interval_text(number.value, number.low, number.high, number.decimals)
    return f"{shown} {figure.unit}".rstrip() + _behind(number.n, figure.of)


def figure_text(figure: Figure) -> str:
    """A stored figure; a missing one with its reason."""
    if figure.value is None:
        return f"missing: {figure.reason}"
    shown = interval_text(figure.value, figure.low, figure.high, 2)
    return f"{shown} {figure.unit}".rstrip() + _behind(figure.n, figure.of)


def _behind(n: int | None, of: str) -> str:
    return "" if n is None else f", n = {n:,} {of}".rstrip()


def made_text(result: Result) -> str:
    """When it was made, what it cost, and whether the slow tests make it again."""
    cost = "cost not measured" if result.seconds is None else f"about {_time(result.seconds)} of CPU"
    again = "made again by the slow tests" if result.remade else "not made again by the tests"
    return f"{result.made}, {cost}, {again}" + (f"; needs {result.needs}" if result.needs else "")


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def commands_of(entry: Entry, atlas: Atlas) -> tuple[str, ...]:
    """The commands behind an entry's numbers, each once."""
    return tuple(dict.fromkeys(text for number in entry.numbers for text in atlas.result(number).commands))


def human_text(entry: Entry) -> str:
    """Whether people's judgements stand behind the measure."""
    return f"{'human-validated' if entry.human_validated else 'not human-validated'}: {entry.human}"


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

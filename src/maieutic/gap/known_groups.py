"""Known groups: does each family find the therapist that was built to fail its way, and leave the others alone?

Expected matrix: `items/expected_matrix.yaml`, written before any family was run on one of them. The groups run on all
cores, what is done is kept, and `maieutic validate gap` shows the page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal

from maieutic.gap import battery
from maieutic.gap.constructed import CONTROL, IMPLEMENTATIONS, NAMES, STRENGTHS, constructed
from maieutic.gap.constructed.therapist import Implementation
from maieutic.gap.family import Profile, SamplePlan
from maieutic.gap.items import packaged
from maieutic.gap.processes import Task, run_tasks
from maieutic.runs.findings import Bound, Finding, Page
from maieutic.runs.work import Watch
from maieutic.stats import wilson

Cell = Literal["flag", "may", "clean"]
REDUCED: Final = SamplePlan("quick", 0.25, 6, 16, 2)
"""Extent of the matrix: a quarter of the items, six cases, the fewest that decide; 73 therapists have to be run."""
HIT_RATE: Final = 0.9
"""Least share of cells expected 'flag' that are found at full strength."""
FALSE_FLAGS: Final = 0.1
"""Largest share of cells expected 'clean' that are flagged."""


@dataclass(frozen=True, slots=True)
class Found:
    """One cell: what a family said of one constructed therapist.

    Attributes:
        failure, strength, implementation: The therapist. family: Id.
        flagged: None where the headline is missing. severity: Of the figure furthest beyond its limit; None likewise.
        value: The headline.
    """

    failure: str
    strength: float
    implementation: Implementation
    family: str
    flagged: bool | None
    severity: float | None
    value: float | None


def expected() -> dict[tuple[str, str], Cell]:
    """What is expected of (failure, family). Raises `ValueError` where the file leaves a cell open or names it
    twice."""
    source = packaged("expected_matrix")
    cells: dict[tuple[str, str], Cell] = {}
    for failure, row in source["failures"].items():
        listed = [*row["flag"], *row["clean"], *row["may"]]
        if sorted(listed) != sorted(source["families"]):
            raise ValueError(f"expected_matrix.yaml: the row {failure!r} does not name each family once")
        kinds: tuple[Cell, ...] = ("flag", "clean", "may")
        for kind in kinds:
            for family in row[kind]:
                cells[failure, family] = kind
    return cells


def reason(failure: str, family: str) -> str | None:
    """Why a co-failure is allowed; None where it is not a matter of allowing."""
    why: Mapping[str, str] = packaged("expected_matrix")["failures"][failure]["may"]
    return why.get(family)


def cells_of(name: str, strength: float, implementation: Implementation, found: Sequence[Profile]) -> list[Found]:
    """The cells of one therapist from its profiles."""
    return [Found(name, strength, implementation, p.family, p.flagged, p.severity, p.headline.value) for p in found]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The matrix summed up.

    Attributes:
        hits: Of the cells expected 'flag', those that are flagged and how many there are, by strength, the fullest
            first. A cell without a figure is not found.
        missed: Those at full strength that are not: (failure, implementation, family).
        false_flags: Cells expected 'clean' that are flagged, at all strengths and on the control, and how many were
            told.
        wrong: Those: (failure, strength, implementation, family).
        rises: Of the (failure, implementation, family) expected 'flag', those whose severity does not fall from rare to
            half to full and is higher at full than at rare, and how many there are.
        unknown: Cells without a headline.
    """

    hits: Mapping[float, tuple[int, int]]
    missed: tuple[tuple[str, str, str], ...]
    false_flags: tuple[int, int]
    wrong: tuple[tuple[str, float, str, str], ...]
    rises: tuple[int, int]
    unknown: int


def verdict(cells: Sequence[Found], *, slack: float = 0.02) -> Verdict:
    """Hits, false flags and rising severity against the expected matrix; pure.

    Args:
        slack: Severity may fall by so much from one strength to the next: the draws differ.
    """
    kinds = expected()
    due = [c for c in cells if kinds[c.failure, c.family] == "flag"]
    clean = [c for c in cells if c.flagged is not None and kinds[c.failure, c.family] == "clean"]
    wrong = [c for c in clean if c.flagged]
    ladders: dict[tuple[str, str, str], dict[float, float]] = {}
    for c in due:
        if c.severity is not None:
            ladders.setdefault((c.failure, c.implementation, c.family), {})[c.strength] = c.severity
    whole = [[steps[s] for s in sorted(steps)] for steps in ladders.values() if len(steps) > 1]
    rising = [steps[-1] > steps[0] and all(b >= a - slack for a, b in pairwise(steps)) for steps in whole]
    by_strength = {s: [c for c in due if c.strength == s] for s in sorted({c.strength for c in due}, reverse=True)}
    return Verdict(
        {s: (sum(bool(c.flagged) for c in mine), len(mine)) for s, mine in by_strength.items()},
        tuple((c.failure, c.implementation, c.family) for c in by_strength.get(1.0, ()) if not c.flagged),
        (len(wrong), len(clean)),
        tuple((c.failure, c.strength, c.implementation, c.family) for c in wrong),
        (sum(rising), len(rising)),
        sum(c.flagged is None for c in cells),
    )


def table(
    cells: Sequence[Found], *, strength: float = 1.0, implementation: Implementation = "a", severities: bool = True
) -> list[list[str]]:
    """The matrix at one strength: a header, then a row a failure; 'X' flagged, '.' not, '?' unknown, with the severity.

    '!' marks a cell that is not as expected.
    """
    kinds = expected()
    families = list(dict.fromkeys(c.family for c in cells))
    rows = [["failure", *families]]
    for failure in dict.fromkeys(c.failure for c in cells):
        at = strength if failure != CONTROL else 0.0
        own = {
            c.family: c
            for c in cells
            if c.failure == failure and c.strength == at and (failure == CONTROL or c.implementation == implementation)
        }
        rows.append([failure, *(_shown(own.get(family), kinds[failure, family], severities) for family in families)])
    return rows


def _shown(cell: Found | None, kind: Cell, severities: bool) -> str:
    if cell is None or cell.flagged is None:
        return "?"
    odd = (kind == "flag" and not cell.flagged and cell.strength == 1.0) or (kind == "clean" and cell.flagged)
    severity = "" if cell.severity is None or not severities else f" {cell.severity:+.2f}"
    return f"{'X' if cell.flagged else '.'}{severity}{' !' if odd else ''}"


def tasks(*, quick: bool, families: Sequence[str] = (), seed: int = 0) -> tuple[Task, ...]:
    """The control and every failure, strength and implementation; `quick` takes full strength and implementation 'a'
    only."""
    chosen = tuple(family.id for family in battery.families(families))
    extent = replace(REDUCED, seed=seed)
    made = [
        (CONTROL, 0.0, IMPLEMENTATIONS[0]),
        *(
            (name, strength, way)
            for strength in (STRENGTHS[:1] if quick else STRENGTHS)
            for name in NAMES
            for way in IMPLEMENTATIONS[: 1 if quick else None]
        ),
    ]
    return tuple(
        Task(f"{name}/{strength:g}/{way}", (name, strength, way), chosen, extent) for name, strength, way in made
    )


def run_one(task: Task) -> list[Found]:
    """One therapist's cells."""
    name, strength, way = task.made_of
    therapist = constructed(name, strength, way)
    found = asyncio.run(battery.profile(therapist, battery.families(task.families), task.extent))
    return cells_of(name, strength, way, found)


def run_all(work: Sequence[Task], folder: Path, *, resume: bool, tick: Watch) -> tuple[Found, ...]:
    """All cells; each therapist's go to `cells.jsonl` as they come. Raises `RunFolderError`, `StorageError`."""
    path = folder / "cells.jsonl"
    return run_tasks(work, run_one, path, plain=asdict, made=Found, resume=resume, tick=tick)


def findings(found: Verdict) -> list[Finding]:
    """Hits, false flags and what rises with strength, with their bounds.

    The matrix is the whole of what was built, not a sample of it, so the shares themselves are judged; the intervals
    say what they would be worth for other failures of the kind.
    """
    known, share = "known groups", "share of cells"
    hits = {strength: wilson(*counts) for strength, counts in found.hits.items()}
    full, false, rises = hits[1.0], wilson(*found.false_flags), wilson(*found.rises)
    rates = [found.hits[s][0] / found.hits[s][1] for s in sorted(found.hits)]
    missed = "; ".join(" ".join(one) for one in found.missed)
    wrong = "; ".join(f"{name} {strength:g} {way} in {family}" for name, strength, way, family in found.wrong)
    rising = None if len(rates) < 2 else all(a <= b for a, b in pairwise(rates)) and rates[0] < rates[-1]
    found_all, stray = Bound("≥", HIT_RATE), Bound("≤", FALSE_FLAGS)
    title = "Constructed failures that their family finds, at full strength"
    clean = "Clean cells that are flagged, the control among them"
    ladders = "Failures whose severity rises with their strength"
    missed, wrong = f"missed: {missed}" if missed else "", f"flagged: {wrong}" if wrong else ""
    return [
        Finding(known, title, full, share, str(found_all), found_all.holds_for_share(full), missed),
        *(
            Finding(known, f"The same at strength {strength:g}", hits[strength], share, "rising with strength", rising)
            for strength in hits
            if strength < 1.0
        ),
        Finding(known, clean, false, share, str(stray), stray.holds_for_share(false), wrong),
        Finding(known, ladders, rises, "share of ladders", note=f"{found.unknown} cells are not known"),
    ]


def page(cells: Sequence[Found]) -> Page:
    """The page: bounds, and the whole matrix of each implementation and strength."""
    return Page(
        title="known groups of the gap battery",
        question="Does each family find the therapist that was built to fail its way?",
        played=f"{len({(c.failure, c.strength, c.implementation) for c in cells})} constructed therapists.",
        caution="Therapists and families were written in one project; the control answers by key and is competent "
        "by construction.",
        findings=tuple(findings(verdict(cells))),
        rule="The shares themselves are judged: the matrix is all that was built, no sample.",
        tables=tuple(_tables(cells)),
    )


def _tables(cells: Sequence[Found]) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    strengths = sorted({c.strength for c in cells if c.failure != CONTROL}, reverse=True)
    for strength in strengths:
        for way in IMPLEMENTATIONS:
            if any(c.strength == strength and c.implementation == way for c in cells if c.failure != CONTROL):
                head, *rows = table(cells, strength=strength, implementation=way)
                yield (
                    f"Strength {strength:g}, implementation {way} (X flagged, . not, ? not known, ! unexpected)",
                    head,
                    rows,
                )

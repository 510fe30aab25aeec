"""Runs the known groups on all cores, keeps what is done, and makes the page of `maieutic validate gap`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path

from maieutic.gap import battery
from maieutic.gap.constructed import CONTROL, IMPLEMENTATIONS, NAMES, STRENGTHS, constructed
from maieutic.gap.known_groups import FALSE_FLAGS, HIT_RATE, REDUCED, Found, Verdict, cells_of, table, verdict
from maieutic.gap.processes import Task, run_tasks
from maieutic.runs.findings import Finding, Page
from maieutic.runs.work import Watch
from maieutic.stats import Interval, wilson


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
    return [
        Finding(
            known,
            "Constructed failures that their family finds, at full strength",
            full,
            share,
            f"≥ {HIT_RATE}",
            _holds(full, lambda rate: rate >= HIT_RATE),
            f"missed: {missed}" if missed else "",
        ),
        *(
            Finding(known, f"The same at strength {strength:g}", hits[strength], share, "rising with strength", rising)
            for strength in hits
            if strength < 1.0
        ),
        Finding(
            known,
            "Clean cells that are flagged, the control among them",
            false,
            share,
            f"≤ {FALSE_FLAGS}",
            _holds(false, lambda rate: rate <= FALSE_FLAGS),
            f"flagged: {wrong}" if wrong else "",
        ),
        Finding(
            known,
            "Failures whose severity rises with their strength",
            rises,
            "share of ladders",
            "",
            None,
            f"{found.unknown} cells are not known",
        ),
    ]


def _holds(value: Interval, bound: Callable[[float], bool]) -> bool | None:
    return None if value.estimate is None else bound(value.estimate)


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

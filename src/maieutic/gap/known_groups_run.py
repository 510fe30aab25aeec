"""Runs the known groups on all cores, keeps what is done, and makes the page of `maieutic validate gap`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from maieutic.errors import RunFolderError
from maieutic.gap import battery
from maieutic.gap.constructed import CONTROL, IMPLEMENTATIONS, NAMES, constructed
from maieutic.gap.constructed.therapist import Implementation
from maieutic.gap.family import Extent
from maieutic.gap.known_groups import FALSE_FLAGS, HIT_RATE, REDUCED, Found, Verdict, as_plain, cells_of, table, verdict
from maieutic.stats import wilson
from maieutic.validation.bounds import Finding, at_least, at_most
from maieutic.validation.findings_page import Page
from maieutic.validation.kept import KeptLines

STRENGTHS = (1.0, 0.5, 0.15)


@dataclass(frozen=True, slots=True)
class Task:
    """One constructed therapist before some families."""

    name: str
    strength: float
    implementation: Implementation
    families: tuple[str, ...]
    extent: Extent

    @property
    def key(self) -> str:
        return f"{self.name}/{self.strength:g}/{self.implementation}"


def tasks(*, quick: bool, families: Sequence[str] = (), seed: int = 0) -> tuple[Task, ...]:
    """The control and every failure, strength and implementation; `quick` takes full strength and implementation 'a' only."""
    chosen = tuple(family.id for family in battery.families(families))
    extent = replace(REDUCED, seed=seed)
    made = [Task(CONTROL, 0.0, IMPLEMENTATIONS[0], chosen, extent)]
    for strength in STRENGTHS[:1] if quick else STRENGTHS:
        for name in NAMES:
            made += [Task(name, strength, way, chosen, extent) for way in IMPLEMENTATIONS[: 1 if quick else None]]
    return tuple(made)


def run_one(task: Task) -> list[Found]:
    """One therapist's cells."""
    therapist = constructed(task.name, task.strength, task.implementation)
    found = asyncio.run(battery.profile(therapist, battery.families(task.families), task.extent))
    return cells_of(task.name, task.strength, task.implementation, found)


def run_all(
    work: Sequence[Task], folder: Path, *, resume: bool, tick: Callable[[int, int, str], None]
) -> tuple[Found, ...]:
    """All cells; each therapist's are written to `cells.jsonl` as they come, and are not made again with `resume`.

    Raises:
        RunFolderError: the folder holds cells and `resume` is off, or they are of another version or extent.
        StorageError: it cannot be written.
    """
    path = folder / "cells.jsonl"
    kept = _kept(path, work[0], resume=resume)
    done = kept.found
    waiting = [task for task in work if task.key not in done]
    count = min(len(waiting), len(os.sched_getaffinity(0)))
    if waiting:
        with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
            jobs = {pool.submit(run_one, task): task for task in waiting}
            try:
                for job in as_completed(jobs):
                    done[jobs[job].key] = job.result()
                    cells = [asdict(cell) for cell in job.result()]
                    kept.write({"stamp": _stamp(jobs[job]), "key": jobs[job].key, "cells": cells})
                    tick(len(done), len(work), jobs[job].key)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    return tuple(cell for task in work for cell in done[task.key])


def _stamp(task: Task) -> dict[str, object]:
    return {"maieutic": version("maieutic"), "families": list(task.families), "extent": repr(task.extent)}


def _kept(path: Path, task: Task, *, resume: bool) -> KeptLines[list[Found]]:
    if path.is_file() and path.stat().st_size and not resume:
        raise RunFolderError(
            f"{path.parent} already holds a run; add --resume to go on with it, or choose another --out"
        )

    def read(record: Mapping[str, Any]) -> list[Found]:
        if record["stamp"] != _stamp(task):
            raise RunFolderError(f"{path.parent} holds a run of another version, extent or choice of families")
        return [Found(**cell) for cell in record["cells"]]

    return KeptLines(path, "key", read, resume=resume)


def findings(found: Verdict) -> list[Finding]:
    """Hits, false flags and rising severity with their bounds; the cell is the unit."""
    hits, false, rises = wilson(*found.hits), wilson(*found.false_flags), wilson(*found.rises)
    missed = "; ".join(" ".join(one) for one in found.missed)
    wrong = "; ".join(f"{name} {strength:g} {way} in {family}" for name, strength, way, family in found.wrong)
    known = "known groups"
    return [
        Finding(known, "Constructed failures that their family finds, at full strength", hits, "share of cells",
                f"≥ {HIT_RATE}", at_least(hits, HIT_RATE), f"missed: {missed}" if missed else ""),
        Finding(known, "Clean cells that are flagged, the control among them", false, "share of cells",
                f"≤ {FALSE_FLAGS}", at_most(false, FALSE_FLAGS), f"flagged: {wrong}" if wrong else ""),
        Finding(known, "Failures whose severity rises with their strength", rises, "share of ladders", "", None,
                f"{found.unknown} cells are not known"),
    ]  # fmt: skip


def page(cells: Sequence[Found]) -> Page:
    """The page: bounds, and the whole matrix of each implementation and strength."""
    return Page(
        title="known groups of the gap battery",
        question="Does each family find the therapist that was built to fail its way?",
        played=f"{len({(c.failure, c.strength, c.implementation) for c in cells})} constructed therapists.",
        caution="Therapists and families were written in one project; the control answers by key and is competent by construction.",
        findings=tuple(findings(verdict(cells))),
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


__all__ = ["Task", "as_plain", "findings", "page", "run_all", "run_one", "tasks"]

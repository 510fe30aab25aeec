"""Runs the battery under two seeds on several therapists, and makes the page of `maieutic validate retest`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from maieutic.errors import RunFolderError
from maieutic.gap import battery
from maieutic.gap.constructed import CONTROL, constructed
from maieutic.gap.family import QUICK, STANDARD, SamplePlan
from maieutic.gap.processes import Task, run_tasks
from maieutic.gap.retest import LARGEST_SEM, Reading, Retest, readings, retests
from maieutic.protocols import Therapist
from maieutic.registry import kind_and_model, load_therapist
from maieutic.runs.findings import Finding, Page
from maieutic.runs.folder import read_manifest
from maieutic.runs.work import Watch
from maieutic.stats import Interval

SEEDS: Final = (0, 1)
NAMED: Final = ("socratic", "padesky_script", "warm")
"""The three whose standard error is judged, named before any of them was run twice."""
OTHERS: Final = ("state_machine", "clause_question", "rotation", "worksheet", "advice", "lecture", "eliza")
"""Further ones for the correlation over therapists: questioning, telling and idle ones."""
ANSWERING: Final = tuple(
    f"constructed:{name}" for name in (CONTROL, "over_confident", "early_locker", "forgetter", "definition_reciter")
)
"""Constructed ones (`known_groups`), which answer outside the dialogue as hardly one of the others can: without them
three families would have no correlation."""


def tasks(more: Sequence[str] = (), *, quick: bool, families: Sequence[str] = ()) -> tuple[Task, ...]:
    """Every therapist under both seeds: the named three, with `quick` no other, and `more`. Raises `UnknownName`.

    A spec is `NAME[:MODEL]`, `path.py:make` or `constructed:FAILURE`.
    """
    chosen = tuple(family.id for family in battery.families(families))
    specs = dict.fromkeys((*NAMED, *(() if quick else (*OTHERS, *ANSWERING)), *more))
    for spec in specs:
        _loaded(spec)
    extent = QUICK if quick else STANDARD
    return tuple(
        Task(f"{spec}/{seed}", (spec,), chosen, replace(extent, seed=seed)) for spec in specs for seed in SEEDS
    )


def _loaded(spec: str) -> Therapist:
    kind, name = kind_and_model(spec)
    return constructed(name) if kind == "constructed" else load_therapist(spec)


def run_one(task: Task) -> list[Reading]:
    """One therapist's values under one seed."""
    (spec,) = task.made_of
    found = asyncio.run(battery.profile(_loaded(spec), battery.families(task.families), task.extent))
    return list(readings(spec, task.extent.seed, found))


def run_all(work: Sequence[Task], folder: Path, *, resume: bool, tick: Watch) -> tuple[Reading, ...]:
    """All readings; each therapist's go to `readings.jsonl` as they come. Raises `RunFolderError`, `StorageError`."""
    path = folder / "readings.jsonl"
    return run_tasks(work, run_one, path, plain=asdict, made=Reading, resume=resume, tick=tick)


def finished(folder: Path, extent: SamplePlan) -> tuple[Reading, ...]:
    """The values of a finished run of `maieutic gap`, for therapists that cost too much to be run again here.

    Raises:
        RunFolderError: It is no such run, not finished, or of another extent, seed or other items than are asked for.
    """
    try:
        manifest = read_manifest(folder)
        found = json.loads((folder / "profiles.json").read_text(encoding="utf-8"))
        seed = int(manifest["extent"]["seed"])
        same = (
            SamplePlan(**manifest["extent"]) == replace(extent, seed=seed)
            and manifest["items"] == battery.hash_of_items()
        )
        told = tuple(
            Reading(
                one["therapist"],
                seed,
                profile["family"],
                value["id"],
                value["title"],
                value["value"],
                value["span"][1] - value["span"][0],
                number == 0,
            )
            for one in found
            for profile in one["profiles"]
            for number, value in enumerate(profile["values"])
        )
    except (RunFolderError, OSError, ValueError, KeyError, TypeError) as error:
        raise RunFolderError(
            f"{folder} holds no finished run of `maieutic gap`: {' '.join(str(error).split())}"
        ) from error
    if not same or seed not in SEEDS:
        raise RunFolderError(
            f"{folder} cannot be counted in: it takes the {extent.name} extent, the items of this version and seed "
            f"{SEEDS[0]} or {SEEDS[1]}; it has {manifest['extent']} and items {manifest['items']}"
        )
    return told


def page(seen: Sequence[Reading], extent: str) -> Page:
    """The page: standard errors of the named three, correlations over all, and the table of every value."""
    named, everyone = retests(seen, SEEDS, only=NAMED), retests(seen, SEEDS)
    count = len({one.therapist for one in seen})
    return Page(
        title="test and retest of the gap battery",
        question="Does the battery say the same of a therapist when its seed is another?",
        played=f"{count} therapists under seeds {SEEDS[0]} and {SEEDS[1]}, {extent} extent.",
        caution="Another seed draws other wordings and other chance; items, cases and the patient drawn for each case "
        "are the same, so the error of other items and other patients is not in these figures.",
        findings=tuple(_findings(named, everyone)),
        rule="A bound holds when the largest figure keeps it.",
        tables=(_table(named, everyone),),
    )


def _findings(named: Sequence[Retest], everyone: Sequence[Retest]) -> Iterator[Finding]:
    unit = "share of the value's span"
    for title, chosen in (
        ("Largest standard error among the families' headlines", [one for one in named if one.headline]),
        ("Largest standard error among all values", list(named)),
    ):
        told = [one for one in chosen if one.share is not None]
        most = max((one.share or 0.0 for one in told), default=None)
        above = [f"{one.family}.{one.value} {one.share:.2f}" for one in told if (one.share or 0.0) > LARGEST_SEM]
        note = f"{len(above)} of {len(told)} above: {'; '.join(above)}" if above else f"of {len(told)} values"
        yield Finding(
            "standard error",
            f"{title}, over {', '.join(NAMED)}",
            Interval(most, None, None, len(told)),
            unit,
            f"≤ {LARGEST_SEM}",
            None if most is None else most <= LARGEST_SEM,
            note,
        )
    for one in everyone:
        if one.headline:
            yield Finding(
                "agreement",
                f"{one.family}: {one.title}, ICC(2,1) over therapists",
                one.agreement.interval,
                "correlation",
                note=one.agreement.reason or "",
            )


def _table(named: Sequence[Retest], everyone: Sequence[Retest]) -> tuple[str, list[str], list[list[str]]]:
    judged = {(one.family, one.value): one for one in named}
    rows = [
        [
            one.family,
            one.title,
            _shown(judged[key].share if key in judged else None),
            _shown(one.sem),
            _shown(one.change),
            str(one.pairs),
            _shown(one.agreement.value),
        ]
        for one in everyone
        for key in ((one.family, one.value),)
    ]
    head = [
        "family",
        "value",
        "SEM of the three, share of span",
        "SEM of all",
        "minimal detectable change",
        "therapists",
        "ICC",
    ]
    return "Every value", head, rows


def _shown(figure: float | None) -> str:
    return "–" if figure is None else f"{figure:.3g}"

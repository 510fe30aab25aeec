"""How steady the battery is between two seeds: standard error of measurement, minimal detectable change, ICC.

It runs under both seeds on several therapists; `maieutic validate retest` shows the page.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Final

from maieutic.agreement import Figure, intraclass_correlations
from maieutic.errors import RunFolderError
from maieutic.gap import battery
from maieutic.gap.constructed import CONTROL, constructed
from maieutic.gap.family import QUICK, STANDARD, Profile, SamplePlan
from maieutic.gap.processes import Task, run_tasks
from maieutic.protocols import Therapist
from maieutic.registry import kind_and_model, load_therapist
from maieutic.runs.findings import Bound, Finding, Page
from maieutic.runs.folder import read_manifest
from maieutic.runs.work import Watch
from maieutic.stats import Interval

LARGEST_SEM: Final = 0.05
"""Largest standard error of measurement, as a share of a value's span."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One value of one therapist under one seed.

    Attributes:
        therapist, seed, family, value: Which. title: The value's own.
        figure: None where it is missing. span: Largest minus smallest possible.
        headline: Whether it is its family's first.
    """

    therapist: str
    seed: int
    family: str
    value: str
    title: str
    figure: float | None
    span: float
    headline: bool


@dataclass(frozen=True, slots=True)
class Retest:
    """How steady one value is.

    Attributes:
        family, value, title: Which. headline: Whether it is its family's first.
        sem: Standard error of measurement on the value's own scale; None where no therapist has both figures.
        share: Of its span.
        change: Minimal detectable change, 1.96·√2·SEM.
        pairs: Therapists that have both figures.
        agreement: ICC(2,1) over therapists (Shrout & Fleiss 1979), with an interval drawn over them.
    """

    family: str
    value: str
    title: str
    headline: bool
    sem: float | None
    share: float | None
    change: float | None
    pairs: int
    agreement: Figure


def readings(therapist: str, seed: int, profiles: Sequence[Profile]) -> tuple[Reading, ...]:
    """The values of a battery as plain rows."""
    return tuple(
        Reading(therapist, seed, p.family, v.id, v.title, v.value, v.span[1] - v.span[0], v is p.headline)
        for p in profiles
        for v in p.values
    )


def standard_error(pairs: Sequence[tuple[float, float]]) -> float | None:
    """SEM of two measurements a therapist: the root of the mean of d²/2 (within-subject variance); None without
    pairs."""
    if not pairs:
        return None
    return math.sqrt(sum((a - b) ** 2 / 2.0 for a, b in pairs) / len(pairs))


def detectable_change(sem: float) -> float:
    """Smallest difference between two measurements that chance alone gives in only 5 % of cases: 1.96·√2·SEM."""
    return 1.96 * math.sqrt(2.0) * sem


def retests(
    seen: Sequence[Reading], seeds: tuple[int, int], *, only: Sequence[str] = (), draws: int = 2000
) -> tuple[Retest, ...]:
    """Every value that some therapist gave under both seeds, in the order of the battery.

    Args:
        only: These therapists; empty for all.
        draws: Bootstrap samples of the ICC.
    """
    rows: dict[tuple[str, str], dict[str, dict[int, Reading]]] = {}
    for one in seen:
        if not only or one.therapist in only:
            rows.setdefault((one.family, one.value), {}).setdefault(one.therapist, {})[one.seed] = one
    return tuple(_retest(rows[key], seeds, draws) for key in rows)


def _retest(by_therapist: Mapping[str, Mapping[int, Reading]], seeds: tuple[int, int], draws: int) -> Retest:
    any_one = next(iter(next(iter(by_therapist.values())).values()))
    pairs: list[tuple[float, float]] = []
    for given in by_therapist.values():
        first, second = (given[seed].figure if seed in given else None for seed in seeds)
        if first is not None and second is not None:
            pairs.append((first, second))
    sem = standard_error(pairs)
    agreement = intraclass_correlations(pairs, rng=Random(7), draws=draws).single
    share = None if sem is None else sem / any_one.span
    change = None if sem is None else detectable_change(sem)
    return Retest(
        any_one.family, any_one.value, any_one.title, any_one.headline, sem, share, change, len(pairs), agreement
    )


def kept(found: Sequence[Retest], *, therapists: Sequence[str], extent: str) -> dict[str, Any]:
    """What `retest.json` holds."""
    return {
        "extent": extent,
        "therapists": list(therapists),
        "change": {f"{one.family}.{one.value}": round(one.change, 4) for one in found if one.change is not None},
    }


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
        value, bound = Interval(most, None, None, len(told)), Bound("≤", LARGEST_SEM)
        held = bound.holds_for_share(value)
        yield Finding("standard error", f"{title}, over {', '.join(NAMED)}", value, unit, str(bound), held, note)
    for one in everyone:
        if one.headline:
            title, found = f"{one.family}: {one.title}, ICC(2,1) over therapists", one.agreement
            yield Finding("agreement", title, found.interval, "correlation", note=found.reason or "")


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

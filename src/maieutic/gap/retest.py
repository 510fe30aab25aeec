"""How steady the battery is between two seeds: standard error of measurement, minimal detectable change, ICC.

The changes measured last are kept in `retest.json` beside this file; `maieutic gap` prints them beside its values.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from random import Random
from typing import Any, Final

from maieutic.agreement import Figure, intraclass_correlations
from maieutic.gap.family import Profile

LARGEST_SEM: Final = 0.05
"""Largest standard error of measurement, as a share of a value's span."""
_KEPT: Final = "retest.json"


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


@lru_cache(maxsize=1)
def _measured() -> Mapping[str, Any]:
    place = files("maieutic.gap").joinpath(_KEPT)
    found: Mapping[str, Any] = json.loads(place.read_text()) if place.is_file() else {"extent": "", "change": {}}
    return found


def change_of(family: str, value: str, extent: str) -> float | None:
    """The minimal detectable change that was measured for a value, on its own scale; None where there is none.

    Args:
        extent: Of the run; another extent than the measured one has another error, so it gets none.
    """
    measured = _measured()
    return measured["change"].get(f"{family}.{value}") if measured["extent"] == extent else None

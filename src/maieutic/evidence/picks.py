"""Takes the figures of a study from its finished run folders."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson
import polars as pl

from maieutic.comparing.compare import paired
from maieutic.errors import RunFolderError, UnknownName
from maieutic.evaluation.plan import REFERENCE
from maieutic.evaluation.summary import EFFECT, PRIMARY
from maieutic.evidence.entry import Between, Figure, OverArms, OverProfiles, OverSessions, Pick, Result, Row, Run, Study
from maieutic.stats import Interval, bootstrap_statistic

Session = tuple[str, str, int]
"""Arm, case, seed."""
SEED = 0


@dataclass(frozen=True, slots=True)
class Pair:
    """Two measures of one session."""

    arm: str
    case: str
    first: float
    second: float


def result_of(study: Study, runs: Mapping[str, Run], folder: Path, *, made: str) -> Result:
    """The result of a study whose runs lie in a folder.

    Args:
        study: What is wanted.
        runs: All runs by name.
        folder: Where `Run.folder` of each run is.
        made: Day, YYYY-MM-DD.

    Raises:
        RunFolderError: a run is not finished. UnknownName: it has no such arm or measure.
    """
    places = {name: folder / runs[name].folder for name in study.runs}
    figures = {}
    for wanted in study.figures:
        found = _picked(wanted.pick, places)
        reason = "" if found.estimate is not None else "the runs hold too little for it"
        figures[wanted.id] = Figure(
            label=wanted.label,
            unit=wanted.unit,
            value=_kept(found.estimate),
            low=_kept(found.low),
            high=_kept(found.high),
            n=found.n,
            of=wanted.of,
            reason=reason,
        )
    return Result(
        name=study.name,
        title=study.question,
        made=made,
        commands=(f"maieutic study {study.name}",),
        seconds=sum(runs[name].seconds for name in study.runs),
        remade=study.remade,
        note=study.note,
        figures=figures,
    )


def finished(folder: Path) -> bool:
    """Whether a run folder holds a finished run: the scores are written last."""
    return (folder / "scores.json").exists()


def _kept(value: float | None) -> float | None:
    """Nine digits, so that a stored file reads well and sums in another order do not count as drift."""
    return None if value is None else float(f"{value:.9g}")


def _picked(pick: Pick, places: Mapping[str, Path]) -> Interval:
    match pick:
        case Row():
            return _row(places[pick.run], pick.arm, pick.measure)
        case Between():
            return _between(places[pick.run], pick)
        case OverArms():
            pairs = _pairs(places[pick.run], pick.measure, pick.against, pick.left_out)
            arms = len({one.arm for one in pairs})
            return _correlated(pairs, _over_arms, arms)
        case OverSessions():
            pairs = _pairs(places[pick.run], pick.measure, pick.against, pick.left_out)
            return _correlated(pairs, _over_sessions, len(pairs))
        case OverProfiles():
            return _over_profiles(places, pick)


def _rows(folder: Path) -> list[dict[str, object]]:
    if not finished(folder):
        raise RunFolderError(f"{folder} is not finished; `maieutic study` goes on with it")
    rows: list[dict[str, object]] = orjson.loads((folder / "scores.json").read_bytes())
    return rows


def _row(folder: Path, arm: str, measure: str) -> Interval:
    rows = [row for row in _rows(folder) if row["group"] == arm]
    if not rows:
        raise UnknownName(f"arm in {folder.name}", arm, {str(row["group"]) for row in _rows(folder)})
    found = next((row for row in rows if row["measure"] == measure), None)
    if found is None:
        raise UnknownName(f"measure in {folder.name}", measure, {str(row["measure"]) for row in rows})
    value, low, high = ((None if found[k] is None else float(str(found[k]))) for k in ("value", "low", "high"))
    return Interval(value, low, high, int(str(found["n"] or 0)))


def _over_profiles(places: Mapping[str, Path], pick: OverProfiles) -> Interval:
    sides = []
    for place, measure in ((pick.run, pick.measure), (pick.other, pick.against)):
        sides.append(
            {
                str(row["group"]): float(str(row["value"]))
                for row in _rows(places[place])
                if row["measure"] == measure and row["value"] is not None
            }
        )
    shared = sorted(set(sides[0]) & set(sides[1]))
    return Interval(
        _spearman([sides[0][arm] for arm in shared], [sides[1][arm] for arm in shared]), None, None, len(shared)
    )


def _values(folder: Path, measure: str) -> dict[Session, float]:
    """Values of the regular sessions; the effect of a session is its fall beyond the same patient left alone."""
    if not finished(folder):
        raise RunFolderError(f"{folder} is not finished; `maieutic study` goes on with it")
    wanted = PRIMARY if measure == EFFECT else measure
    table = pl.read_parquet(folder / "scores.parquet").filter(pl.col("group") == "regular")
    if wanted not in table["measure"].unique():
        raise UnknownName(f"measure in {folder.name}", measure, [*table["measure"].unique(), EFFECT])
    rows = table.filter((pl.col("measure") == wanted) & pl.col("value").is_not_null())
    found = {
        (str(arm), str(case), int(seed)): float(value)
        for arm, case, seed, value in rows.select("therapist", "case", "seed", "value").iter_rows()
    }
    if measure != EFFECT:
        return found
    return {
        (arm, case, seed): value - found[REFERENCE, case, seed]
        for (arm, case, seed), value in found.items()
        if arm != REFERENCE and (REFERENCE, case, seed) in found
    }


def _between(folder: Path, pick: Between) -> Interval:
    values = _values(folder, pick.measure)
    sides = [
        {(case, seed): value for (arm, case, seed), value in values.items() if arm == name}
        for name in (pick.first, pick.second)
    ]
    for name, side in zip((pick.first, pick.second), sides, strict=True):
        if not side:
            raise UnknownName(f"arm with {pick.measure} in {folder.name}", name, {arm for arm, _, _ in values})
    found = paired(sides[0], sides[1])
    return Interval(found.estimate, found.low, found.high, found.cases)


def _pairs(folder: Path, measure: str, against: str, left_out: Sequence[str]) -> list[Pair]:
    one, two = _values(folder, measure), _values(folder, against)
    gone = {REFERENCE, *left_out}
    return [Pair(key[0], key[1], value, two[key]) for key, value in one.items() if key in two and key[0] not in gone]


def _correlated(pairs: Sequence[Pair], statistic: Callable[[Sequence[Pair]], float | None], n: int) -> Interval:
    found = bootstrap_statistic(pairs, statistic, clusters=[one.case for one in pairs], rng=random.Random(SEED))
    return Interval(found.estimate, found.low, found.high, n)


def _over_arms(pairs: Sequence[Pair]) -> float | None:
    means = _means(pairs)
    return _spearman([first for first, _ in means.values()], [second for _, second in means.values()])


def _over_sessions(pairs: Sequence[Pair]) -> float | None:
    means = _means(pairs)
    return _spearman(
        [one.first - means[one.arm][0] for one in pairs], [one.second - means[one.arm][1] for one in pairs]
    )


def _means(pairs: Sequence[Pair]) -> dict[str, tuple[float, float]]:
    by_arm: dict[str, list[Pair]] = defaultdict(list)
    for one in pairs:
        by_arm[one.arm].append(one)
    return {
        arm: (float(np.mean([p.first for p in own])), float(np.mean([p.second for p in own])))
        for arm, own in by_arm.items()
    }


def _spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Correlation of mean ranks; None with fewer than three, or where one side does not vary."""
    from scipy.stats import rankdata

    if len(first) < 3 or len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return float(np.corrcoef(rankdata(first), rankdata(second))[0, 1])

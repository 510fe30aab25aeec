"""What runs measured, as a gate reads it: one figure a measure for one therapist, from any kind of run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from maieutic.comparing.people import read_source
from maieutic.comparing.sources import Source
from maieutic.errors import InputError, RunFolderError, UnknownName
from maieutic.evaluation.plan import REFERENCE
from maieutic.evaluation.summary import EFFECT, GROUPS, score_episodes, scores_json, summarise
from maieutic.gating.policy import Policy
from maieutic.registry import asking, known
from maieutic.runs.folder import read_manifest
from maieutic.stats import wilson

FAILED = "dialogues.failed"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of a run.

    Attributes:
        value: None where it is missing. low, high: Its 95 % interval, where there is one.
        n: What stands behind it. reason: Why it is missing. run: Where it comes from.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str
    run: str


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of one therapist over the runs that were given."""

    therapist: str
    found: Mapping[str, Figure]
    sources: tuple[Source, ...]

    def get(self, measure: str, cases: str = "regular") -> Figure | None:
        """A figure, or None where no run has it."""
        return self.found.get(measure if cases == "regular" else f"{measure} [{cases}]")

    @property
    def families(self) -> frozenset[str]:
        """Families of the gap battery that were run."""
        return frozenset(name.partition(".")[0] for name in self.found if "." in name) - {"cleaned", "dialogues"}


def read_figures(
    paths: Sequence[Path],
    therapist: str | None,
    columns: Mapping[str, str] | None = None,
    measures: Sequence[str] = (),
) -> Figures:
    """Figures of runs of `evaluate`, `gap` and `score`, and of people's sessions.

    Args:
        measures: What the rules ask for, by id; people's sessions are scored here, by those of them too.

    Raises:
        InputError: a run is not finished or of no kind that a gate reads; several therapists and none was named; two
            runs have the same figure.
    """
    rows: list[tuple[str, Mapping[str, Any]]] = []
    sources = []
    for path in paths:
        own, source = _rows(path, columns or {}, measures)
        rows += [(str(path), row) for row in own]
        sources += [source] if source else []
    name = _chosen(rows, therapist)
    found: dict[str, Figure] = {}
    for run, row in rows:
        group = str(row["group"])
        base, bracket, cases = group.rpartition(" [")
        special = bool(bracket) and cases.removesuffix("]") in GROUPS
        if (base if special else group) != name:
            continue
        key = str(row["measure"]) + (f" [{cases}" if special else "")
        if key in found:
            raise InputError(f"{found[key].run} and {run} both have {key!r} for {name}; give one run of each kind")
        found[key] = Figure(
            row["value"], row["low"], row["high"], int(row["n"] or 0), str(row.get("reason") or ""), run
        )
    return Figures(name, found, tuple(sources))


def _rows(
    path: Path, columns: Mapping[str, str], measures: Sequence[str]
) -> tuple[list[Mapping[str, Any]], Source | None]:
    if not (path / "manifest.json").exists():
        source = read_source(path, columns)
        registered = known("measure")
        with asking([one for one in measures if one in registered]):
            scores = score_episodes(source.episodes)
        return [*scores_json(summarise(source.episodes, scores, run_seed=0)), *_failed(source)], source
    if read_manifest(path).get("kind") == "evaluate":
        source = read_source(path)
        if source.unfinished > 0:
            raise RunFolderError(
                f"{path} is not finished: {len(source.episodes)} of {source.unfinished + len(source.episodes)} "
                f"sessions; `maieutic evaluate --resume {path}` goes on"
            )
        return [*_stored(path), *_failed(source)], source
    return _stored(path), None


def _stored(path: Path) -> list[Mapping[str, Any]]:
    try:
        rows = orjson.loads((path / "scores.json").read_bytes())
    except FileNotFoundError as error:
        raise RunFolderError(
            f"{path} has no scores.json: the run is not finished, or of a kind that no gate reads"
        ) from error
    except orjson.JSONDecodeError as error:
        raise RunFolderError(f"{path / 'scores.json'} cannot be read: {error}") from error
    needed = {"measure", "group", "value", "low", "high", "n"}
    if not isinstance(rows, list) or not all(isinstance(row, dict) and needed <= set(row) for row in rows):
        raise RunFolderError(f"{path / 'scores.json'} holds no rows of {', '.join(sorted(needed))}")
    return rows


def _failed(source: Source) -> list[Mapping[str, Any]]:
    """Failed dialogues of each arm, which the scores leave out."""
    rows: list[Mapping[str, Any]] = []
    for name in {e.key.therapist for e in source.episodes}:
        own = [e for e in source.episodes if e.key.therapist == name]
        share = wilson(sum(e.failed for e in own), len(own))
        rows.append(
            {
                "measure": FAILED,
                "group": name,
                "value": share.estimate,
                "low": share.low,
                "high": share.high,
                "n": len(own),
            }
        )
    return rows


def _chosen(rows: Sequence[tuple[str, Mapping[str, Any]]], therapist: str | None) -> str:
    names = {str(row["group"]) for _, row in rows if not str(row["group"]).endswith("]")}
    if therapist is not None:
        if therapist not in names:
            raise UnknownName("therapist in these runs", therapist, names)
        return therapist
    candidates = sorted(names - {REFERENCE})
    if len(candidates) != 1:
        raise InputError(
            f"the runs have {len(candidates)} therapists; name the one to judge with --therapist: "
            f"{', '.join(candidates)}"
        )
    return candidates[0]


def check_policy(policy: Policy, battery: Mapping[str, Callable[[], Sequence[str]]], *, stored: bool = False) -> None:
    """A measure that no run could ever have is a typo, said before anything is run. Raises `UnknownName`.

    Args:
        battery: By family of the gap battery, its figures.
        stored: The runs are there, so that measures of the user's own may stand in them: they are told apart from
            typos when the runs are read.
    """
    nothing = Figures("", {}, ())
    for rule in policy.rules:
        if not (stored and "." not in rule.measure):
            check_name(rule.measure, nothing, tuple(battery))
        names = battery.get(rule.measure.partition(".")[0])
        if names is not None and rule.measure not in (known_names := names()):
            raise UnknownName("measure", rule.measure, known_names)


def check_name(measure: str, figures: Figures, families: Sequence[str]) -> None:
    """A measure that nothing could ever have is a typo, not something unmeasured. Raises `UnknownName`."""
    family = measure.partition(".")[0]
    if "." not in measure:
        names = [*known("measure"), EFFECT]
        if measure not in names and measure not in figures.found:
            raise UnknownName("measure", measure, names)
    elif family in figures.families:
        if measure not in figures.found:
            raise UnknownName("measure", measure, [name for name in figures.found if name.startswith(f"{family}.")])
    elif family == FAILED.partition(".")[0]:
        if measure != FAILED:
            raise UnknownName("measure", measure, [FAILED])
    elif family not in (*families, "cleaned"):
        raise UnknownName("family", family, families)

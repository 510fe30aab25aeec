"""Holds a policy against what runs measured, one figure a measure for one therapist: each rule passes, fails, is left
open, or was not measured; only a pass passes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson

from maieutic.comparing.compare import Asked, compare
from maieutic.comparing.sources import Source, read_source
from maieutic.errors import InputError, RunFolderError, UnknownName
from maieutic.evaluation.findings import glossary
from maieutic.evaluation.plan import REFERENCE
from maieutic.evaluation.summary import EFFECT, GROUPS, score_episodes, scores_json, summarise
from maieutic.gating.policy import HEADINGS, Policy, Rule
from maieutic.registry import asking, known
from maieutic.runs.folder import read_manifest, row_of_scores
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
        rows.append(row_of_scores(FAILED, name, share, n=len(own)))
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


Outcome = Literal["passes", "fails", "not shown", "not measured"]
"""Fails: all of the interval breaks the bound. Not shown: a part of it does, so that more sessions could tell."""
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one rule; `told` is one sentence with the number."""

    rule: Rule
    outcome: Outcome
    told: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A policy held against one therapist.

    Attributes:
        open_headings: READI's headings for which the policy has no rule.
    """

    policy: Policy
    therapist: str
    runs: tuple[str, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def passed(self) -> bool:
        return all(one.outcome == "passes" for one in self.verdicts)

    @property
    def open_headings(self) -> tuple[str, ...]:
        return tuple(h for h in HEADINGS if not any(r.heading == h for r in self.policy.rules))

    def count(self, outcome: Outcome) -> int:
        return sum(one.outcome == outcome for one in self.verdicts)


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a release must not be worse than, and what may be unequal between the two runs."""

    source: Source
    allowed: tuple[str, ...] = ()


def judge(
    policy: Policy, figures: Figures, runs: Sequence[str], families: Sequence[str], baseline: Baseline | None = None
) -> Judged:
    """Every rule with its outcome.

    Raises:
        UnknownName: a rule names a measure or family that does not exist.
        InputError: the baseline did not meet the same patients.
    """
    for rule in policy.rules:
        check_name(rule.measure, figures, families)
    verdicts = tuple(
        _bound(rule, figures.get(rule.measure, rule.cases))
        if rule.non_inferior is None
        else _no_worse(rule, figures, baseline)
        for rule in policy.rules
    )
    return Judged(policy, figures.therapist, tuple(runs), verdicts)


def upper_limit(n: int, level: float = LEVEL) -> float:
    """The rate that n trials without a failure still allow, one-sided (about 3 ÷ n; Hanley & Lippman-Hand 1983)."""
    return float(1.0 - level ** (1.0 / n))


def trials_for(rate: float, level: float = LEVEL) -> int:
    """Trials without a failure from which `upper_limit` is no more than a rate above 0."""
    return math.ceil(math.log(level) / math.log1p(-rate))


def _bound(rule: Rule, found: Figure | None) -> Verdict:
    if found is None:
        return Verdict(rule, "not measured", _lacking(rule))
    if found.value is None:
        return Verdict(rule, "not measured", f"{found.reason or 'the value is missing'} ({found.run})")
    if rule.failures_of and found.value == 0 and found.n:
        limit = upper_limit(found.n)
        low, high = 0.0, limit if rule.holds_for == "interval" else 0.0
        text = f"0 of {found.n} {rule.failures_of}, which still allows {_number(limit)} (upper 95 % limit)"
        if rule.at_most is not None and 0 < rule.at_most < high:
            text += f"; too few to tell, it takes {trials_for(rule.at_most)} without a failure"
    elif rule.holds_for == "estimate":
        low = high = found.value
        text = f"{_number(found.value)} (estimate, n = {found.n})"
    elif found.low is None or found.high is None:
        return Verdict(rule, "not measured", f"{_number(found.value)} has no interval (n = {found.n})")
    else:
        low, high = found.low, found.high
        text = f"{_number(found.value)} [{_number(low)}, {_number(high)}], n = {found.n}"
    outcome = _outcome(rule, low, high)
    beyond = (
        ", which the estimate breaks"
        if outcome == "not shown" and _outcome(rule, *[found.value] * 2) == "fails"
        else ""
    )
    return Verdict(rule, outcome, f"{text}; asked {asked(rule)}{beyond}")


def _outcome(rule: Rule, low: float, high: float) -> Outcome:
    least = -math.inf if rule.at_least is None else rule.at_least
    most = math.inf if rule.at_most is None else rule.at_most
    if least <= low and high <= most:
        return "passes"
    return "fails" if high < least or most < low else "not shown"


def _lacking(rule: Rule) -> str:
    """What to run for a figure that no run has."""
    family, dot, _ = rule.measure.partition(".")
    if dot and rule.measure != FAILED:
        return f"no run has it; `maieutic gap --family {family} --therapist …` makes one, to be named beside the others"
    request = getattr(known("measure").get(rule.measure), "on_request", False)
    command = (
        f"`maieutic rescore RUN --measure {rule.measure}` adds it" if request else "it comes from `maieutic evaluate`"
    )
    return f"no run has it on {rule.cases} cases; {command}"


def asked(rule: Rule) -> str:
    """The bound in words."""
    if rule.non_inferior is not None:
        return f"no more than {_number(rule.non_inferior)} worse than the baseline"
    parts = [f"at least {_number(rule.at_least)}"] if rule.at_least is not None else []
    parts += [f"at most {_number(rule.at_most)}"] if rule.at_most is not None else []
    return " and ".join(parts) + (
        " for the whole interval" if rule.holds_for == "interval" else " for the estimate alone"
    )


def _no_worse(rule: Rule, figures: Figures, baseline: Baseline | None) -> Verdict:
    assert rule.non_inferior is not None
    own = next((one for one in figures.sources if figures.therapist in one.therapists), None)
    if baseline is None or own is None:
        missing = "no --baseline was given" if baseline is None else "no run of sessions has this therapist"
        return Verdict(rule, "not measured", missing)
    before = _counterpart(baseline.source, figures.therapist)
    entry = glossary(score_episodes(own.episodes[:1])).get(rule.measure)
    if entry is None or entry.better not in ("higher", "lower"):
        return Verdict(rule, "not measured", f"{rule.measure} claims no direction, so nothing is worse")
    arms = Asked((before, figures.therapist), (rule.measure,), allowed=baseline.allowed)
    row = compare((baseline.source, own), arms).contests[0].row(rule.measure, rule.cases)
    if row is None or row.difference.low is None or row.difference.high is None or row.difference.estimate is None:
        return Verdict(rule, "not measured", f"{rule.measure} has no paired difference on {rule.cases} cases")
    found, turn = row.difference, entry.sign
    assert found.estimate is not None and found.low is not None and found.high is not None
    estimate, (worst, best) = turn * found.estimate, sorted((turn * found.low, turn * found.high))
    text = (
        f"{'better' if estimate >= 0 else 'worse'} by {_number(abs(estimate))} than {before} in {baseline.source.name}"
    )
    text += f", at worst {_number(-worst) if worst < 0 else 'no'} worse ({found.cases} cases)"
    outcome: Outcome = (
        "passes" if worst >= -rule.non_inferior else "fails" if best < -rule.non_inferior else "not shown"
    )
    return Verdict(rule, outcome, f"{text}; asked {asked(rule)}")


def _counterpart(source: Source, therapist: str) -> str:
    names = [name for name in source.therapists if name != REFERENCE]
    if therapist in names:
        return therapist
    if len(names) == 1:
        return names[0]
    raise InputError(
        f"--baseline {source.name} has no {therapist!r} and several others ({', '.join(names)}); run the "
        "one to hold against alone"
    )


def _number(value: float) -> str:
    return (
        f"{value:.3f}".rstrip("0").rstrip(".").replace("-", "−") if abs(value) < 1 else f"{value:.1f}".replace("-", "−")
    )

"""The tracker's evidence: log score, Brier with its resolution, hits, calibration and entropy, by factor and turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from maieutic.runs.findings import Finding, above, at_most
from maieutic.stats import Interval, bootstrap_mean
from maieutic.tracking.space import BELIEFS, Floats
from maieutic.validation import forecasts
from maieutic.validation.tracking.forecasted import CEILED, FACTORS, WORLDS, Forecasts

FROM_TURN = 5
"""Therapist turn from which forecasts are scored."""
ASKED = ("belief", "conviction", "emotion", "accurate", "risk")
"""What the tracker has to forecast better than the prior and than the last exchange alone, in each world."""
BASELINES = {"prior": "the prior", "last": "the last exchange alone", "constant": "a constant that knows the world"}


@dataclass(frozen=True, slots=True)
class FactorLine:
    """One factor in one world by one method from turn 5 on, every score with its interval over cases.

    `band` is the ECE of a perfectly calibrated forecaster over so few cases: rows of a case with the same truth share
    their luck.
    """

    world: str
    factor: str
    method: str
    scores: dict[str, Interval]
    band: Interval


@dataclass(frozen=True, slots=True)
class TrackerEvidence:
    """Everything that a run found.

    Attributes:
        sessions, cases: What was played.
        lines: Scores from turn 5 on, by world, factor and method.
        curves: By (factor, method), at home: mean log score after each patient turn; index 0 is the opening.
        findings: Figures with their bounds.
    """

    sessions: int
    cases: int
    lines: tuple[FactorLine, ...]
    curves: dict[tuple[str, str], tuple[float, ...]]
    findings: tuple[Finding, ...]


def judged(found: Sequence[Forecasts], human: Sequence[Finding] = ()) -> TrackerEvidence:
    """Scores, curves and bounds of played sessions."""
    found = [_with_constant(one, found) for one in found]
    worlds = [world for world in WORLDS if any(one.world == world for one in found)]
    home = [one for one in found if one.world == worlds[0]]
    lines = [
        FactorLine(
            world,
            factor,
            method,
            forecasts.intervals(p, y, groups, rng=Random(7), draws=300),
            forecasts.perfect_band(p, rng=Random(7), luck=list(zip(groups, y.tolist(), strict=True)), draws=500),
        )
        for world in worlds
        for factor in FACTORS
        for method in ("tracker", *BASELINES, "ceiling")
        if (rows := _scored([one for one in found if one.world == world], method, factor)) is not None
        for p, y, groups in [rows]
    ]
    curves = {
        (factor, method): tuple(_by_turn(home, method, factor))
        for factor in FACTORS
        for method in ("tracker", "prior", "last")
    }
    bounds = [
        *(line for world in worlds for line in _beats(found, world)),
        *_calibrated(lines),
        *_consistency(home),
        *_ceilings(home),
        *human,
    ]
    return TrackerEvidence(len(found), len({f.case for f in found}), tuple(lines), curves, tuple(bounds))


def _with_constant(one: Forecasts, found: Sequence[Forecasts]) -> Forecasts:
    """With the forecast of a constant: the shares from turn 5 on of the other cases in this world, and one more of each
    hypothesis."""
    chances = dict(one.chances)
    for factor, size in FACTORS.items():
        known = [f.truths[factor][FROM_TURN:] for f in found if f.world == one.world and f.case != one.case]
        counts = np.bincount(np.concatenate([np.zeros(0, dtype=int), *known]).astype(int), minlength=size) + 1.0
        chances["constant", factor] = np.tile(counts / counts.sum(), (len(one.truths[factor]), 1))
    return replace(one, chances=chances)


def _scored(found: Sequence[Forecasts], method: str, factor: str) -> tuple[Floats, Floats, list[str]] | None:
    """(chances, truths, cases) after every patient turn from turn 5 on."""
    own = [f for f in found if (method, factor) in f.chances and len(f.chances[method, factor]) > FROM_TURN]
    if not own:
        return None
    rows = [f.chances[method, factor][FROM_TURN:] for f in own]
    p = np.concatenate(rows).astype(np.float64)
    truths = [f.truths[factor][FROM_TURN : FROM_TURN + len(r)] for f, r in zip(own, rows, strict=True)]
    cases = [f.case for f, r in zip(own, rows, strict=True) for _ in r]
    return p / p.sum(axis=1, keepdims=True), np.concatenate(truths), cases


def _surprise(one: Forecasts, method: str, factor: str) -> Floats:
    """−ln of what was true, by patient turn."""
    p = one.chances[method, factor].astype(np.float64)
    p = p / p.sum(axis=1, keepdims=True)
    truth = one.truths[factor][: len(p)].astype(int)
    return np.asarray(-np.log(np.maximum(p[np.arange(len(p)), truth], forecasts.FLOOR)))


def _by_turn(found: Sequence[Forecasts], method: str, factor: str) -> list[float]:
    rows = [_surprise(f, method, factor) for f in found]
    longest = max(map(len, rows))
    return [float(np.mean([r[at] for r in rows if len(r) > at])) for at in range(longest)]


def _beats(found: Sequence[Forecasts], world: str) -> list[Finding]:
    """Log score against each baseline from turn 5 on; cases count alike, and are drawn whole."""
    own = [f for f in found if f.world == world and len(f.truths["belief"]) > FROM_TURN]
    cases = [f.case for f in own]
    lines = []
    for factor in FACTORS:
        for other, name in BASELINES.items():
            gaps = [
                float(np.mean((_surprise(f, other, factor) - _surprise(f, "tracker", factor))[FROM_TURN:])) for f in own
            ]
            value = bootstrap_mean(gaps, clusters=cases, rng=Random(7), draws=1000)
            title = f"{world}: {factor}: log score gained on {name}, from turn {FROM_TURN} on"
            asked = factor in ASKED
            holds = above(value, 0.0) if asked else None
            if asked and other == "constant":  # it is enough that nothing is lost that can be shown
                holds = not at_most(value, 0.0)
            lines.append(Finding("better than", title, value, "nats", _BOUND[other] if asked else "", holds))
    return lines


_BOUND = {"prior": "above 0", "last": "above 0", "constant": "not shown to be below 0"}


def _calibrated(lines: Sequence[FactorLine]) -> list[Finding]:
    found = []
    for line in lines:
        if line.method != "tracker":
            continue
        ece = line.scores["ece"]
        beside = {"a perfectly calibrated forecaster of so few cases, by chance": line.band.estimate}
        band = f"a perfectly calibrated forecaster: {line.band.low:.3f}–{line.band.high:.3f}"
        asked = line.factor in ASKED
        title = f"{line.world}: {line.factor}: ECE of the top hypothesis from turn {FROM_TURN} on"
        holds = (ece.estimate or 0.0) <= 0.05 if asked else None
        bound = "≤ 0.05 (the estimate)" if asked else ""
        found.append(Finding("calibration", title, ece, "0–1", bound, holds, band, beside=beside))
    return found


def _consistency(found: Sequence[Forecasts]) -> list[Finding]:
    """FANToM's lesson (Kim et al. 2023): right in free text, by choice and by yes or no, for the same session."""
    free, choice, yes, whole, cases = [], [], [], [], []
    for one in found:
        p, truth = one.chances["tracker", "belief"][-1], int(one.truths["belief"][-1])
        text = one.thought_found[-1]
        if text is None:
            continue
        right = int(np.argmax(p)) == truth
        said = bool(p[truth] >= 1.5 / len(BELIEFS))
        free.append(float(text))
        choice.append(float(right))
        yes.append(float(said))
        whole.append(float(text and right and said))
        cases.append(one.case)
    if not cases:
        return []
    return [
        Finding("forms", title, bootstrap_mean(values, clusters=cases, rng=Random(7)), "share", note=note)
        for title, values, note in (
            (
                "free text: the turn held to be the hot thought does say it",
                free,
                "sessions in which the tracker named one",
            ),
            ("choice: the likeliest of the 19 beliefs is the true one", choice, ""),
            ("yes or no: the true belief is held likelier than half as much again as chance", yes, ""),
            ("all three forms right for the same session", whole, ""),
        )
    ]


def _ceilings(found: Sequence[Forecasts]) -> list[Finding]:
    """What the true transitions would add, on the sessions where both were run."""
    lines = []
    for factor in CEILED:
        own = [f for f in found if ("ceiling", factor) in f.chances]
        if not own:
            continue
        gaps = [
            float(
                np.mean(_surprise(f, "tracker", factor)[FROM_TURN:])
                - np.mean(_surprise(f, "ceiling", factor)[FROM_TURN:])
            )
            for f in own
            if len(f.truths[factor]) > FROM_TURN
        ]
        cases = [f.case for f in own if len(f.truths[factor]) > FROM_TURN]
        value = bootstrap_mean(gaps, clusters=cases, rng=Random(7))
        lines.append(
            Finding(
                "ceiling",
                f"{factor}: log score that the filter with the true transitions gains on the tracker",
                value,
                "nats",
                note="it knows the case and how each turn was taken",
            )
        )
    return lines

"""The tracker's evidence: log score, Brier with its resolution, hits, calibration and entropy, by factor and turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from maieutic.runs.findings import Finding, above, at_most
from maieutic.stats import Interval, bootstrap_mean
from maieutic.tracking.space import BELIEFS, Floats
from maieutic.validation import forecasts
from maieutic.validation.tracking.forecasted import CEILED, FACTORS, Forecasts

FROM_TURN = 3
"""Therapist turn from which the tracker has to beat both baselines at every turn."""
HEADLINE = ("belief", "conviction")
"""What the hypothesis of the greatest interest is: the belief behind the thought, and how firmly it is held."""


@dataclass(frozen=True, slots=True)
class FactorLine:
    """One factor by one method at the end of sessions, every score with its interval over cases."""

    factor: str
    method: str
    scores: dict[str, Interval]
    band: Interval


@dataclass(frozen=True, slots=True)
class TrackerEvidence:
    """Everything that a run found.

    Attributes:
        sessions, cases: What was played.
        lines: Scores at the end, by factor and method.
        curves: By (factor, method): mean log score after each patient turn; index 0 is the opening.
        findings: Figures with their bounds.
    """

    sessions: int
    cases: int
    lines: tuple[FactorLine, ...]
    curves: dict[tuple[str, str], tuple[float, ...]]
    findings: tuple[Finding, ...]


def judged(found: Sequence[Forecasts], human: Sequence[Finding] = ()) -> TrackerEvidence:
    """Scores, curves and bounds of played sessions."""
    lines = [
        FactorLine(
            factor,
            method,
            forecasts.intervals(p, y, groups, rng=Random(7), draws=300),
            forecasts.perfect_band(p, rng=Random(7), draws=500),
        )
        for factor in FACTORS
        for method in ("tracker", "prior", "last", "ceiling")
        if (rows := _at_end(found, method, factor)) is not None
        for p, y, groups in [rows]
    ]
    curves = {
        (factor, method): tuple(_by_turn(found, method, factor))
        for factor in FACTORS
        for method in ("tracker", "prior", "last")
    }
    bounds = [*_beats(found), *_calibrated(lines), *_consistency(found), *_ceilings(found), *human]
    return TrackerEvidence(len(found), len({f.case for f in found}), tuple(lines), curves, tuple(bounds))


def _at_end(found: Sequence[Forecasts], method: str, factor: str) -> tuple[Floats, Floats, list[str]] | None:
    """(chances, truths, cases) after the last patient turn of every session."""
    own = [f for f in found if (method, factor) in f.chances]
    if not own:
        return None
    p = np.array([f.chances[method, factor][-1] for f in own], dtype=np.float64)
    y = np.array([f.truths[factor][len(f.chances[method, factor]) - 1] for f in own])
    return p / p.sum(axis=1, keepdims=True), y, [f.case for f in own]


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


def _beats(found: Sequence[Forecasts]) -> list[Finding]:
    """Log score against the prior and against the last exchange alone, at every turn from the third."""
    lines = []
    for factor in FACTORS:
        for other in ("prior", "last"):
            gaps = [_surprise(f, other, factor) - _surprise(f, "tracker", factor) for f in found]
            longest = max(map(len, gaps))
            by_turn = {}
            for at in range(FROM_TURN, longest):
                rows = [(f.case, g[at]) for f, g in zip(found, gaps, strict=True) if len(g) > at]
                if len(rows) >= 0.2 * len(found):
                    by_turn[at] = bootstrap_mean(
                        [v for _, v in rows], clusters=[c for c, _ in rows], rng=Random(7), draws=400
                    )
            worst = min(by_turn, key=lambda at: _low(by_turn[at]))
            value = by_turn[worst]
            asked = factor in HEADLINE
            lines.append(
                Finding(
                    "better than",
                    f"{factor}: log score gained on {'the prior' if other == 'prior' else 'the last exchange alone'}, "
                    f"worst turn from {FROM_TURN} on (turn {worst})",
                    value,
                    "nats",
                    "above 0" if asked else "",
                    above(value, 0.0) if asked else None,
                )
            )
    return lines


def _low(value: Interval) -> float:
    return -9.0 if value.low is None else value.low


def _calibrated(lines: Sequence[FactorLine]) -> list[Finding]:
    found = []
    prior = {line.factor: line for line in lines if line.method == "prior"}
    for line in lines:
        if line.method != "tracker":
            continue
        ece, resolution = line.scores["ece"], line.scores["resolution"]
        band = f"a perfectly calibrated forecaster: {line.band.low:.3f}–{line.band.high:.3f}"
        asked = line.factor in HEADLINE
        found.append(
            Finding(
                "calibration",
                f"{line.factor}: ECE of the top hypothesis at the end",
                ece,
                "0–1",
                "≤ 0.05" if asked else "",
                at_most(ece, 0.05) if asked else None,
                band,
            )
        )
        base = prior[line.factor].scores["resolution"].estimate or 0.0
        found.append(
            Finding(
                "calibration",
                f"{line.factor}: resolution at the end",
                resolution,
                "0–0.25",
                f"above the prior's {base:.4f}" if asked else "",
                above(resolution, base) if asked else None,
            )
        )
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

"""A language model asked directly, beside the tracker: the same turns, the same truths, the same scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from maieutic.runs.findings import Finding, show
from maieutic.stats import bootstrap_mean, wilson
from maieutic.validation import forecasts
from maieutic.validation.tracking.direct import ASKED, Place, Told

METHOD = "asked directly"
METHODS = (METHOD, "tracker", "last", "prior", "ceiling")
COLUMNS = ("factor", "method", "turns", "log score, nats", "Brier", "top-1", "ECE")
_SCORES = ("log score", "brier", "top-1", "ece")


@dataclass(frozen=True, slots=True)
class DirectEvidence:
    """What asking the model found.

    Attributes:
        spec: The model. asked: Places at which it was asked.
        findings: Figures without bounds. rows: Shown cells of the table of scores, in the order of `COLUMNS`.
    """

    spec: str
    asked: int
    findings: tuple[Finding, ...]
    rows: tuple[tuple[str, ...], ...]


def judged_directly(spec: str, places: Sequence[Place], said: Sequence[Told]) -> DirectEvidence:
    """Scores at the turns where the model gave a usable answer, and how often it did not, with the reasons."""
    findings: list[Finding] = []
    rows: list[tuple[str, ...]] = []
    for factor in ASKED:
        usable = [
            (place, one.chances[factor]) for place, one in zip(places, said, strict=True) if factor in one.chances
        ]
        reasons = Counter(one.missing[factor] for one in said if factor in one.missing)
        findings.append(_usable(factor, spec, len(usable), len(places), reasons))
        findings += _gaps(factor, spec, usable)
        rows += _scored(factor, usable)
    return DirectEvidence(spec, len(places), tuple(findings), tuple(rows))


def _usable(factor: str, spec: str, usable: int, asked: int, reasons: Counter[str]) -> Finding:
    why = "; ".join(f"{count} × the model {reason}" for reason, count in reasons.most_common())
    return Finding(
        METHOD,
        f"{factor}: turns at which {spec} gave a usable answer ({usable} of {asked})",
        wilson(usable, asked) if asked else None,
        "share",
        note=why,
    )


def surprise(chances: forecasts.Floats, truth: int) -> float:
    """−ln of what was given to the truth, with the floor of the log score, nats."""
    return float(-np.log(max(float(chances[truth]), forecasts.FLOOR)))


def _gaps(factor: str, spec: str, usable: Sequence[tuple[Place, forecasts.Floats]]) -> list[Finding]:
    """Log score that each other method gains on the model, on the turns where both have one."""
    found = []
    for method in METHODS[1:]:
        pairs = [
            (place.forecasts.case, surprise(own, place.truth(factor)) - surprise(other, place.truth(factor)))
            for place, own in usable
            if (other := place.chances(method, factor)) is not None
        ]
        if pairs:
            gain = bootstrap_mean([gap for _, gap in pairs], clusters=[case for case, _ in pairs], rng=Random(7))
            who = {"last": "the last exchange alone", "ceiling": "the filter with the true transitions"}.get(
                method, f"the {method}"
            )
            found.append(
                Finding(METHOD, f"{factor}: log score that {who} gains on {spec} asked directly", gain, "nats")
            )
    return found


def _scored(factor: str, usable: Sequence[tuple[Place, forecasts.Floats]]) -> list[tuple[str, ...]]:
    rows = []
    for method in METHODS:
        own = [
            (place, chances)
            for place, given in usable
            if (chances := given if method == METHOD else place.chances(method, factor)) is not None
        ]
        if not own:
            continue
        p = np.array([chances for _, chances in own], dtype=np.float64)
        y = np.array([place.truth(factor) for place, _ in own])
        scores = forecasts.intervals(
            p / p.sum(axis=1, keepdims=True), y, [place.forecasts.case for place, _ in own], rng=Random(7), draws=300
        )
        rows.append((factor, method, str(len(own)), *(show(scores[name]) for name in _SCORES)))
    return rows

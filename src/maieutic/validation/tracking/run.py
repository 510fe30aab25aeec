"""One run of `maieutic validate tracker`: what is played, what comes of it, and its page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np

from maieutic.errors import UnreadableFile
from maieutic.library import SPLITS, case_ids
from maieutic.runs.findings import Finding, Page, show
from maieutic.runs.work import Tick
from maieutic.stats import Interval, bootstrap_mean
from maieutic.tracking.space import BELIEFS
from maieutic.tracking.tracker import MindTracker
from maieutic.validation import forecasts
from maieutic.validation.tracking.direct_evidence import COLUMNS as DIRECT_COLUMNS
from maieutic.validation.tracking.direct_evidence import DirectEvidence
from maieutic.validation.tracking.evidence import TrackerEvidence, judged
from maieutic.validation.tracking.forecasted import HOME, SECOND, WORLDS, forecast_all

ARMS = ("socratic", "padesky_script", "wide", "warm", "advice")
"""Therapists of very different skill: a tracker must not be good with one kind only."""
CAUTION = (
    "The simulated patients and the tracker were written in one project, and both know the same kinds "
    "of feeling, belief and "
    "answer. What is shown is that the tracker recovers a mind of this model from its words, not that it reads people."
)
_COLUMNS = ("world", "factor", "method", "log score, nats", "Brier", "top-1", "ECE", "resolution", "entropy, nats")


@dataclass(frozen=True, slots=True)
class Plan:
    """Cases × worlds × therapists × seeds; the slow ceiling for the first `ceiled` seeds only."""

    cases: tuple[str, ...]
    worlds: tuple[str, ...]
    seeds: int
    ceiled: int

    @property
    def sessions(self) -> int:
        return len(self.cases) * len(self.worlds) * len(ARMS) * self.seeds


def make_plan(split: str, *, quick: bool, seeds: int | None) -> Plan:
    """What is to be played."""
    names = case_ids(SPLITS[split])
    if quick:
        return Plan(names[:4], (HOME, SECOND), seeds or 1, 0)
    return Plan(names, WORLDS, seeds or 2, 1)


def gather(plan: Plan, tick: Tick, human: Sequence[Finding] = ()) -> TrackerEvidence:
    """Play and judge."""
    return judged(forecast_all(plan.cases, plan.worlds, ARMS, plan.seeds, plan.ceiled, tick), human)


_FINE = {
    "I am helpless": "helpless",
    "I am incompetent": "incompetent",
    "I am powerless, weak, vulnerable": "powerless",
    "I am a victim": "victim",
    "I am needy": "needy",
    "I am trapped": "trapped",
    "I am out of control": "out_of_control",
    "I am a failure, loser": "failure",
    "I am defective": "defective",
    "I am unlovable": "unlovable",
    "I am unattractive": "unattractive",
    "I am undesirable, unwanted": "undesired",
    "I am bound to be rejected": "bound_to_be_rejected",
    "I am bound to be abandoned": "bound_to_be_abandoned",
    "I am bound to be alone": "bound_to_be_alone",
    "I am worthless, waste": "worthless",
    "I am immoral": "immoral",
    "I am bad - dangerous, toxic, evil": "bad",
    "I don’t deserve to live": "does_not_deserve_to_live",
}
"""The labels of the expert-labelled set, by our identifiers."""


def human_beliefs(data: Path) -> list[Finding]:
    """Core beliefs that experts labelled (`cbt_bench` seeds), read by the tracker's ear from situation and thought.

    An item may carry several labels; a hit is a likeliest belief among them. Raises `UnreadableFile`.
    """
    path = data / "cbt_bench" / "core_fine_seed.json"
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableFile(f"{path} cannot be read ({error}); --data must be a folder that has cbt_bench") from error
    ear = MindTracker.packaged().ear
    hits, among, chance, logs = [], [], [], []
    for row in rows:
        truths = {_FINE[label] for label in row["core_belief_fine_grained"] if label in _FINE}
        if not truths:
            continue
        heard = ear.hear(f"{row['situation']} {row['thoughts']}", None, frozenset())  # type: ignore[attr-defined]
        weights = np.exp(heard.category - heard.category.max())
        weights = weights / weights.sum()
        order = [BELIEFS[i] for i in np.argsort(-weights)]
        hits.append(float(order[0] in truths))
        among.append(float(bool(set(order[:3]) & truths)))
        chance.append(len(truths) / len(BELIEFS))
        logs.append(-float(np.log(max(sum(weights[BELIEFS.index(t)] for t in truths), forecasts.FLOOR))))
    base = float(np.mean(chance)) if chance else 0.0
    note = f"{len(hits)} expert-labelled items; a guess hits {base:.2f}"
    return [
        Finding(
            "human data", "core belief: likeliest of 19 is among the experts' labels", _mean(hits), "share", note=note
        ),
        Finding("human data", "core belief: one of the three likeliest is", _mean(among), "share", note=note),
        Finding(
            "human data",
            "core belief: −ln of the mass on the experts' labels",
            _mean(logs),
            "nats",
            note=f"an even guess: {float(np.mean([-np.log(c) for c in chance])):.2f}",
        ),
    ]


def _mean(values: Sequence[float]) -> Interval:
    return bootstrap_mean(list(values), rng=Random(7))


def page(evidence: TrackerEvidence, direct: DirectEvidence | None = None) -> Page:
    """The page of a run, with what asking a model directly found where one was asked."""
    rows = [
        [
            line.world,
            line.factor,
            line.method,
            *(show(line.scores[name]) for name in ("log score", "brier", "top-1", "ece", "resolution", "entropy")),
        ]
        for line in evidence.lines
    ]
    turns = (0, 1, 3, 5, 10, 15, 19)
    curves = [
        [factor, method, *(f"{values[at]:.2f}" if at < len(values) else "–" for at in turns)]
        for (factor, method), values in evidence.curves.items()
    ]
    asked = (
        ((f"{direct.spec} asked directly, on the turns where it gave a usable answer", DIRECT_COLUMNS, direct.rows),)
        if direct
        else ()
    )
    return Page(
        title="is the mind tracked?",
        question="Does the tracker know the mind, and does it know when it does not?",
        played=f"{evidence.sessions} sessions with {evidence.cases} cases and {len(ARMS)} therapists.",
        caution=CAUTION,
        findings=(*evidence.findings, *(direct.findings if direct else ())),
        tables=(
            *asked,
            ("Scores from turn 5 on", _COLUMNS, rows),
            (
                "Log score at home by therapist turn (0 is the opening), nats",
                ("factor", "method", *map(str, turns)),
                curves,
            ),
        ),
    )

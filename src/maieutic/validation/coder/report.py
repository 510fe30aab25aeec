"""The evidence on the coder as one self-contained page, and as data for a gate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from maieutic.runs import figures
from maieutic.runs.findings import Page, Section
from maieutic.runs.shown import Table
from maieutic.validation.coder.evidence import CoderEvidence
from maieutic.validation.coder.judged import ABSTAINING, PLANS, Judged

MIN_ITEMS = 5
"""Bins with fewer utterances than this are left out of the picture; the text beside it has them."""


def reliability(head: Judged) -> str:
    """Share that was right by probability claimed, ten bins; a dot's area is the share of utterances in it."""
    rows = [{"claimed": c, "right": r, "share": s} for s, c, r in head.bins if s * head.rows >= MIN_ITEMS]
    unit = {"domain": [0, 1], "nice": False}
    axis = {"values": [0, 0.25, 0.5, 0.75, 1]}
    x = figures.scaled("claimed", "probability claimed", scale=unit, axis=axis)
    y = figures.scaled("right", "share right", scale=unit, axis=axis)
    size = figures.scaled("share", scale={"domain": [0, 1], "range": [12, 700]}, legend=None)
    dot = {"type": "point", "filled": True, "color": figures.BLUE, "opacity": 1}
    diagonal = [{"claimed": 0, "right": 0}, {"claimed": 1, "right": 1}]
    layers = [
        figures.layer(diagonal, {**figures.DASHED, "type": "line", "strokeWidth": 1}, x=x, y=y),
        figures.layer(rows, {"type": "line", "color": figures.BLUE, "strokeWidth": 1.5}, x=x, y=y),
        figures.layer(rows, dot, x=x, y=y, size=size),
    ]
    spec = figures.layered(layers, width=190, height=150)
    said = "; ".join(f"claimed {c:.2f}, right {r:.2f} ({s:.0%} of codes)" for s, c, r in head.bins)
    return figures.drawn(spec, f"Reliability, {head.plan.title}", said)


def coverage(head: Judged) -> str:
    """Macro-F1 of the utterances that are left when the least certain ones abstain."""
    rows = [{"coded": c, "value": v} for c, v in head.coverage]
    values = [v for _, v in head.coverage]
    low, high = min(values), max(values)
    pad = max(0.02, 0.1 * (high - low))
    scale = {"domain": [max(0.0, low - pad), min(1.0, high + pad)], "nice": False}
    ends = {"domain": [1.0, min(c for c, _ in head.coverage)], "nice": False}
    x = figures.scaled("coded", "share of utterances coded", scale=ends, axis={"format": ".0%", "tickCount": 5})
    y = figures.scaled("value", "macro-F1", scale=scale, axis={"tickCount": 5})
    layers = [
        figures.layer([{"coded": 1.0 - ABSTAINING}], {**figures.DASHED, "strokeWidth": 1}, x=x),
        figures.layer(rows, {"type": "line", "color": figures.TEAL, "strokeWidth": 2}, x=x, y=y),
    ]
    spec = figures.layered(layers, width=190, height=150)
    said = "; ".join(f"{c:.0%} coded: {v:.3f}" for c, v in head.coverage)
    return figures.drawn(spec, f"Abstaining, {head.plan.title}", said)


RULE = (
    "A bound holds when the point estimate reaches it; this decides the exit code. Beside it stands whether the "
    "whole 95 % interval reaches it too, which is the stricter rule that the rest of this project uses."
)
COUNTS = ("cases", "files")
"""Units of the lines that check the evidence itself: no group in two folds, no weights of another day."""
PLAYED = (
    "Every figure is out of fold: each row was coded by a coder that never saw its group (video, session, thought, "
    "stimulus, or utterance where there is nothing larger). F1 is the mean over seeds; intervals are by bootstrap over "
    "whole groups. They are recomputed here from stored probabilities and the human codes in --data, whose files were "
    "checked by hash."
)
CAUTION = (
    "AnnoMI and HLQC are demonstration sessions of motivational interviewing, many of them role-played, their "
    "low-quality ones few and mostly scripted: nothing here is a measure of a therapist's competence. Codes name the "
    "form of an utterance, not whether it was apt or true to what was said. Human codes of one annotator, where there "
    "is only one, set a ceiling below 1. The share of open questions and the matching of function words do not "
    "separate high from low quality in both sets alike; no claim rests on them. A research and training tool; it "
    "treats nobody."
)
HUMAN = (
    "On AnnoMI, some sessions were coded by ten annotators. Each of them is held against each other one as if one were "
    "the coder: macro-F1 of every ordered pair, averaged, with an interval over sessions. Open or closed is compared "
    "where both saw a question."
)
TRANSFER = (
    "The packaged coder on sets that it was not fitted on. Length alone separates high from low sessions, so the bound "
    "is on pairs of like length. Human codes of other schemes are mapped to AnnoMI's labels."
)


def page(evidence: CoderEvidence) -> Page:
    """The page of a run, and its data: numbers and label names only."""
    titles = {plan.head: plan.title for plan in PLANS}
    heads = {head.plan.head: head for head in evidence.heads}
    others = {
        "human agreement": Section("Human agreement", HUMAN),
        "transfer": Section("Other recordings", TRANSFER, tables=(_sources(),)),
    }
    sections = []
    for check in dict.fromkeys(line.check for line in evidence.lines):
        part = _of_head(heads[check]) if check in heads else others.get(check, Section(titles.get(check, check)))
        sections.append(replace(part, findings=tuple(line for line in evidence.lines if line.check == check)))
    return Page(
        title="can the behaviour coder be believed?",
        question="Can the behaviour coder be believed?",
        played=PLAYED,
        caution=CAUTION,
        findings=tuple(evidence.lines),
        rule=RULE,
        quick=evidence.quick,
        sections=tuple(sections),
        digits=lambda line: 0 if line.unit in COUNTS else 3,
        data={
            "format": 1,
            "kind": "validate coder",
            "quick": evidence.quick,
            "rule": RULE,
            "heads": {head.plan.head: _head_json(head) for head in evidence.heads},
            "missing": [plan.head for plan in evidence.missing],
        },
    )


def _sources() -> Table:
    rows = [(plan.title, one.what, f"{one.value:g}", one.source) for plan in PLANS for one in plan.known]
    return Table("Where the figures beside ours are from", ("head", "figure", "value", "source"), rows)


def _of_head(head: Judged) -> Section:
    """One head: how its figures came, how sure it is, and every label."""
    names = [one.label for one in head.labels]
    by_label = [
        (
            one.label,
            str(one.rows),
            one.f1.shown(3, "missing"),
            *("–" if value is None else f"{value:.3f}" for value in (one.precision, one.recall, one.tfidf)),
        )
        for one in head.labels
    ]
    tables = [Table("By label", ("label", "rows", "F1", "precision", "recall", "F1 of TF-IDF"), by_label)]
    if head.confusion is not None:
        counts = [[name, *(f"{value:.0f}" for value in row)] for name, row in zip(names, head.confusion, strict=True)]
        told = "Confusion: human code by row, given code by column, rows counted as means over seeds"
        tables.append(Table(told, ("human code", *names), counts))
    if head.stimuli:
        areas = [(name, str(rows), "–" if area is None else f"{area:.3f}") for name, rows, area in head.stimuli]
        tables.append(Table("By held-out stimulus", ("stimulus", "rows", "AUC"), areas))
    return Section(
        head.plan.title,
        f"{head.plan.head}; probabilities made on {head.made}; the unit is the {head.plan.unit}.",
        charts=(
            (
                "Reliability: share right by probability claimed. A dot's area is the share of codes in it.",
                reliability(head),
            ),
            ("Abstaining: macro-F1 of what is left; dashed, the least certain 20 % left out.", coverage(head)),
        ),
        tables=tuple(tables),
    )


def _head_json(head: Judged) -> dict[str, Any]:
    return {
        "made": head.made,
        "rows": head.rows,
        "groups": head.groups,
        "seeds": head.seeds,
        "folds": head.folds,
        "majority_macro_f1": head.majority_f1,
        "labels": {
            one.label: {
                "rows": one.rows,
                "f1": one.f1.estimate,
                "low": one.f1.low,
                "high": one.f1.high,
                "precision": one.precision,
                "recall": one.recall,
                "tfidf_f1": one.tfidf,
            }
            for one in head.labels
        },
        "bins": _named(("share", "claimed", "right"), head.bins),
        "coverage": _named(("coded", "macro_f1"), head.coverage),
        "confusion": None if head.confusion is None else head.confusion.round(1).tolist(),
        "stimuli": _named(("group", "rows", "auc"), head.stimuli),
    }


def _named(names: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> list[dict[str, Any]]:
    return [dict(zip(names, cells, strict=True)) for cells in rows]

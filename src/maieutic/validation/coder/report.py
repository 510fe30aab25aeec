"""The evidence on the coder as one self-contained page, and as data for a gate."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from maieutic.runs import figures
from maieutic.runs.files import write_json, write_whole
from maieutic.runs.findings import Finding, broken
from maieutic.runs.shown import environment
from maieutic.stats import Interval
from maieutic.validation.coder.evidence import Agreement, CoderEvidence
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
    "A bound is reached when the point estimate reaches it; this decides the exit code. Beside it stands whether the "
    "whole 95 % interval reaches it too, which is the stricter rule that the rest of this project uses."
)
COUNTS = ("cases", "files")
"""Units of the lines that check the evidence itself: no group in two folds, no weights of another day."""


def write(evidence: CoderEvidence, folder: Path) -> None:
    """`report.html` and `findings.json`, each written whole. Raises `StorageError`."""
    write_json(folder / "findings.json", as_json(evidence))
    write_whole(folder / "report.html", render(evidence).encode())


def as_json(evidence: CoderEvidence) -> dict[str, Any]:
    """All figures as plain data; numbers and label names only."""
    return {
        "format": 1,
        "kind": "validate coder",
        "quick": evidence.quick,
        "rule": RULE,
        "findings": [line.as_json() for line in evidence.lines],
        "heads": {head.plan.head: _head_json(head) for head in evidence.heads},
        "missing": [plan.head for plan in evidence.missing],
    }


def render(evidence: CoderEvidence) -> str:
    """The page: no script, no external request."""
    titles = {plan.head: plan.title for plan in PLANS}
    asked = [line for line in evidence.lines if line.asked and line.unit not in COUNTS]
    sound = [line for line in evidence.lines if line.asked and line.unit in COUNTS]
    return (
        environment(Path(__file__).parents[1] / "pages")
        .get_template("coder.html.j2")
        .render(
            rule=RULE,
            quick=evidence.quick,
            wrong=[row(line, titles) for line in broken(evidence.lines)],
            waiting=sum(bool(line.asked) and line.holds is None for line in evidence.lines),
            kept=sum(line.holds is True for line in asked),
            whole=sum(line.whole is True for line in asked),
            clean=sum(line.holds is True for line in sound),
            sound=len(sound),
            asked=[row(line, titles) for line in asked],
            heads=[_head(head, evidence, titles) for head in evidence.heads],
            missing=[row(line, titles) for line in evidence.lines if line.value is None and line.check in titles],
            human=[_human(one, titles) for one in evidence.human],
            transfer=[row(line, titles) for line in evidence.lines if line.check == "transfer"],
            sources=[(plan.title, one.what, f"{one.value:g}", one.source) for plan in PLANS for one in plan.known],
        )
    )


def verdict(line: Finding) -> str:
    """A word for what became of a bound; '' where none was asked."""
    if not line.asked:
        return ""
    return {True: "reached", False: "missed", None: "not judged"}[line.holds]


def show(value: Interval | None, digits: int = 3) -> str:
    """'0.781 [0.760, 0.802]'; what is missing is said."""
    return "missing" if value is None else value.shown(digits, "missing")


def line_digits(line: Finding) -> int:
    """Whole numbers for counts, three places for everything else."""
    return 0 if line.unit in COUNTS else 3


def line_text(line: Finding) -> str:
    """One line for the terminal."""
    parts = [f"{line.title}: {show(line.value, line_digits(line))}"]
    if line.value is None or line.value.estimate is None:
        parts.append(f"({line.note})" if line.note else "")
    elif line.unit not in line.title:
        parts.append(line.unit)
    if line.asked:
        whole = {True: "; whole interval: yes", False: "; whole interval: no", None: ""}[line.whole]
        parts.append(f"(asked {line.asked}{whole})")
    beside = "; ".join(f"{name} {number(value)}" for name, value in line.beside.items() if value is not None)
    return " ".join(filter(None, parts)) + (f" | {beside}" if beside else "")


def row(line: Finding, titles: dict[str, str]) -> dict[str, str]:
    """One line as the page shows it."""
    return {
        "head": titles.get(line.check, ""),
        "check": line.check,
        "title": line.title,
        "value": show(line.value, line_digits(line)),
        "unit": "" if line.unit in line.title else line.unit,
        "asked": line.asked,
        "verdict": verdict(line),
        "whole": "" if line.whole is None else "whole interval" if line.whole else "not the whole interval",
        "beside": "; ".join(f"{name} {number(value)}" for name, value in line.beside.items() if value is not None),
        "note": line.note,
    }


def number(value: float | None) -> str:
    """Three places, or a dash for what is missing."""
    return "–" if value is None else f"{value:.3f}"


def _head(head: Judged, evidence: CoderEvidence, titles: dict[str, str]) -> dict[str, Any]:
    names = [one.label for one in head.labels]
    table = None
    if head.confusion is not None:
        table = [
            (label, [(f"{value:.0f}", at == place) for place, value in enumerate(cells)])
            for at, (label, cells) in enumerate(zip(names, head.confusion, strict=True))
        ]
    return {
        "id": head.plan.head,
        "title": head.plan.title,
        "made": head.made,
        "unit": head.plan.unit,
        "lines": [row(line, titles) for line in evidence.lines if line.check == head.plan.head],
        "labels": [
            (one.label, one.rows, show(one.f1), number(one.precision), number(one.recall), number(one.tfidf))
            for one in head.labels
        ],
        "names": names,
        "confusion": table,
        "stimuli": [(name, rows, number(area)) for name, rows, area in head.stimuli],
        "reliability": reliability(head),
        "coverage": coverage(head),
    }


def _human(one: Agreement, titles: dict[str, str]) -> tuple[str, str, str, int, int, int]:
    return (titles[one.head], show(one.macro_f1), number(one.kappa), one.utterances, one.sessions, one.annotators)


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

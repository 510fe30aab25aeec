"""The evidence as one self-contained page, and as data for a gate: what was asked, measured, and what it does not
show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from maieutic.runs import figures
from maieutic.runs.files import write_json, write_whole
from maieutic.runs.findings import Finding, broken, mark, show
from maieutic.runs.shown import environment
from maieutic.validation.arms import ARMS, ArmLine
from maieutic.validation.patients import Evidence

CHECKS = {
    "arms": ("Arms", "Does a patient move for the reason it should, and only for that?"),
    "positive control": (
        "Positive control",
        "Warmth must have real effects of its own; if nothing but one trick moved a patient, the "
        "simulator would be worthless.",
    ),
    "flip": ("Flip test", "Published simulators give way after a few kind turns. Does this one?"),
    "dose": ("Dose and response", "More good questions must do more."),
    "sensitivity": ("Sensitivity", "Do the conclusions hang on a number that nobody has measured?"),
    "repeatability": ("Repeatability", "Is a session the same when it is played again, and how much is luck?"),
    "leaks": ("Leaks", "Does a patient quote its own case file, or tell what nobody reached?"),
    "comprehension": (
        "Comprehension",
        "Does a patient understand what was asked, on cases and wordings that took no part in the calibration?",
    ),
    "styles": ("Styles", "Can the conversational style be told from the words?"),
    "recoverability": (
        "Recoverability",
        "How much of the hidden state shows in the words? Nothing would make tracking impossible, "
        "everything would make it trivial.",
    ),
    "voices": ("Voices", "A language model for a mouth must not change the truth."),
    "reality check": (
        "Reality check",
        "Does the simulated state say anything about coded demonstration sessions? It bears on openness "
        "and resistance only.",
    ),
}
"""Checks in the order of the page: heading and the question behind it."""


def write(evidence: Evidence, folder: Path) -> None:
    """`report.html` and `findings.json`, each written whole. Raises `StorageError`."""
    write_json(folder / "findings.json", as_json(evidence))
    write_whole(folder / "report.html", render(evidence).encode())


def as_json(evidence: Evidence) -> dict[str, Any]:
    """All findings as plain data."""
    return {
        "format": 1,
        "kind": "validate patients",
        "size": evidence.size,
        "cases": evidence.cases,
        "sessions": evidence.sessions,
        "findings": [f.as_json() for f in evidence.findings],
        "survives": [
            {"conclusion": c, "world": w, "survives": s, "low": v.low, "estimate": v.estimate, "high": v.high}
            for c, w, s, v in evidence.survives
        ],
    }


def render(evidence: Evidence) -> str:
    """The page: no script, no external request."""
    page = environment(Path(__file__).parent / "pages").get_template("patients.html.j2")
    worlds = list(dict.fromkeys(w for _, w, _, _ in evidence.survives))
    conclusions = list(dict.fromkeys(c for c, _, _, _ in evidence.survives))
    by_cell = {(c, w): (mark(s), show(v)) for c, w, s, v in evidence.survives}
    return page.render(
        evidence=evidence,
        wrong=broken(evidence.findings),
        open_bounds=[f for f in evidence.findings if f.asked and f.holds is None],
        kept=sum(f.holds is True for f in evidence.findings),
        sections=[(name, *CHECKS[name], [_line(f) for f in evidence.findings if f.check == name]) for name in CHECKS],
        forest=_forest(evidence.lines),
        curves=_curves(evidence),
        tables=[
            ("Regular cases", _cells(evidence.lines)),
            ("Accurate thoughts: going below the warranted conviction is harm", _cells(evidence.accurate)),
            ("Cases with risk", _cells(evidence.risk)),
        ],
        worlds=worlds,
        survival=[(c, [by_cell.get((c, w), ("–", "")) for w in worlds]) for c in conclusions],
        shifts=[(s.world, [show(v) for v in s.effects.values()], s.turned) for s in evidence.shifts],
        shifted_arms=list(evidence.shifts[0].effects) if evidence.shifts else [],
    )


def _line(finding: Finding) -> dict[str, str]:
    return {
        "title": finding.title,
        "value": show(finding.value, 3 if finding.unit in ("share", "r", "nats", "nats a client turn") else 1),
        "unit": finding.unit,
        "asked": finding.asked,
        "verdict": mark(finding.holds) if finding.asked else "",
        "note": finding.note,
    }


def _cells(lines: Sequence[ArmLine]) -> list[tuple[str, str, list[str]]]:
    return [
        (
            line.arm,
            line.kind,
            [
                show(line.effect, 1),
                show(line.off_warranted, 1),
                show(line.relief, 1),
                show(line.opened),
                show(line.disclosed, 1),
                show(line.facts, 1),
                show(line.left),
            ],
        )
        for line in lines
    ]


def _forest(lines: Sequence[ArmLine]) -> str:
    if not lines:
        return ""
    bars = [
        figures.Bar(line.arm, line.effect, show(line.effect, 1), line.arm in ("oracle", "didactic"))
        for line in sorted(lines, key=lambda one: -(one.effect.estimate or 0.0))
        if line.arm != "no_session"
    ]
    return figures.forest(bars, title="Fall of held conviction beyond no session, by arm", axis="points less convinced")


def _curves(evidence: Evidence) -> str:
    """Mean held conviction by turn, one line an arm; kinds of arms share a colour, the arm is named at its end."""
    colours = {"oracle": figures.BLUE, "agent": figures.TEAL, "partial": figures.PURPLE, "pushing": figures.ORANGE}
    chosen = ("oracle", "socratic", "worksheet", "wide", "leaflet", "advice", "no_session")
    rows = [
        {"turn": t, "value": round(v, 2), "arm": arm, "kind": ARMS[arm], "last": t == len(values) - 1}
        for arm, values in evidence.curves.items()
        if arm in chosen
        for t, v in enumerate(values)
    ]
    kinds = sorted({str(r["kind"]) for r in rows})
    scale = {"domain": kinds, "range": [colours.get(k, figures.GREY) for k in kinds]}
    colour = figures.named("kind", scale=scale, legend=None)
    x = figures.scaled("turn", "therapist turn", axis={"tickCount": 5})
    y = figures.scaled("value", "held conviction", scale={"zero": False})
    ends, label = [r for r in rows if r["last"]], {"type": "text", "align": "left", "dx": 4, "fontSize": 10}
    line = {"type": "line", "strokeWidth": 2}
    layers = [
        figures.layer(rows, line, x=x, y=y, color=colour, detail=figures.named("arm")),
        figures.layer(ends, label, x=x, y=y, color=colour, text=figures.named("arm")),
    ]
    spec = figures.layered(layers, width=300, height=230)
    return figures.drawn(spec, "Mean held conviction by turn", "one line an arm; regular cases")

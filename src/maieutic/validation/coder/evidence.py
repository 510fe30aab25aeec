"""`maieutic validate coder`: reads what is stored, checks it against the data, judges every head, and runs the
transfers; how far human coders agree on AnnoMI, where ten of them coded the same sessions; and the page with all of
it."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from maieutic.errors import UnreadableFile
from maieutic.runs import figures
from maieutic.runs.findings import Bound, Finding, Page, Section, by_estimate
from maieutic.runs.shown import Table
from maieutic.stats import Interval
from maieutic.validation.coder import datasets
from maieutic.validation.coder import figures as fig
from maieutic.validation.coder import stored as keeping
from maieutic.validation.coder.datasets import Gold
from maieutic.validation.coder.figures import Floats
from maieutic.validation.coder.judged import ABSTAINING, PLANS, Figure, Judged, Plan, judge
from maieutic.validation.coder.stored import Stored

HOW = (
    "each annotator held against each other one, on the utterances that several coded: macro-F1 of every ordered pair, "
    "averaged; interval by session"
)
_LABELS = {
    "annomi_therapist": (
        "therapist",
        "main_therapist_behaviour",
        ("question", "reflection", "therapist_input", "other"),
    ),
    "annomi_client": ("client", "client_talk_type", ("change", "neutral", "sustain")),
    "annomi_question_form": ("therapist", "question_subtype", ("open", "closed")),
}
_COLUMNS = ("transcript_id", "utterance_id", "interlocutor", "annotator_id", *(c for _, c, _ in _LABELS.values()))


@dataclass(frozen=True, slots=True)
class Agreement:
    """Human agreement on one head: macro-F1 of annotator against annotator, and kappa of all of them (Fleiss 1971)."""

    head: str
    utterances: int
    sessions: int
    annotators: int
    macro_f1: Interval
    kappa: float | None


def agreements(data: Path, *, draws: int = fig.DRAWS) -> list[Agreement]:
    """Agreement for each AnnoMI head that can be had. Raises `UnreadableFile` when the file or a column is missing."""
    coded: dict[tuple[str, str], dict[str, dict[str, str]]] = defaultdict(dict)
    for row in datasets.rows(data, datasets.ANNOMI_FULL, _COLUMNS):
        coded[row["transcript_id"], row["utterance_id"]][row["annotator_id"]] = row
    several = {key: rows for key, rows in coded.items() if len(rows) > 1}
    found = []
    for head, (speaker, column, labels) in _LABELS.items():
        rows = [
            (session, {who: row[column] for who, row in by.items() if row[column] in labels})
            for (session, _), by in several.items()
            if next(iter(by.values()))["interlocutor"] == speaker
        ]
        rows = [(session, given) for session, given in rows if len(given) > 1]
        if rows:
            found.append(_agreement(head, rows, labels, draws))
    return found


def _agreement(
    head: str, rows: Sequence[tuple[str, Mapping[str, str]]], labels: Sequence[str], draws: int
) -> Agreement:
    sessions = [session for session, _ in rows]
    people = sorted({who for _, given in rows for who in given})
    table = fig.by_group(_pair_counts([given for _, given in rows], people, labels), fig.places(sessions))
    return Agreement(
        head=head,
        utterances=len(rows),
        sessions=len(set(sessions)),
        annotators=len(people),
        macro_f1=fig.interval([table], fig.mean_macro_f1, rng=random.Random(0), draws=draws),
        kappa=fleiss([[list(given.values()).count(label) for label in labels] for _, given in rows]),
    )


def _pair_counts(rows: Sequence[Mapping[str, str]], people: Sequence[str], labels: Sequence[str]) -> Floats:
    """Hits, false alarms and misses by utterance of every ordered pair: (n, pairs, 3, labels)."""
    chosen = np.array([[[given.get(who) == label for label in labels] for who in people] for given in rows])
    coded: fig.Flags = np.asarray(chosen.any(-1))
    parts = []
    for truth, claim in permutations(range(len(people)), 2):
        both = (coded[:, truth] & coded[:, claim])[:, None, None]
        parts.append(fig.hits(chosen[:, truth], chosen[:, claim]) * both)
    return np.stack(parts, axis=1).astype(np.float64)


def fleiss(counts: Sequence[Sequence[int]]) -> float | None:
    """Fleiss' kappa from how many coders gave each label to each item; items may differ in their number of coders.

    Chance agreement is from the pooled shares of labels. None when fewer than two coders met anywhere or all codes are
    equal.
    """
    table = np.array([row for row in counts if sum(row) > 1], dtype=np.float64)
    if not len(table):
        return None
    coders = table.sum(1)
    observed = float((((table * (table - 1)).sum(1)) / (coders * (coders - 1))).mean())
    shares = table.sum(0) / table.sum()
    chance = float((shares**2).sum())
    return None if chance >= 1.0 else (observed - chance) / (1.0 - chance)


QUICK_DRAWS = 400
GoldOf = Callable[[str, Path], Sequence[Gold]]

_FIGURES: dict[Figure, tuple[str, str]] = {
    "macro_f1": ("macro-F1", "macro-F1"),
    "accuracy": ("accuracy", "share"),
    "mean_auc": ("mean of the AUCs within each held-out stimulus", "AUC"),
    "calibration": ("expected calibration error", "share"),
}


@dataclass(frozen=True, slots=True)
class CoderEvidence:
    """Everything that was found about the coder.

    Attributes:
        quick: Whether the transfers were left out.
        lines: All figures, bounds first within each head, in the order of the plans, then agreement and transfer.
        heads: The figures of each head that something is stored for.
        missing: Plans that nothing is stored for.
        human: Agreement of human coders.
    """

    quick: bool
    lines: tuple[Finding, ...]
    heads: tuple[Judged, ...]
    missing: tuple[Plan, ...]
    human: tuple[Agreement, ...]


def stored_heads(data: Path, folder: Path | None = None) -> dict[str, Stored]:
    """What is stored, checked against the data before anything is computed.

    Raises:
        UnreadableFile: `data` is no folder, a data file is missing, or a stored file is broken.
        InputError: A data file is not the one that the figures are of.
    """
    if not data.is_dir():
        raise UnreadableFile(f"--data {data} is not there; give the folder of research data")
    found = {}
    for plan in PLANS:
        kept = keeping.read(plan.head, folder or keeping.FOLDER)
        if kept is not None:
            keeping.check_data(kept, data)
            found[plan.head] = kept
    return found


def gather(
    data: Path, kept: dict[str, Stored], *, gold: GoldOf, transferred: Sequence[Finding] | None, quick: bool = False
) -> CoderEvidence:
    """Judge every head and put together.

    Args:
        data: Folder of research data.
        kept: Stored probabilities by head.
        gold: The human codes of a head in that folder.
        transferred: The transfer figures; None when they were left out.
        quick: Fewer bootstrap samples.
    """
    draws = QUICK_DRAWS if quick else fig.DRAWS
    human = _human(data, draws)
    by_head = {one.head: one for one in human}
    heads: list[Judged] = []
    lines: list[Finding] = []
    for plan in PLANS:
        if plan.head not in kept:
            lines += _missing(plan)
            continue
        judged = judge(plan, kept[plan.head], gold(plan.gold or plan.head, data), draws=draws)
        heads.append(judged)
        lines += lines_of(judged, by_head.get(plan.head))
    lines += [_agreement_line(one) for one in human]
    lines += _no_transfers() if transferred is None else transferred
    return CoderEvidence(
        quick, tuple(lines), tuple(heads), tuple(plan for plan in PLANS if plan.head not in kept), tuple(human)
    )


def lines_of(judged: Judged, human: Agreement | None = None) -> list[Finding]:
    """The lines of one head: bounds first, then what describes."""
    plan = judged.plan
    measured: dict[Figure, Interval | None] = {
        "macro_f1": judged.macro_f1,
        "accuracy": judged.accuracy,
        "mean_auc": judged.mean_auc,
        "calibration": judged.calibration,
    }
    asked: dict[Figure, float] = {reach.figure: reach.bound for reach in plan.reach}
    described: tuple[Figure, ...] = ("macro_f1", "accuracy", "calibration")
    lines = []
    for figure in (*asked, *(name for name in described if name not in asked)):
        value = measured[figure]
        if value is None and figure not in asked:
            continue
        lines.append(_bounded(judged, figure, value, asked.get(figure), human))
    if judged.gain is not None:
        lines.append(Finding(plan.head, "macro-F1 beyond TF-IDF on the same folds", judged.gain, "macro-F1"))
    note = f"{100 * (1 - ABSTAINING):.0f} % coded; macro-F1 then {judged.sure_f1.estimate:.3f}"
    title = f"macro-F1 gained by abstaining on the least certain {100 * ABSTAINING:.0f} %"
    lines.append(Finding(plan.head, title, judged.sure_gain, "macro-F1", note=note))
    mixed = Interval(float(judged.mixed), None, None, judged.groups)
    lines.append(
        Finding(plan.head, f"{plan.units} that lie in several test folds", mixed, "cases", "0", judged.mixed == 0)
    )
    if judged.stale:
        stale, names = Interval(float(len(judged.stale)), None, None, len(judged.stale)), ", ".join(judged.stale)
        title = "weight files here that are not those of the stored figures"
        lines.append(Finding(plan.head, title, stale, "files", "0", False, note=names))
    return lines


def _bounded(
    judged: Judged, figure: Figure, value: Interval | None, bound: float | None, human: Agreement | None
) -> Finding:
    plan = judged.plan
    name, unit = _FIGURES[figure]
    lower_is_better = figure == "calibration"
    if lower_is_better:
        name += " of the likeliest label" if judged.confusion is not None else " of every label"
    sizes = f"{judged.rows} rows, {judged.groups} {plan.units}, {judged.folds} folds × {judged.seeds} seeds"
    leading = figure == (plan.reach[0].figure if plan.reach else "macro_f1")
    return by_estimate(
        plan.head,
        name,
        value,
        unit,
        None if bound is None else Bound("≤" if lower_is_better else "≥", bound),
        beside=_beside(judged, figure, human),
        note="; ".join((sizes, *judged.notes)) if leading else "",
    )


def _beside(judged: Judged, figure: Figure, human: Agreement | None) -> dict[str, float | None]:
    if figure == "calibration":
        return {}
    known = {one.what: one.value for one in judged.plan.known if _fits(one.what, figure)}
    if figure == "mean_auc":
        ours: dict[str, float | None] = {
            "chance": 0.5,
            "TF-IDF, same folds": judged.tfidf_auc.estimate if judged.tfidf_auc else None,
            "pooled over stimuli": judged.pooled_auc,
        }
        return ours | known
    base = judged.tfidf_f1 if figure == "macro_f1" else judged.tfidf_accuracy
    found: dict[str, float | None] = {
        "majority": judged.majority_f1 if figure == "macro_f1" else judged.majority_accuracy,
        "TF-IDF, same folds": base.estimate if base else None,
    }
    if human is not None and figure == "macro_f1":
        found["human, recomputed"] = human.macro_f1.estimate
    return found | known


def _fits(what: str, figure: Figure) -> bool:
    """Whether a known figure belongs to this one: it names another only where a head has two bounds."""
    if "accuracy" in what:
        return figure == "accuracy"
    if "AUC" in what:
        return figure == "mean_auc"
    return figure == "macro_f1"


def _missing(plan: Plan) -> list[Finding]:
    note = plan.missing or f"nothing is stored; make it with: {keeping.command(plan.head)}"
    if not plan.reach:
        return [Finding(plan.head, "macro-F1", None, "macro-F1", note=note)]
    return [
        by_estimate(
            plan.head,
            _FIGURES[reach.figure][0],
            None,
            _FIGURES[reach.figure][1],
            Bound("≤" if reach.figure == "calibration" else "≥", reach.bound),
            beside={one.what: one.value for one in plan.known if _fits(one.what, reach.figure)},
            note=note,
        )
        for reach in plan.reach
    ]


def _human(data: Path, draws: int) -> list[Agreement]:
    return agreements(data, draws=draws) if (data / datasets.ANNOMI_FULL).is_file() else []


def _agreement_line(one: Agreement) -> Finding:
    kappa = "" if one.kappa is None else f"; Fleiss' kappa {one.kappa:.3f}"
    note = f"{one.utterances} utterances of {one.sessions} sessions, {one.annotators} annotators{kappa}; {HOW}"
    return Finding("human agreement", f"{one.head}: annotator against annotator", one.macro_f1, "macro-F1", note=note)


def _no_transfers() -> list[Finding]:
    left_out = partial(Finding, "transfer", value=None, note="left out by --quick")
    quality, chats = "HLQC high over low by the quality score, length adjusted", "ESConv support chats, 4 labels"
    return [
        left_out(title=quality, unit="AUC", asked="≥ 0.70", beside={"TF-IDF before": 0.63}),
        left_out(title=chats, unit="macro-F1", asked="≥ 0.50", beside={"TF-IDF before": 0.41}),
    ]


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

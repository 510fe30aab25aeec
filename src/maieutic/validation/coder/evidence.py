"""`maieutic validate coder`: reads what is stored, checks it against the data, judges every head, and runs the
transfers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from maieutic.errors import UnreadableFile
from maieutic.runs.findings import Bound, Finding, by_estimate
from maieutic.stats import Interval
from maieutic.validation.coder import figures as fig
from maieutic.validation.coder import stored as keeping
from maieutic.validation.coder.human import HOW, Agreement, agreements
from maieutic.validation.coder.judged import ABSTAINING, Judged, judge
from maieutic.validation.coder.plan import PLANS, Figure, Plan
from maieutic.validation.coder.stored import GoldRow, Stored

QUICK_DRAWS = 400
GoldOf = Callable[[str, Path], Sequence[GoldRow]]

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
        stale = Interval(float(len(judged.stale)), None, None, len(judged.stale))
        lines.append(
            Finding(
                plan.head,
                "weight files here that are not those of the stored figures",
                stale,
                "files",
                "0",
                False,
                note=", ".join(judged.stale),
            )
        )
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
    return agreements(data, draws=draws) if (data / "annomi" / "AnnoMI-full.csv").is_file() else []


def _agreement_line(one: Agreement) -> Finding:
    kappa = "" if one.kappa is None else f"; Fleiss' kappa {one.kappa:.3f}"
    note = f"{one.utterances} utterances of {one.sessions} sessions, {one.annotators} annotators{kappa}; {HOW}"
    return Finding("human agreement", f"{one.head}: annotator against annotator", one.macro_f1, "macro-F1", note=note)


def _no_transfers() -> list[Finding]:
    note = "left out by --quick"
    return [
        Finding(
            "transfer",
            "HLQC high over low by the quality score, length adjusted",
            None,
            "AUC",
            asked="≥ 0.70",
            beside={"TF-IDF before": 0.63},
            note=note,
        ),
        Finding(
            "transfer",
            "ESConv support chats, 4 labels",
            None,
            "macro-F1",
            asked="≥ 0.50",
            beside={"TF-IDF before": 0.41},
            note=note,
        ),
    ]

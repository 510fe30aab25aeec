"""What is asked of each head, beside published and human figures, and everything that is measured of one: F1, accuracy,
calibration, abstaining, baselines beside it, by held-out group."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from maieutic.stats import Interval, auc, bootstrap_mean
from maieutic.validation.coder import figures as fig
from maieutic.validation.coder.datasets import Gold
from maieutic.validation.coder.figures import Flags, Floats
from maieutic.validation.coder.stored import Stored, aligned, other_weights, shared_groups

Figure = Literal["macro_f1", "accuracy", "mean_auc", "calibration"]


@dataclass(frozen=True, slots=True)
class Reach:
    """A bound on one figure of a head: 'macro_f1', 'accuracy' and 'mean_auc' at least, 'calibration' at most."""

    figure: Figure
    bound: float


@dataclass(frozen=True, slots=True)
class Known:
    """A figure from elsewhere: what it is, its value, and where it is from."""

    what: str
    value: float
    source: str


@dataclass(frozen=True, slots=True)
class Plan:
    """One head and what is asked of it.

    Attributes:
        head: Name of the head, as in `validation.coder.datasets`.
        title: What is coded, in plain words.
        unit: What folds keep together and intervals resample.
        reach: Bounds.
        known: Published or human figures beside it.
        gold: Name of the data set head whose human codes judge it; `head` unless another is named.
        by_stimulus: Whether it is judged by the mean of the AUCs within each group.
        missing: What to do when nothing is stored; '' for the recipe's command.
    """

    head: str
    title: str
    unit: str
    reach: tuple[Reach, ...] = ()
    known: tuple[Known, ...] = ()
    gold: str = ""
    by_stimulus: bool = False
    missing: str = ""

    @property
    def units(self) -> str:
        """The unit in the plural."""
        return "stimuli" if self.unit == "stimulus" else f"{self.unit}s"


_FROM_DATA = "several annotators of AnnoMI-full (Wu et al. 2023)"
_BOLT = "Chiu et al. 2024"
_SOQG = "Ang et al., EACL 2023, their data; fitted on the part at hand"
_PLAIN = "logistic regression on TF-IDF of the utterance, same data, other folds"
_CALIBRATED = Reach("calibration", 0.05)

PLANS = (
    Plan(
        "annomi_therapist",
        "AnnoMI therapist behaviour, 4 codes",
        "video",
        (Reach("macro_f1", 0.78), _CALIBRATED),
        (Known("human, as known before", 0.80, _FROM_DATA), Known("TF-IDF before", 0.731, _PLAIN)),
    ),
    Plan(
        "annomi_client",
        "AnnoMI client talk, 3 codes",
        "video",
        (Reach("macro_f1", 0.59), _CALIBRATED),
        (Known("human, as known before", 0.645, _FROM_DATA), Known("TF-IDF before", 0.503, _PLAIN)),
    ),
    Plan(
        "annomi_question_form",
        "AnnoMI open or closed question",
        "video",
        (Reach("macro_f1", 0.78), _CALIBRATED),
        (
            Known("wh-word rule", 0.747, "opening word of the question, no fitting"),
            Known("TF-IDF before", 0.727, _PLAIN),
        ),
    ),
    Plan(
        "bolt_therapist",
        "BOLT therapist, 13 codes, several at once",
        "utterance",
        (Reach("macro_f1", 0.45),),
        (
            Known("best published (prompted GPT-4)", 0.577, _BOLT),
            Known("GPT-4, plain prompt", 0.441, _BOLT),
            Known("TF-IDF before", 0.354, _PLAIN),
        ),
    ),
    Plan(
        "bolt_therapist_judge",
        "BOLT therapist, 13 codes, LLM judge",
        "utterance",
        (Reach("macro_f1", 0.55),),
        (Known("best published (prompted GPT-4)", 0.577, _BOLT), Known("GPT-4, plain prompt", 0.441, _BOLT)),
        gold="bolt_therapist",
        missing="no answers of a judge are stored: they need a capable model, and depend on which one it is",
    ),
    Plan("bolt_client", "BOLT client, 6 codes, several at once", "utterance"),
    Plan("misc_therapist", "MISC therapist, coarse codes", "session"),
    Plan("misc_client", "MISC client, 3 codes", "session"),
    Plan(
        "socratic",
        "SoQG question type, 5 Socratic types and others",
        "thought",
        (Reach("accuracy", 0.88), Reach("macro_f1", 0.76)),
        (Known("TF-IDF before: accuracy", 0.85, _SOQG), Known("TF-IDF before: macro-F1", 0.72, _SOQG)),
    ),
    Plan(
        "epitome_er",
        "EPITOME emotional reactions, 0 to 2",
        "seeker post",
        (Reach("macro_f1", 0.74),),
        (Known("TF-IDF before", 0.72, _PLAIN),),
    ),
    Plan(
        "epitome_ip",
        "EPITOME interpretations, 0 to 2",
        "seeker post",
        (Reach("macro_f1", 0.62),),
        (Known("TF-IDF before", 0.56, _PLAIN),),
    ),
    Plan(
        "epitome_ex",
        "EPITOME explorations, 0 to 2",
        "seeker post",
        (Reach("macro_f1", 0.76),),
        (Known("TF-IDF before", 0.68, _PLAIN),),
    ),
    Plan(
        "appropriateness",
        "Appropriateness of a reply (GPT-4o's verdict)",
        "stimulus",
        (Reach("mean_auc", 0.92),),
        (Known("TF-IDF before, pooled AUC", 0.88, _PLAIN),),
        by_stimulus=True,
    ),
    Plan("feedback_good", "Feedback: skill areas called good", "dialogue"),
    Plan("feedback_bad", "Feedback: skill areas called bad", "dialogue"),
)
"""Heads in the order of the report."""


ABSTAINING = 0.2
COVERAGES = tuple(round(1.0 - step / 20, 2) for step in range(15))


@dataclass(frozen=True, slots=True)
class LabelLine:
    """One label: how often people gave it, its F1 with interval, precision and recall (means over seeds)."""

    label: str
    rows: int
    f1: Interval
    precision: float | None
    recall: float | None
    tfidf: float | None


@dataclass(frozen=True, slots=True)
class Judged:
    """The figures of one head, recomputed from stored probabilities.

    Attributes:
        plan: What was asked.
        made: Date of the stored probabilities.
        rows, groups, seeds, folds: Sizes.
        macro_f1, accuracy: Mean over seeds, interval clustered by group; accuracy None in multi-label heads.
        majority_f1, majority_accuracy: Of always giving the commonest label.
        tfidf_f1, tfidf_accuracy: Of the TF-IDF baseline on the same folds; None where it was not kept.
        gain: Macro-F1 minus that of the baseline, on the same rows.
        labels: Figures by label.
        calibration: Expected calibration error, ten bins.
        bins: (share of rows, mean claim, share right) of each bin that holds any.
        coverage: (share coded, macro-F1) when the least certain rows are left out.
        sure_f1, sure_gain: Macro-F1 without the least certain fifth, and how much that adds.
        confusion: Rows by human code and given code, mean over seeds, (k, k); None in multi-label heads.
        stimuli: (group, rows, AUC), mean over seeds, where the head is judged so.
        mean_auc, tfidf_auc: Mean of those AUCs with an interval over groups.
        pooled_auc: AUC over all groups at once.
        mixed: (seed, group) pairs that lie in several test folds; 0 when clean.
        stale: Weight files here that are not those the figures belong to.
        notes: What else to know.
    """

    plan: Plan
    made: str
    rows: int
    groups: int
    seeds: int
    folds: int
    macro_f1: Interval
    accuracy: Interval | None
    majority_f1: float
    majority_accuracy: float | None
    tfidf_f1: Interval | None
    tfidf_accuracy: Interval | None
    gain: Interval | None
    labels: tuple[LabelLine, ...]
    calibration: Interval
    bins: tuple[tuple[float, float, float], ...]
    coverage: tuple[tuple[float, float], ...]
    sure_f1: Interval
    sure_gain: Interval
    confusion: Floats | None
    stimuli: tuple[tuple[str, int, float | None], ...]
    mean_auc: Interval | None
    tfidf_auc: Interval | None
    pooled_auc: float | None
    mixed: int
    stale: tuple[str, ...]
    notes: tuple[str, ...]


def judge(plan: Plan, stored: Stored, gold: Sequence[Gold], *, draws: int = fig.DRAWS) -> Judged:
    """All figures of one head. Raises `InputError` when rows and human codes do not fit each other."""
    flags, groups, unused, unknown = aligned(stored, gold)
    place, rng = fig.places(groups), random.Random(0)
    tables = stored.probabilities
    given = fig.chosen(tables, stored.threshold)
    counted = fig.f1_table(flags, given, place)
    kept = fig.sure(tables, ABSTAINING)
    counted_sure = _kept_table(flags, given, kept, place)
    right = _right(flags, given, place) if not stored.multi_label else None
    base = None if stored.tfidf is None else fig.chosen(stored.tfidf, stored.threshold)
    counted_base = None if base is None else fig.f1_table(flags, base, place)
    common = fig.majority(flags)
    per_bin = fig.binned(*fig.claims(flags, tables, multi_label=stored.multi_label))
    by_stimulus = _stimuli(stored, tables, flags, groups) if plan.by_stimulus else ()
    of_tfidf = _stimuli(stored, stored.tfidf, flags, groups) if plan.by_stimulus and stored.tfidf is not None else ()
    right_base = None if base is None or stored.multi_label else _right(flags, base, place)
    over = partial(fig.interval, rng=rng, draws=draws)
    return Judged(
        plan=plan,
        made=stored.made,
        rows=len(flags),
        groups=len(set(groups)),
        seeds=len(tables),
        folds=len(np.unique(stored.fold)),
        macro_f1=over([counted], fig.mean_macro_f1),
        accuracy=None if right is None else over([right], _mean_accuracy),
        majority_f1=fig.macro_f1(flags, common),
        majority_accuracy=None if stored.multi_label else float((flags & common).any(1).mean()),
        tfidf_f1=None if counted_base is None else over([counted_base], fig.mean_macro_f1),
        tfidf_accuracy=None if right_base is None else over([right_base], _mean_accuracy),
        gain=None if counted_base is None else over([counted, counted_base], _difference),
        labels=_labels(stored, flags, counted, counted_base, over),
        calibration=over([fig.by_group(np.moveaxis(per_bin, 1, 0), place)], fig.calibration_error),
        bins=_bins(per_bin),
        coverage=tuple((share, _at_coverage(flags, given, tables, share)) for share in COVERAGES),
        sure_f1=over([counted_sure], fig.mean_macro_f1),
        sure_gain=over([counted_sure, counted], _difference),
        confusion=None if stored.multi_label else _confusion(flags, given),
        stimuli=by_stimulus,
        mean_auc=_mean_of(by_stimulus, draws) if plan.by_stimulus else None,
        tfidf_auc=_mean_of(of_tfidf, draws) if of_tfidf else None,
        pooled_auc=_pooled(stored, flags) if plan.by_stimulus else None,
        mixed=shared_groups(stored, groups),
        stale=tuple(other_weights(stored)),
        notes=_notes(unused, unknown, by_stimulus),
    )


def _difference(ours: Floats, theirs: Floats) -> Floats:
    return fig.mean_macro_f1(ours) - fig.mean_macro_f1(theirs)


def _mean_accuracy(sums: Floats) -> Floats:
    """From (draws, repeats, 2) numbers of rows and of right ones."""
    return np.asarray((sums[..., 1] / np.maximum(sums[..., 0], 1)).mean(-1))


def _right(flags: Flags, given: Flags, place: NDArray[np.int64]) -> Floats:
    right = (given & flags).any(-1)
    return fig.by_group(np.stack([np.ones_like(right), right], -1).swapaxes(0, 1), place)


def _kept_table(flags: Flags, given: Flags, kept: Flags, place: NDArray[np.int64]) -> Floats:
    counted = fig.hits(flags, given) * kept[..., None, None]
    return fig.by_group(np.moveaxis(counted, 1, 0), place)


def _at_coverage(flags: Flags, given: Flags, tables: Floats, share: float) -> float:
    kept = fig.sure(tables, 1.0 - share)
    counted = (fig.hits(flags, given) * kept[..., None, None]).sum(1)
    return float(fig.f1(counted).mean())


def _labels(
    stored: Stored, flags: Flags, counted: Floats, base: Floats | None, over: Callable[..., Interval]
) -> tuple[LabelLine, ...]:
    total = counted.sum(0)
    hit, false, missed = (total[:, part].mean(0) for part in range(3))
    lines = []
    for at, label in enumerate(stored.labels):
        one = counted[..., at : at + 1]
        lines.append(
            LabelLine(
                label=label,
                rows=int(flags[:, at].sum()),
                f1=over([one], fig.mean_macro_f1),
                precision=float(hit[at] / (hit[at] + false[at])) if hit[at] + false[at] else None,
                recall=float(hit[at] / (hit[at] + missed[at])) if hit[at] + missed[at] else None,
                tfidf=None if base is None else float(fig.f1(base.sum(0))[:, at].mean()),
            )
        )
    return tuple(lines)


def _bins(per_bin: Floats) -> tuple[tuple[float, float, float], ...]:
    sums = per_bin.sum((0, 1))
    total = sums[:, 0].sum()
    return tuple(
        (float(number / total), float(claimed / number), float(right / number))
        for number, claimed, right in sums
        if number
    )


def _confusion(flags: Flags, given: Flags) -> Floats:
    return np.asarray(np.einsum("nh,snc->hc", flags.astype(float), given.astype(float)) / len(given))


def _stimuli(
    stored: Stored, tables: Floats, flags: Flags, groups: Sequence[str]
) -> tuple[tuple[str, int, float | None], ...]:
    """AUC of P(True) within each group, mean over seeds; None for a group in which all verdicts are equal."""
    at = stored.labels.index("True")
    names = np.array(groups)
    found = []
    for name in dict.fromkeys(groups):
        own, yes = names == name, flags[names == name, at]
        areas = [auc(table[own, at][yes].tolist(), table[own, at][~yes].tolist()) for table in tables]
        kept = [area for area in areas if area is not None]
        found.append((name, int(own.sum()), float(np.mean(kept)) if kept else None))
    return tuple(found)


def _mean_of(stimuli: Sequence[tuple[str, int, float | None]], draws: int) -> Interval:
    """Mean over stimuli, the stimulus being the unit; eight units make a rough interval."""
    return bootstrap_mean([area for _, _, area in stimuli if area is not None], rng=random.Random(0), draws=draws)


def _pooled(stored: Stored, flags: Flags) -> float | None:
    at = stored.labels.index("True")
    yes = flags[:, at]
    areas = [auc(table[yes, at].tolist(), table[~yes, at].tolist()) for table in stored.probabilities]
    kept = [area for area in areas if area is not None]
    return float(np.mean(kept)) if kept else None


def _notes(unused: int, unknown: int, stimuli: Sequence[tuple[str, int, float | None]]) -> tuple[str, ...]:
    notes = []
    if unused:
        notes.append(f"{unused} human-coded rows were not stored and are not in the figures")
    if unknown:
        notes.append(f"{unknown} human codes are of labels too rare for the head; they are not in the figures")
    one_sided = sum(area is None for _, _, area in stimuli)
    if one_sided:
        notes.append(f"{one_sided} stimuli have verdicts of one kind only and no AUC")
    return tuple(notes)

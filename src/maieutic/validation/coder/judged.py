"""Everything that is measured of one head: F1, accuracy, calibration, abstaining, baselines beside it, by held-out
group."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maieutic.stats import Interval, auc, bootstrap_mean
from maieutic.validation.coder import figures as fig
from maieutic.validation.coder.figures import Flags, Floats
from maieutic.validation.coder.plan import Plan
from maieutic.validation.coder.stored import GoldRow, Stored, aligned, other_weights, shared_groups

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


def judge(plan: Plan, stored: Stored, gold: Sequence[GoldRow], *, draws: int = fig.DRAWS) -> Judged:
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
    tfidf_stimuli = (
        _stimuli(stored, stored.tfidf, flags, groups) if plan.by_stimulus and stored.tfidf is not None else ()
    )
    return Judged(
        plan=plan,
        made=stored.made,
        rows=len(flags),
        groups=len(set(groups)),
        seeds=len(tables),
        folds=len(np.unique(stored.fold)),
        macro_f1=fig.interval([counted], fig.mean_macro_f1, rng=rng, draws=draws),
        accuracy=None if right is None else fig.interval([right], _mean_accuracy, rng=rng, draws=draws),
        majority_f1=fig.macro_f1(flags, common),
        majority_accuracy=None if stored.multi_label else float((flags & common).any(1).mean()),
        tfidf_f1=None
        if counted_base is None
        else fig.interval([counted_base], fig.mean_macro_f1, rng=rng, draws=draws),
        tfidf_accuracy=(
            None
            if base is None or stored.multi_label
            else fig.interval([_right(flags, base, place)], _mean_accuracy, rng=rng, draws=draws)
        ),
        gain=(
            None if counted_base is None else fig.interval([counted, counted_base], _difference, rng=rng, draws=draws)
        ),
        labels=_labels(stored, flags, counted, counted_base, rng=rng, draws=draws),
        calibration=fig.interval(
            [fig.by_group(np.moveaxis(per_bin, 1, 0), place)], fig.calibration_error, rng=rng, draws=draws
        ),
        bins=_bins(per_bin),
        coverage=tuple((share, _at_coverage(flags, given, tables, share)) for share in COVERAGES),
        sure_f1=fig.interval([counted_sure], fig.mean_macro_f1, rng=rng, draws=draws),
        sure_gain=fig.interval([counted_sure, counted], _difference, rng=rng, draws=draws),
        confusion=None if stored.multi_label else _confusion(flags, given),
        stimuli=by_stimulus,
        mean_auc=_mean_of(by_stimulus, draws) if plan.by_stimulus else None,
        tfidf_auc=_mean_of(tfidf_stimuli, draws) if tfidf_stimuli else None,
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
    stored: Stored, flags: Flags, counted: Floats, base: Floats | None, *, rng: random.Random, draws: int
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
                f1=fig.interval([one], fig.mean_macro_f1, rng=rng, draws=draws),
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

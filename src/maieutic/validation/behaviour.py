"""Checks of how a patient behaves: flips, dose and response, repeatability, leaks, styles, what can be recovered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from random import Random
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.case import STYLES
from maieutic.runs.findings import Bound, Finding, above, bounded
from maieutic.stats import Interval, bootstrap_mean, bootstrap_statistic, wilson
from maieutic.validation.arms import over_cases
from maieutic.validation.sessions import Row

GENERIC = ("warm", "reassurance", "flattery", "expressive", "eliza")
DOSES = (5, 10, 15, 20)
Floats = NDArray[np.float64]


def counted(
    check: str, title: str, count: int, total: int, asked: str = "", holds: bool | None = None, note: str = ""
) -> Finding:
    """So many of all, as a share with Wilson's interval."""
    return Finding(check, title, wilson(count, total), "share", asked, holds, note)


def flips(rows: Sequence[Row]) -> list[Finding]:
    """Generic empathy must not turn a resistant patient compliant in under four turns ("counsellor-following").

    Resistant: an upset or reserved style. Compliant: held conviction 10 or stated 20 points down, a concession or an
    insight, or openness of 0.65 with reactance under 0.1.
    """
    tried = [r for r in rows if r.arm in GENERIC and r.style in ("upset", "reserved")]
    early = sum(r.compliant_at is not None and r.compliant_at < 4 for r in tried)
    ever = sum(r.compliant_at is not None for r in tried)
    title, note = (
        "resistant patients compliant in under 4 turns of generic empathy",
        f"{early} of {len(tried)} sessions",
    )
    meant = "openness may rise with warmth; that is meant"
    return [
        counted("flip", title, early, len(tried), "0", early == 0 if tried else None, note),
        counted("flip", "the same at any time in 20 turns", ever, len(tried), note=meant),
    ]


def doses(rows: Sequence[Row]) -> list[Finding]:
    """Dose and response: the oracle's fall must rise up to 15 turns; by then it has asked for what there is."""
    oracle = [r for r in rows if r.arm == "oracle" and r.group == "regular"]

    def fall(row: Row, dose: int) -> float:
        return row.held[0] - row.held[min(dose, len(row.held) - 1)]

    def gain(less: int, more: int) -> Interval:
        return over_cases(oracle, lambda r: fall(r, more) - fall(r, less))

    found = [
        Finding("dose", f"oracle: fall after {dose} turns", over_cases(oracle, partial(fall, dose=dose)), "points")
        for dose in DOSES
    ]
    steps = [gain(less, more) for less, more in pairwise(DOSES[:-1])]
    least = min(steps, key=lambda s: s.low if s.low is not None else 0.0)
    title = "oracle: least gain of five more turns, up to 15"
    return [*found, bounded("dose", title, least, "points", Bound("≥", 0))]


def repeatability(rows: Sequence[Row], again: Sequence[Row]) -> list[Finding]:
    """One seed, one session: digests equal; and how much of the oracle's effect is the case's and how much the
    seed's."""
    first = {(r.world, r.arm, r.case, r.seed, r.style): r.digest for r in rows}
    same = sum(first.get((r.world, r.arm, r.case, r.seed, r.style)) == r.digest for r in again)
    title = "sessions played twice with one seed that are identical to the byte"
    found = [counted("repeatability", title, same, len(again), "1", same == len(again) and bool(again))]
    by_case: dict[str, list[float]] = {}
    for row in rows:
        if row.arm == "oracle" and row.group == "regular" and row.world == "standard":
            by_case.setdefault(row.case, []).append(row.fall)
    groups = [v for v in by_case.values() if len(v) >= 2]
    if len(groups) >= 2:
        share = bootstrap_statistic(groups, _intraclass, rng=Random(7), draws=1000)
        title = "share of the variance of the oracle's effect that is the case's (ICC 1)"
        note = "the rest is the seed: traits, situation in play and luck"
        found.append(Finding("repeatability", title, share, "share", note=note))
    return found


def _intraclass(groups: Sequence[Sequence[float]]) -> float | None:
    """ICC(1) by one-way analysis of variance (Shrout & Fleiss 1979), for groups of like size."""
    k = mean(len(g) for g in groups)
    everything = [x for g in groups for x in g]
    if len(groups) < 2 or len(everything) <= len(groups):
        return None
    centre = mean(everything)
    between = sum(len(g) * (mean(g) - centre) ** 2 for g in groups) / (len(groups) - 1)
    inside = sum((x - mean(g)) ** 2 for g in groups for x in g) / (len(everything) - len(groups))
    return (between - inside) / (between + (k - 1) * inside) if between + inside > 0 else None


def leaks(rows: Sequence[Row]) -> list[Finding]:
    """Template sessions must not quote the diagram or a fact that has not been voiced; and how often they repeat."""
    spoken = [r for r in rows if r.arm != "no_session"]
    bad = sum(r.leaks > 0 for r in spoken)
    repeated = over_cases(spoken, lambda r: r.repeats)
    title = f"template sessions with a leak ({len(spoken)} sessions)"
    return [
        counted("leaks", title, bad, len(spoken), "0", bad == 0 if spoken else None, f"{bad} sessions"),
        Finding("leaks", "patient turns said before in the same session, word for word", repeated, "share"),
    ]


def styles(rows: Sequence[Row]) -> list[Finding]:
    """Can the style be told from the words? Ridge classifier on length and common words, cases left out in five
    folds."""
    spoken = [r for r in rows if r.said]
    if len({r.style for r in spoken}) < len(STYLES):
        return [Finding("styles", "styles told apart", None, "share", note="not every style was played")]
    features = np.array([_surface(r) for r in spoken])
    told = _out_of_fold(features, np.array([[float(r.style == s) for s in STYLES] for r in spoken]), spoken)
    right = [float(STYLES[int(t.argmax())] == r.style) for t, r in zip(told, spoken, strict=True)]
    share = bootstrap_mean(right, clusters=[r.case for r in spoken], rng=Random(7))
    title = "style told from the words of one session, case unseen"
    return [Finding("styles", title, share, "share", "above chance (0.17)", above(share, 1 / len(STYLES)))]


def styles_told(rows: Sequence[Row], known: Sequence[Row]) -> list[bool]:
    """For each row whether its style is told from its words by the same readout, fitted on the known rows of other
    cases."""
    found = []
    for row in rows:
        others = [k for k in known if k.said and k.case != row.case]
        truth = np.array([[float(k.style == s) for s in STYLES] for k in others])
        told = _readout(np.array([_surface(k) for k in others]), truth, np.array([_surface(row)]))
        found.append(STYLES[int(told[0].argmax())] == row.style)
    return found


def recoverability(rows: Sequence[Row], vectors: Mapping[str, Floats]) -> list[Finding]:
    """How much of the hidden state shows in the words: correlation of the truth with a readout from the last turns."""
    spoken = [r for r in rows if r.said and r.world == "standard" and r.group == "regular"]
    if len({r.case for r in spoken}) < 5:
        return [
            Finding("recoverability", "hidden state from words", None, "r", note="fewer than 5 cases with words kept")
        ]
    features = np.array(
        [np.concatenate([np.mean([vectors[t] for t in r.said[-4:]], axis=0), _surface(r)]) for r in spoken]
    )
    found = []
    for name, truth in (
        ("fall of held conviction", [r.fall for r in spoken]),
        ("openness at the end", [r.openness[1] for r in spoken]),
        ("distress at the end", [r.distress[1] for r in spoken]),
    ):
        guess = _out_of_fold(features, np.array(truth)[:, None], spoken)[:, 0]
        pairs = [(t - c, g - c) for t, g, c in zip(truth, guess.tolist(), _fold_means(truth, spoken), strict=True)]
        value = bootstrap_statistic(pairs, _correlation, clusters=[r.case for r in spoken], rng=Random(7), draws=400)
        found.append(Finding("recoverability", f"{name}: truth and readout from the words, case unseen", value, "r"))
    return found


def _surface(row: Row) -> Floats:
    """Length, its spread, share of short turns, of questions, and of words of assent and doubt."""
    counts = [len(t.split()) for t in row.said]
    text = " ".join(row.said).lower()
    total = max(1, sum(counts))
    marks = [
        text.count(w) / total
        for w in ("?", "!", "…", "sorry", "of course", "yes", "i don't know", "i suppose", "look", "remind")
    ]
    short = sum(c <= 8 for c in counts) / len(counts)
    return np.array([np.log(mean(counts)), float(np.std(counts)), short, max(counts) / 50.0, *marks])


_FOLDS, _STRENGTH = 5, 3.0
"""Folds of whole cases; ridge of the readout."""


def _folds(rows: Sequence[Row]) -> NDArray[np.int64]:
    """The fold of each row; all rows of a case fall into one."""
    names = sorted({r.case for r in rows})
    return np.array([names.index(r.case) % _FOLDS for r in rows])


def _out_of_fold(features: Floats, truth: Floats, rows: Sequence[Row]) -> Floats:
    """Ridge readout on standardised features, whole cases left out in five folds."""
    fold = _folds(rows)
    guess = np.zeros_like(truth)
    for part in range(_FOLDS):
        train, test = fold != part, fold == part
        if not test.any():
            continue
        guess[test] = _readout(features[train], truth[train], features[test])
    return guess


def _readout(features: Floats, truth: Floats, unseen: Floats) -> Floats:
    """Ridge regression on standardised features, applied to unseen ones."""
    centre, spread = features.mean(0), features.std(0) + 1e-9
    x = np.c_[np.ones(len(features)), (features - centre) / spread]
    penalty = _STRENGTH * np.sqrt(len(x)) * np.eye(x.shape[1])
    penalty[0, 0] = 0.0
    weights = np.linalg.solve(x.T @ x + penalty, x.T @ truth)
    guess: Floats = np.c_[np.ones(len(unseen)), (unseen - centre) / spread] @ weights
    return guess


def _fold_means(truth: Sequence[float], rows: Sequence[Row]) -> list[float]:
    """Mean of the truth over the folds that a row's guess was fitted on: without it, a guess at the mean looks
    wrong."""
    fold = _folds(rows)
    values = np.array(truth)
    return [float(values[fold != part].mean()) for part in fold]


def _correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    a, b = np.array(pairs).T
    return float(np.corrcoef(a, b)[0, 1]) if a.std() > 0 and b.std() > 0 else None

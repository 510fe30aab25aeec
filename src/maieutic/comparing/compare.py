"""`compare()`: every measure of every contest, paired, with what could have been seen and how many cases it takes.

The case is the unit: seeds of a case are averaged first. The interval is the one that reports and gates show of a
difference (`stats.student_mean`), with none below `stats.MIN_CASES` cases.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from maieutic.comparing.sources import Contest, Source, check_alike, contests
from maieutic.domain.episode import Episode
from maieutic.evaluation.findings import glossary
from maieutic.evaluation.summary import EFFECT, GROUPS, PRIMARY, EpisodeScore, Group, score_episodes
from maieutic.measures.definition import Measure
from maieutic.registry import asking
from maieutic.stats import MIN_CASES, benjamini_hochberg, holm, student_mean, student_point

POWER = 0.8
ALPHA = 0.05
MAX_CASES = 100_000

Pair = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Difference:
    """Second arm minus first, over the cases that both have.

    Attributes:
        first, second: Mean of each arm over the shared cases; None without any.
        estimate: Mean difference; low, high: its interval; None below `MIN_CASES` cases.
        p: Two-sided; 1 where every case differs by nothing; None below `MIN_CASES` cases.
        sd: Standard deviation of the differences of cases; None with fewer than two.
        cases, pairs: How many stand behind it.
    """

    first: float | None
    second: float | None
    estimate: float | None
    low: float | None
    high: float | None
    p: float | None
    sd: float | None
    cases: int
    pairs: int


def paired(
    first: Mapping[Pair, float], second: Mapping[Pair, float], *, by_case: bool = False, alpha: float = ALPHA
) -> Difference:
    """The paired difference, each case weighing the same.

    Args:
        first, second: Value by (case, seed).
        by_case: Sessions of a case are not the same patients, so that means of cases are paired and not sessions.
        alpha: One minus the coverage of the interval.
    """
    if by_case:
        ours, theirs = _case_means(first), _case_means(second)
        shared = sorted(set(ours) & set(theirs))
        sides = [(ours[case], theirs[case]) for case in shared]
        pairs = len(shared)
    else:
        keys = sorted(set(first) & set(second))
        a, b = (_case_means({key: values[key] for key in keys}) for values in (first, second))
        sides, pairs = [(a[case], b[case]) for case in sorted(a)], len(keys)
    if not sides:
        return Difference(None, None, None, None, None, None, None, 0, 0)
    one, two = (float(np.mean([side[k] for side in sides])) for k in (0, 1))
    gaps = np.array([b - a for a, b in sides], dtype=np.float64)
    estimate = float(gaps.mean())
    if len(gaps) < 2:
        return Difference(one, two, estimate, None, None, None, None, len(gaps), pairs)
    sd, found = float(gaps.std(ddof=1)), student_mean(list(gaps), level=1 - alpha)
    p = _p(gaps, sd) if len(gaps) >= MIN_CASES else None
    return Difference(one, two, estimate, found.low, found.high, p, sd, len(gaps), pairs)


def detectable(sd: float | None, cases: int, *, alpha: float = ALPHA, power: float = POWER) -> float | None:
    """The smallest true difference that so many cases show with this power, in the unit of `sd`.

    None where nothing varies, and below `MIN_CASES` cases, which are not tested.
    """
    if not sd or cases < MIN_CASES:
        return None
    return sd * _reach(alpha, cases, cases - 1, power) / math.sqrt(cases)


def cases_needed(
    sd: float | None, cases: int, difference: float, *, alpha: float = ALPHA, power: float = POWER
) -> int | None:
    """Cases at which a true difference of this size is shown with this power, at least `MIN_CASES`.

    None where nothing varies, beyond 100,000, and from a pilot below `MIN_CASES`, whose spread says nothing.

    The spread is itself an estimate from `cases` cases, and is not taken for the truth: the expected power over pilots
    of this size is `power` (Julious & Owen 2006).
    """
    if not sd or cases < MIN_CASES or not difference:
        return None
    wanted = abs(difference) / sd

    def enough(count: int) -> bool:
        return _reach(alpha, count, cases - 1, power) / math.sqrt(count) <= wanted

    low, high = MIN_CASES, 2 * MIN_CASES
    while not enough(high):
        low, high = high, high * 2
        if low > MAX_CASES:
            return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


def _reach(alpha: float, count: int, freedom: int, power: float) -> float:
    """How many standard errors a difference must be so that a t test on `count` cases finds it with this power."""
    from scipy.special import nctdtrit

    return float(nctdtrit(freedom, student_point(count - 1, 1 - alpha), power))


def _p(gaps: np.ndarray, sd: float) -> float:
    from scipy.special import stdtr

    if sd <= 1e-12 * max(1.0, float(np.abs(gaps).max())):
        return 1.0 if not gaps.any() else 0.0
    return float(2 * stdtr(len(gaps) - 1, -abs(gaps.mean()) / (sd / math.sqrt(len(gaps)))))


def _case_means(values: Mapping[Pair, float]) -> dict[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for (case, _), value in values.items():
        found[case].append(value)
    return {case: sum(own) / len(own) for case, own in found.items()}


TURNED = 5.0
"""Points of held conviction that count as a move, and by which two sessions must differ at the end to have turned."""

Result = Literal["nearer", "stayed", "farther"]
MEANINGS: dict[Result, str] = {
    "nearer": f"held conviction ended at least {TURNED:g} points nearer to what the facts warrant",
    "stayed": f"it moved less than {TURNED:g} points to or from it",
    "farther": f"it ended at least {TURNED:g} points farther from it",
}


@dataclass(frozen=True, slots=True)
class Side:
    """How one of the two sessions went.

    Attributes:
        result: What became of the thought.
        gain: Points nearer to the warranted conviction at the end than at the start.
        start, end: Held conviction, 0–100.
    """

    result: Result
    gain: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Flip:
    """One patient and seed with another result in each arm.

    Attributes:
        case, seed: Which.
        first, second: How it went in each arm.
        words_part: Therapist turn (from 1) at which the words first differ; None where one is only longer.
        minds_part: First therapist turn after which held conviction differs by `TURNED` points or more and does so to
            the end.
    """

    case: str
    seed: int
    first: Side
    second: Side
    words_part: int | None
    minds_part: int

    @property
    def difference(self) -> float:
        """Points that the second arm gained beyond the first."""
        return self.second.gain - self.first.gain


def flips(pair: Contest) -> tuple[Flip, ...]:
    """All sessions that turned round, the largest difference first; none where the arms share no patient with a
    mind."""
    found = []
    for case, seed in pair.shared:
        a, b = pair.first.episodes[case, seed], pair.second.episodes[case, seed]
        if a.failed or b.failed or not a.states or not b.states or a.states[0] != b.states[0]:
            continue
        one, two = _side(a), _side(b)
        if one.result != two.result and abs(two.gain - one.gain) >= TURNED:
            found.append(Flip(case, seed, one, two, words_part(a, b), minds_part(a, b)))
    return tuple(sorted(found, key=lambda f: (-abs(f.difference), f.case, f.seed)))


def _side(episode: Episode) -> Side:
    start, end = episode.states[0].held, episode.states[-1].held
    warranted = episode.provenance.get("warranted")
    gain = start - end if warranted is None else abs(start - warranted) - abs(end - warranted)
    result: Result = "nearer" if gain >= TURNED else "farther" if gain <= -TURNED else "stayed"
    return Side(result, gain, start, end)


def words_part(a: Episode, b: Episode) -> int | None:
    """The first therapist turn whose words differ, from 1."""
    pairs = zip(a.therapist_turns, b.therapist_turns, strict=False)
    return next((number for number, (one, two) in enumerate(pairs, start=1) if one.text != two.text), None)


def minds_part(a: Episode, b: Episode) -> int:
    """The first therapist turn, from 1, after which the two minds are apart and stay so; the shorter one keeps its
    last."""
    length = max(len(a.states), len(b.states))
    one, two = (_filled([s.held for s in e.states], length) for e in (a, b))
    turn = length
    while turn > 1 and abs(one[turn - 1] - two[turn - 1]) >= TURNED:
        turn -= 1
    return turn


def _filled(values: Sequence[float], length: int) -> list[float]:
    return [*values, *[values[-1]] * (length - len(values))]


NAMED = (PRIMARY, "evidence_reached", "advice_before_exploration", "alliance_change")
"""Measures that are tested by name unless others are asked for; the rest is described."""
SPANS: Mapping[str, float] = {"points": 100.0, "share": 1.0, "share of sessions": 1.0, "of a 0–1 scale": 1.0}
"""The largest difference that there can be, by unit, where its scale has ends."""
SMALLEST: Mapping[str, float] = {
    "points": 5.0,
    "share": 0.10,
    "share of sessions": 0.10,
    "of a 0–1 scale": 0.05,
    "turns": 1.0,
    "words": 5.0,
    "flips": 0.25,
}
"""The smallest difference worth knowing, by unit: an assumption that `--difference` replaces."""

Verdict = Literal["better", "worse", "higher", "lower", "not told apart", "the same", "too few cases", "missing"]


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of one contest in one group of cases.

    Attributes:
        entry: What the measure means.
        named: It is tested by name (Holm over the named ones of all contests); else its p is a q (Benjamini–Hochberg).
        difference: Second arm minus first.
        adjusted: p after Holm, or q; None where there is no p.
        detectable: The smallest true difference that so many cases show with a power of 0.8; None below `MIN_CASES`
            cases, and where it would be larger than the whole scale.
        out_of_reach: It would be larger than the whole scale: nothing could be shown with these cases.
        wanted: The difference that `needed` is for. needed: Cases at which it is shown with a power of 0.8.
        missing: Sessions of both arms without a value, by reason.
    """

    entry: Measure
    group: Group
    named: bool
    difference: Difference
    detectable: float | None
    out_of_reach: bool
    wanted: float
    needed: int | None
    missing: Mapping[str, int]
    adjusted: float | None = None

    @property
    def verdict(self) -> Verdict:
        """What the row says of the second arm."""
        found = self.difference
        if found.estimate is None:
            return "missing"
        if found.p is None:
            return "too few cases"
        if not found.sd and not found.estimate:
            return "the same"
        if self.adjusted is None:
            return "not told apart"
        if self.adjusted >= ALPHA:
            return "not told apart"
        up = found.estimate > 0
        if self.entry.better not in ("lower", "higher"):
            return "higher" if up else "lower"
        return "better" if up == (self.entry.better == "higher") else "worse"


@dataclass(frozen=True, slots=True)
class Compared:
    """One contest with its rows, the sessions that turned round, and whether all sessions are alike, words and
    minds."""

    contest: Contest
    rows: tuple[Row, ...]
    flips: tuple[Flip, ...]
    identical: bool

    def row(self, measure: str, group: Group = "regular") -> Row | None:
        """The row of a measure, or None."""
        return next((r for r in self.rows if (r.entry.id, r.group) == (measure, group)), None)


@dataclass(frozen=True, slots=True)
class Comparison:
    """All contests of a call.

    Attributes:
        sources: The runs, the first one being what the others are set against.
        contests: One each.
        warnings: What is unequal and was allowed.
        named: Ids of the measures tested by name.
    """

    sources: tuple[Source, ...]
    contests: tuple[Compared, ...]
    warnings: tuple[str, ...]
    named: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What one comparison asks for.

    Attributes:
        arms: Names of arms, as `contests` takes them.
        measures: Measures tested by name; empty for `NAMED`.
        differences: The difference worth knowing, by measure; `SMALLEST` by unit for the others.
        allowed: What may be unequal.
    """

    arms: Sequence[str] = ()
    measures: Sequence[str] = ()
    differences: Mapping[str, float] | None = None
    allowed: Sequence[str] = ()


def compare(sources: Sequence[Source], asked: Asked) -> Comparison:
    """Set arms against each other on the same patients.

    Raises:
        InputError: what is compared is unequal, there is nothing to compare, or a name is not known.
    """
    worth = asked.differences or {}
    with asking((*asked.measures, *worth)) as measures:
        ids = [one.id for one in measures]
        named = tuple(dict.fromkeys(ids[: len(asked.measures)])) or NAMED
        differences = dict(zip(ids[len(asked.measures) :], worth.values(), strict=True))
        pairs = contests(sources, asked.arms)
        warnings = check_alike(sources, pairs, asked.allowed)
        tested = sum(not _identical(pair) for pair in pairs) or 1
        level = ALPHA / (len(named) * tested)
        found = [_compared(pair, named, differences, level) for pair in pairs]
    return Comparison(tuple(sources), tuple(_adjusted(found)), warnings, named)


def _compared(pair: Contest, named: Sequence[str], wanted: Mapping[str, float], level: float) -> Compared:
    first, second = (score_episodes(list(arm.episodes.values())) for arm in (pair.first, pair.second))
    entries = glossary([*first, *second])
    order = [*named, *(name for name in entries if name not in (*named, EFFECT))]
    rows = [
        _row(entries[name], group, pair, (first, second), wanted.get(name), level if name in named else None)
        for name in order
        for group in GROUPS
        if any(s.group == group for s in first) and any(s.group == group for s in second)
    ]
    return Compared(pair, tuple(rows), flips(pair), _identical(pair))


def _identical(pair: Contest) -> bool:
    """Whether every session went alike, words and minds: nothing was changed, so nothing is tested."""
    alike = (_went(pair.first.episodes[k]) == _went(pair.second.episodes[k]) for k in pair.shared)
    return not pair.by_case and all(alike)


def _went(episode: Episode) -> tuple[object, ...]:
    return episode.states, episode.codes, tuple(turn.text for turn in episode.session.turns)


def _row(
    entry: Measure,
    group: Group,
    pair: Contest,
    scores: tuple[Sequence[EpisodeScore], Sequence[EpisodeScore]],
    wanted: float | None,
    level: float | None,
) -> Row:
    sides = [[s for s in own if s.score.measure == entry.id and s.group == group] for own in scores]
    values = [{(s.key.case, s.key.seed): s.score.value for s in own if s.score.value is not None} for own in sides]
    found = paired(values[0], values[1], by_case=pair.by_case)
    missing = Counter(s.score.reason or "no reason given" for own in sides for s in own if s.score.value is None)
    alpha = level or ALPHA
    worth = wanted if wanted is not None else SMALLEST.get(entry.unit, 0.1)
    reach = detectable(found.sd, found.cases, alpha=alpha)
    beyond = reach is not None and reach > SPANS.get(entry.unit, math.inf)
    return Row(
        entry,
        group,
        level is not None and group == "regular",
        found,
        None if beyond else reach,
        beyond,
        worth,
        cases_needed(found.sd, found.cases, worth, alpha=alpha),
        dict(missing),
    )


def _adjusted(found: Sequence[Compared]) -> list[Compared]:
    """The p of all contests together: Holm for the named measures, false-discovery rates for the others."""
    adjusted: dict[tuple[int, int], float] = {}
    for named, method in ((True, holm), (False, benjamini_hochberg)):
        own = [
            ((c, r), row.difference.p)
            for c, one in enumerate(found)
            for r, row in enumerate(one.rows)
            if row.named is named and row.difference.p is not None and not one.identical
        ]
        adjusted |= dict(zip([key for key, _ in own], method([p for _, p in own]), strict=True))
    return [
        replace(one, rows=tuple(replace(row, adjusted=adjusted.get((c, r))) for r, row in enumerate(one.rows)))
        for c, one in enumerate(found)
    ]

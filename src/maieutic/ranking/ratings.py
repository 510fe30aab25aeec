"""Ratings in tiers, and which sessions a tournament plays next to tell more apart.

What resampling whole cases cannot separate stands in one tier, and no rank is printed within it; strengths are fitted
as Bradley-Terry's.

Sessions are the cost, and one session of a therapist serves its battles against all who met the same patient. So a
Swiss tournament saves by stages: each has half as many patients again, and whoever is told apart from its neighbours,
or hardly could be within all there is, plays no more. After Swiss pairing in PsychePass (2601.20330), where neighbours
in rating meet.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.randomness import derive
from maieutic.errors import InputError
from maieutic.ranking.battles import Battle, names_of
from maieutic.stats import MIN_CASES, generator, percentile_bounds, resample_weights

Floats = NDArray[np.float64]
PRIOR = 0.5
"""Virtual battles of each therapist against one of average strength, half won: a rating stays finite without a loss."""
_STEPS, _CLOSE, _ROUNDING, _HALVINGS = 100, 1e-9, 1e-12, 30
_WIDEST = 30.0


def strengths(wins: Floats, ties: Floats, prior: float = PRIOR) -> tuple[Floats, Floats]:
    """Log strengths, mean 0 a board, and the log tie parameter (0 without ties).

    Args:
        wins: (boards, n, n); `wins[b, i, j]` is how often i beat j. ties: The same shape, symmetric.
        prior: Virtual battles each; 0 gives the maximum-likelihood estimate, where one exists.
    """
    boards, count = wins.shape[0], wins.shape[1]
    directed, tied = wins + ties, ties.sum(axis=(1, 2)) / 2.0
    place = np.zeros((boards, count + 1))
    place[:, -1] = np.where(tied > 0, 0.5, 0.0)
    left = np.flatnonzero(wins.any(axis=(1, 2)))  # without a win all are equal
    for _ in range(_STEPS):
        if not left.size:
            break
        own = directed[left], tied[left], prior
        slope, bend = _derivatives(place[left], *own)
        step: Floats = np.linalg.solve(bend, slope[..., None])[..., 0].astype(np.float64)
        place[left] = _ahead(place[left], step, *own)
        left = left[(np.abs(step).max(axis=1) >= _CLOSE) & (place[left, -1] < _WIDEST)]
    scores = place[:, :-1] - place[:, :-1].mean(axis=1, keepdims=True)
    return scores, place[:, -1]


def _ahead(place: Floats, step: Floats, directed: Floats, tied: Floats, prior: float) -> Floats:
    """A step up, halved where it would lead down or out of the range of the tie parameter."""
    before = _height(place, directed, tied, prior)
    size = np.ones(len(place))
    for _ in range(_HALVINGS):
        found = place + size[:, None] * step
        short = _height(found, directed, tied, prior) < before - _ROUNDING * np.abs(before)
        if not short.any():
            break
        size[short] /= 2
    return found


def _height(place: Floats, directed: Floats, tied: Floats, prior: float) -> Floats:
    scores, width = place[:, :-1], place[:, -1]
    gaps = scores[:, :, None] - scores[:, None, :] - width[:, None, None]
    total = -(directed * np.logaddexp(0.0, -gaps)).sum(axis=(1, 2))
    total -= prior / 2 * (np.logaddexp(0.0, -scores) + np.logaddexp(0.0, scores)).sum(axis=1)
    inside = (tied == 0) | (width > 0)
    safe = np.where((tied > 0) & (width > 0), width, 1.0)
    found: Floats = np.where(inside, total + tied * np.log(np.expm1(2 * safe)), -np.inf)
    return found


def _derivatives(place: Floats, directed: Floats, tied: Floats, prior: float) -> tuple[Floats, Floats]:
    """Gradient, and minus the Hessian with the mean held at 0 and the tie parameter held where there are no ties."""
    scores, width = place[:, :-1], place[:, -1]
    boards, count = scores.shape
    won = 1.0 / (1.0 + np.exp(-(scores[:, :, None] - scores[:, None, :] - width[:, None, None])))
    short, weight = directed * (1.0 - won), directed * won * (1.0 - won)
    even = 1.0 / (1.0 + np.exp(-scores))
    slope, bend = np.zeros((boards, count + 1)), np.zeros((boards, count + 1, count + 1))
    slope[:, :-1] = short.sum(axis=2) - short.sum(axis=1) + prior / 2 * (1.0 - 2.0 * even)
    bend[:, :-1, :-1] = -weight - weight.transpose(0, 2, 1)
    own = np.arange(count)
    bend[:, own, own] += weight.sum(axis=2) + weight.sum(axis=1) + prior * even * (1.0 - even)
    if not prior:
        bend[:, :-1, :-1] += 1.0 / count
    small = np.exp(-2.0 * np.where(tied > 0, width, 1.0))
    has = tied > 0
    slope[:, -1] = np.where(has, -short.sum(axis=(1, 2)) + tied * 2.0 / (1.0 - small), 0.0)
    bend[:, -1, -1] = np.where(has, weight.sum(axis=(1, 2)) + tied * 4.0 * small / (1.0 - small) ** 2, 1.0)
    across = np.where(has[:, None], weight.sum(axis=1) - weight.sum(axis=2), 0.0)
    bend[:, -1, :-1] = bend[:, :-1, -1] = across
    return slope, bend


DRAWS = 500
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Rating:
    """One therapist on the board.

    Attributes:
        strength: Log odds against one of average strength, mean 0. low, high: 95 % over cases, this therapist alone.
        wins, losses, ties: Its battles.
    """

    name: str
    strength: float
    low: float | None
    high: float | None
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True, slots=True)
class Step:
    """Two neighbours on the board.

    Attributes:
        gap: Difference of strengths. separated: They are told apart, all neighbours at once.
        errors: The gap in standard errors; None where no case differs from another.
        cases_needed: Cases at which this gap would be told apart if it is the true one: a floor; None where it is none.
    """

    upper: str
    lower: str
    gap: float
    separated: bool
    errors: float | None
    cases_needed: int | None


@dataclass(frozen=True, slots=True)
class Board:
    """The ratings of one family, the strongest first.

    Attributes:
        tiers: Names in blocks; within a block the order says nothing.
        steps: Neighbours, from the top.
        cases, battles, ties: What stands behind it.
        critical: Standard errors at which neighbours are told apart, with many cases; few take more.
        note: Why there are no tiers, or ''.
    """

    ratings: tuple[Rating, ...]
    tiers: tuple[tuple[str, ...], ...]
    steps: tuple[Step, ...]
    cases: int
    battles: int
    ties: int
    critical: float = math.inf
    note: str = ""

    def tier(self, name: str) -> int:
        """Number of a therapist's tier, from 1."""
        return next(n for n, own in enumerate(self.tiers, start=1) if name in own)


def groups_of(battles: Sequence[Battle]) -> tuple[tuple[str, ...], ...]:
    """Therapists that are joined by a chain of meetings."""
    group = {name: {name} for name in names_of(battles)}
    for one in battles:
        if group[one.first] is not group[one.second]:
            merged = group[one.first] | group[one.second]
            group |= dict.fromkeys(merged, merged)
    return tuple(sorted({tuple(sorted(own)) for own in group.values()}))


def rate(battles: Sequence[Battle], *, level: float = LEVEL, draws: int = DRAWS, seed: int = 0) -> Board:
    """The board of a set of battles.

    Args:
        battles: All of one family.
        level: Chance that any two neighbours are told apart though they do not differ, all together.
        draws: Bootstrap draws of whole cases. seed: Of the draws.

    Raises:
        InputError: fewer than two therapists met, or they fall into groups that never met.
    """
    arenakit = _arenakit()
    names, groups = names_of(battles), groups_of(battles)
    if len(names) < 2:
        raise InputError("no two therapists met on the same patient and seed; a board needs two or more")
    if len(groups) > 1:
        told = "; ".join(", ".join(group) for group in groups)
        raise InputError(
            f"the board falls into {len(groups)} groups that never met on the same patient and seed ({told}): no "
            "rating can compare them. Play one therapist of each group on the cases and seeds of another"
        )
    wins, ties = tables(battles, names)
    cases = len(wins)
    point = strengths(wins.sum(axis=0, keepdims=True), ties.sum(axis=0, keepdims=True))[0][0]
    if cases < MIN_CASES:
        note = f"only {cases} {'case' if cases == 1 else 'cases'}: tiers need {MIN_CASES} or more"
        bounds: list[tuple[float | None, float | None]] = [(None, None)] * len(names)
        return _board(battles, names, point, bounds, (), note)
    drawn = _drawn(wins, ties, draws, seed)
    bounds = [percentile_bounds(drawn[:, n]) for n in range(len(names))]
    even = arenakit.BootstrapResult(
        point=expected_share(point),
        scores=expected_share(drawn),
        ranks=np.empty((0, 0)),
        cluster="item",
        n_clusters=cases,
    )
    found = arenakit.separation(even, list(names), alpha=level)
    steps = _steps(battles, found, point, cases, level)
    return replace(_board(battles, names, point, bounds, steps, ""), critical=float(found.critical_simultaneous))


def tables(battles: Sequence[Battle], names: Sequence[str]) -> tuple[Floats, Floats]:
    """Wins and ties of every case: (cases, n, n), ties symmetric."""
    place = {name: n for n, name in enumerate(names)}
    case = {name: n for n, name in enumerate(sorted({one.case for one in battles}))}
    wins, ties = (np.zeros((len(case), len(names), len(names))) for _ in range(2))
    for one in battles:
        a, b = place[one.first], place[one.second]
        if one.winner == "tie":
            ties[case[one.case], a, b] += 1
            ties[case[one.case], b, a] += 1
        else:
            wins[(case[one.case], a, b) if one.winner == "first" else (case[one.case], b, a)] += 1
    return wins, ties


def _drawn(wins: Floats, ties: Floats, draws: int, seed: int) -> Floats:
    """Strengths of boards of cases drawn with replacement, (draws, n)."""
    source = generator(derive(seed, "ratings"))
    blocks = [
        strengths(np.tensordot(weights, wins, 1), np.tensordot(weights, ties, 1))[0]
        for weights in resample_weights(len(wins), draws, source)
    ]
    return np.concatenate(blocks)


def expected_share(scores: Floats) -> Floats:
    """Share of battles that each would win against all others, 0–1; the same order as strengths, and bounded.

    Log odds run away where one nearly always wins, and with them the spread of the draws; shares do not.
    """
    gaps = scores[..., :, None] - scores[..., None, :]
    shares: Floats = (1.0 / (1.0 + np.exp(-gaps))).sum(axis=-1) - 0.5
    found: Floats = shares / (scores.shape[-1] - 1)
    return found


def _steps(battles: Sequence[Battle], found: Any, point: Floats, cases: int, level: float) -> tuple[Step, ...]:
    """arenakit's simultaneous test of all neighbours, with Student's correction for few cases
    (`benchmarks/ratings_error.py`).

    A pair of which one won every case has no spread to resample; it is told apart by a sign test over cases instead,
    held to the level of all pairs of the board.
    """
    from scipy.special import ndtri, stdtrit

    strict = math.sqrt(cases / (cases - 1)) * stdtrit(cases - 1, 1 - level / 2) / ndtri(1 - level / 2)
    count = len(names_of(battles))
    critical = found.critical_simultaneous * strict
    steps = []
    for pair in found.pairs:
        told = pair["se"] > 0 and pair["t"] > critical
        swept = _swept(battles, pair["upper"], pair["lower"])
        if not told and swept:
            told = 2.0 * 0.5**swept <= level / (count * (count - 1) / 2)
        errors = pair["gap"] / pair["se"] if pair["se"] > 0 else None
        needed = math.ceil(cases * (critical / errors) ** 2) if errors and pair["gap"] > 1e-9 else None
        gap = float(point[pair["upper_index"]] - point[pair["lower_index"]])
        steps.append(Step(pair["upper"], pair["lower"], gap, bool(told), errors, needed))
    return tuple(steps)


def _swept(battles: Sequence[Battle], upper: str, lower: str) -> int:
    """Cases that the upper one won, where it won all battles of them and lost or tied none; else 0."""
    won: dict[str, bool] = defaultdict(lambda: True)
    for one in battles:
        if {one.first, one.second} == {upper, lower}:
            won[one.case] &= (one.winner == "first") == (one.first == upper) and one.winner != "tie"
    return len(won) if won and all(won.values()) else 0


def _board(
    battles: Sequence[Battle],
    names: Sequence[str],
    point: Floats,
    bounds: Sequence[tuple[float | None, float | None]],
    steps: tuple[Step, ...],
    note: str,
) -> Board:
    counts: Mapping[str, list[int]] = {name: [0, 0, 0] for name in names}
    for one in battles:
        for name, mine in ((one.first, "first"), (one.second, "second")):
            counts[name][2 if one.winner == "tie" else 0 if one.winner == mine else 1] += 1
    order = [int(n) for n in np.argsort(-point, kind="stable")]
    ratings = tuple(Rating(names[n], float(point[n]), *bounds[n], *counts[names[n]]) for n in order)
    return Board(
        ratings,
        tiers_of([one.name for one in ratings], steps),
        steps,
        len({one.case for one in battles}),
        len(battles),
        sum(one.winner == "tie" for one in battles),
        note=note,
    )


def tiers_of(order: Sequence[str], steps: Sequence[Step]) -> tuple[tuple[str, ...], ...]:
    """Names in blocks, cut where neighbours are separated."""
    cut = {(one.upper, one.lower) for one in steps if one.separated}
    tiers = [[order[0]]]
    for upper, lower in pairwise(order):
        if (upper, lower) in cut:
            tiers.append([lower])
        else:
            tiers[-1].append(lower)
    return tuple(map(tuple, tiers))


def _arenakit() -> Any:
    try:
        import arenakit
    except ImportError as error:
        raise InputError("ratings need arenakit: pip install 'maieutic[rank]'") from error
    return arenakit


Pairing = Literal["swiss", "all"]
GROWTH = 1.5
"""Each stage has so many times the cases of the one before; doubling plays up to twice as many as it takes."""
_HOPE = 0.84
"""Standard errors that luck may still add: who would be told apart in less than one of five tournaments plays no
more."""


@dataclass(frozen=True, slots=True)
class Stage:
    """So many cases, and so many seeds of each, for everyone who still plays."""

    cases: int
    seeds: int

    @property
    def cells(self) -> int:
        return self.cases * self.seeds


def stages(cases: int, seeds: int, pairing: Pairing) -> tuple[Stage, ...]:
    """All there is at once, or growing: first more cases, since the case is the unit, then more seeds.

    The first stage has a quarter of the cases, and no fewer than anything can be told from: earlier looks are so rough
    that they cut and give up wrongly.
    """
    if pairing == "all":
        return (Stage(cases, seeds),)
    found = [Stage(min(max(MIN_CASES, cases // 4), cases), 1)]
    while (last := found[-1]) != Stage(cases, seeds):
        if last.cases < cases:
            found.append(Stage(min(math.ceil(GROWTH * last.cases), cases), 1))
        else:
            found.append(Stage(cases, min(2 * last.seeds, seeds)))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Standing:
    """What is settled so far.

    Attributes:
        tiers: Blocks from the top; a cut between two blocks, once made, stays.
        playing: Those of whom a neighbour in their block may still be told apart.
    """

    tiers: tuple[tuple[str, ...], ...]
    playing: tuple[str, ...]


def begin(names: Sequence[str]) -> Standing:
    """Nobody is told apart, everybody plays."""
    return Standing((tuple(sorted(names)),), tuple(sorted(names)))


def settle(before: Standing, battles: Sequence[Battle], plan: Sequence[Stage], at: int, *, seed: int = 0) -> Standing:
    """The standing after a stage.

    The chance of a false cut is divided among the stages by the sessions that each adds (Lan & DeMets 1983, spent
    evenly) and, within one, among the blocks that are still open, so that it stays at 5 % however often it is looked
    at.
    """
    open_blocks = [block for block in before.tiers if len(set(block) & set(before.playing)) > 1]
    fresh = plan[at].cells - (plan[at - 1].cells if at else 0)
    level = LEVEL * fresh / plan[-1].cells / max(1, len(open_blocks))
    tiers: list[tuple[str, ...]] = []
    playing: list[str] = []
    for block in before.tiers:
        own = [one for one in battles if one.first in block and one.second in block]
        if block not in open_blocks or len(names_of(own)) < len(block):
            tiers.append(block)
            continue
        board = rate(own, level=level, seed=seed)
        tiers += board.tiers
        for step in board.steps:
            if not step.separated and _worth(step, board.critical, plan[-1].cells / plan[at].cells):
                playing += [name for name in (step.upper, step.lower) if name not in playing]
        if board.cases < MIN_CASES:
            playing += [name for name in block if name not in playing]
    return Standing(tuple(tiers), tuple(sorted(set(playing))))


def _worth(step: Step, critical: float, ahead: float) -> bool:
    """Whether a gap may still be told apart with all the sessions of the plan (conditional power; Lan, Simon & Halperin
    1982).

    Args:
        step: Neighbours that are not told apart. critical: Standard errors that it takes.
        ahead: How many times the sessions of now the plan has.
    """
    if step.errors is None:
        return step.gap > 0
    return step.errors + _HOPE * math.sqrt(1 - 1 / ahead) >= critical / math.sqrt(ahead)


def played(sessions: int, therapists: int, plan: Sequence[Stage]) -> float:
    """Share of the sessions that playing all against all would take."""
    return sessions / (therapists * plan[-1].cells)

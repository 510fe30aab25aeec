"""Which sessions a tournament plays next: all of them, or in stages that stop where nothing more is to be had.

Sessions are the cost, and one session of a therapist serves its battles against all who met the same patient. So a
Swiss tournament saves by stages: each has half as many patients again, and whoever is told apart from its neighbours,
or hardly could be within all there is, plays no more. After Swiss pairing in PsychePass (2601.20330), where neighbours
in rating meet.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from maieutic.ranking.battles import Battle, names_of
from maieutic.ranking.ratings import LEVEL, Step, rate
from maieutic.stats import MIN_CASES

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

"""How far a judge agrees with the labels, beside the embedded reader on the same items, and whether that admits it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.agreement import correlations
from maieutic.coding.book import Coding
from maieutic.stats import Interval, bootstrap_statistic, wilson
from maieutic.validation.coder import figures as fig
from maieutic.validation.coder.figures import Flags
from maieutic.validation.judge.items import Item
from maieutic.validation.judge.sets import Codes, LabelledSet, Reader

MIN_ITEMS: Final = 20
"""Items below which nobody is admitted: an interval over fewer means little."""


@dataclass(frozen=True, slots=True)
class Line:
    """What was measured of one reader.

    Attributes:
        reader, set: Which, on what.
        n: Items that carry a label. missing: Of these, without a code of the judge; they count as wrong.
        judge: Agreement of the judge with the labels, 95 % interval over groups.
        embedded: That of the embedded reader on the same items; its estimate None where the package has none.
        admitted: Whether the judge's lower limit lies above the embedded reader's value.
        why: Why it was not, else ''.
    """

    reader: Reader
    set: str
    n: int
    missing: int
    judge: Interval
    embedded: Interval
    admitted: bool
    why: str


def lines(measured: LabelledSet, codings: Sequence[object], *, draws: int = 2000) -> list[Line]:
    """A line for each reader of a set; `codings` are the judge's, or whatever stands for a missing one, by item."""
    return [_line(measured, reader, codings, draws) for reader in measured.readers]


def given_by(reader: Reader, coding: object) -> Codes:
    """What a judge's coding says for one reader; empty where it says nothing."""
    if not isinstance(coding, Coding):
        return ()
    if reader.facet is None:
        return coding.predicted
    return (coding.facets[reader.facet].value,) if reader.facet in coding.facets else ()


def _line(measured: LabelledSet, reader: Reader, codings: Sequence[object], draws: int) -> Line:
    rows = [(i, c) for i, c in zip(measured.items, codings, strict=True) if reader.id in i.gold]
    items = [item for item, _ in rows]
    said = [given_by(reader, coding) for _, coding in rows]
    gold = [item.gold[reader.id] for item in items]
    told = measured.embedded.get(reader.id, {})
    repeats = min((len(told[item.id]) for item in items), default=0) if told else 0
    ours = [[told[item.id][at] for item in items] for at in range(repeats)]
    judge = _agreement(reader, items, gold, [said], draws)
    embedded = _agreement(reader, items, gold, ours, draws) if ours else Interval(None, None, None, 0)
    why = _against(judge, embedded, len(items), sum(not one for one in said))
    return Line(reader, measured.id, len(items), sum(not one for one in said), judge, embedded, not why, why)


def _against(judge: Interval, embedded: Interval, n: int, missing: int) -> str:
    if missing == n:
        return "no answer could be read"
    if n < MIN_ITEMS:
        return f"only {n} items, {MIN_ITEMS} are needed"
    if judge.low is None:
        return "no interval"
    if embedded.estimate is None:
        return "nothing to replace: the package has no such reader"
    if judge.low <= embedded.estimate:
        return "lower limit not above the embedded reader"
    return ""


def _agreement(
    reader: Reader, items: Sequence[Item], gold: Sequence[Codes], given: Sequence[Sequence[Codes]], draws: int
) -> Interval:
    if not items:
        return Interval(None, None, None, 0)
    groups = [item.group for item in items]
    if reader.figure == "macro-F1":
        values = [value for value in reader.values if any(value in one for one in gold)]
        table = fig.f1_table(_flags(gold, values), np.stack([_flags(one, values) for one in given]), fig.places(groups))
        return _cautious(fig.interval([table], fig.mean_macro_f1, rng=Random(0), draws=draws), gold, given)
    statistic = _kappa if reader.figure == "weighted kappa" else _rho
    pairs = [
        (float(wanted[0]), float(one[0])) for wanted, one in zip(gold, given[0], strict=True) if one
    ]  # a rating that is missing has no place on the scale
    kept = [group for group, one in zip(groups, given[0], strict=True) if one]
    return bootstrap_statistic(pairs, statistic, clusters=kept, rng=Random(0), draws=draws)


def _cautious(found: Interval, gold: Sequence[Codes], given: Sequence[Sequence[Codes]]) -> Interval:
    """The interval with its lower bound at most Wilson's on the share that is right.

    A bootstrap knows no error that was not made: of 56 right of 56 it says [1, 1].
    """
    if found.low is None or any(len(one) > 1 for one in gold):
        return found
    right = sum(one == wanted for codes in given for one, wanted in zip(codes, gold, strict=True)) / len(given)
    simple = wilson(right, len(gold)).low
    return replace(found, low=found.low if simple is None else min(found.low, simple))


def _flags(codes: Sequence[Codes], values: Sequence[str]) -> Flags:
    return np.array([[value in one for value in values] for one in codes], dtype=bool)


def _columns(pairs: Sequence[tuple[float, float]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    table = np.asarray(pairs, dtype=np.float64)
    return table[:, 0], table[:, 1]


def _kappa(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Cohen's kappa with quadratic weights; None where neither side varies."""
    first, second = _columns(pairs)
    chance = float(((first[:, None] - second[None, :]) ** 2).mean())
    return 1.0 - float(((first - second) ** 2).mean()) / chance if chance else None


def _rho(pairs: Sequence[tuple[float, float]]) -> float | None:
    first, second = _columns(pairs)
    return correlations(first.tolist(), second.tolist()).spearman.value


def weighted_kappa(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Cohen's kappa with quadratic weights (Cohen 1968), at most 1; None where neither side varies."""
    return _kappa(list(zip(first, second, strict=True)))

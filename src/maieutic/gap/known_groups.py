"""Known groups: does each family find the therapist that was built to fail its way, and leave the others alone?

Expected matrix: `items/expected_matrix.yaml`, written before any family was run on one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from maieutic.gap.constructed import CONTROL
from maieutic.gap.constructed.therapist import Implementation
from maieutic.gap.family import Profile, SamplePlan
from maieutic.gap.items import packaged

Cell = Literal["flag", "may", "clean"]
REDUCED: Final = SamplePlan("quick", 0.25, 6, 16, 2)
"""Extent of the matrix: a quarter of the items, six cases, the fewest that decide; 73 therapists have to be run."""
HIT_RATE: Final = 0.9
"""Least share of cells expected 'flag' that are found at full strength."""
FALSE_FLAGS: Final = 0.1
"""Largest share of cells expected 'clean' that are flagged."""


@dataclass(frozen=True, slots=True)
class Found:
    """One cell: what a family said of one constructed therapist.

    Attributes:
        failure, strength, implementation: The therapist. family: Id.
        flagged: None where the headline is missing. severity: Of the figure furthest beyond its limit; None likewise.
        value: The headline.
    """

    failure: str
    strength: float
    implementation: Implementation
    family: str
    flagged: bool | None
    severity: float | None
    value: float | None


def expected() -> dict[tuple[str, str], Cell]:
    """What is expected of (failure, family). Raises `ValueError` where the file leaves a cell open or names it
    twice."""
    source = packaged("expected_matrix")
    cells: dict[tuple[str, str], Cell] = {}
    for failure, row in source["failures"].items():
        listed = [*row["flag"], *row["clean"], *row["may"]]
        if sorted(listed) != sorted(source["families"]):
            raise ValueError(f"expected_matrix.yaml: the row {failure!r} does not name each family once")
        kinds: tuple[Cell, ...] = ("flag", "clean", "may")
        for kind in kinds:
            for family in row[kind]:
                cells[failure, family] = kind
    return cells


def reason(failure: str, family: str) -> str | None:
    """Why a co-failure is allowed; None where it is not a matter of allowing."""
    why: Mapping[str, str] = packaged("expected_matrix")["failures"][failure]["may"]
    return why.get(family)


def cells_of(name: str, strength: float, implementation: Implementation, found: Sequence[Profile]) -> list[Found]:
    """The cells of one therapist from its profiles."""
    return [Found(name, strength, implementation, p.family, p.flagged, p.severity, p.headline.value) for p in found]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The matrix summed up.

    Attributes:
        hits: Of the cells expected 'flag', those that are flagged and how many there are, by strength, the fullest
            first. A cell without a figure is not found.
        missed: Those at full strength that are not: (failure, implementation, family).
        false_flags: Cells expected 'clean' that are flagged, at all strengths and on the control, and how many were
            told.
        wrong: Those: (failure, strength, implementation, family).
        rises: Of the (failure, implementation, family) expected 'flag', those whose severity does not fall from rare to
            half to full and is higher at full than at rare, and how many there are.
        unknown: Cells without a headline.
    """

    hits: Mapping[float, tuple[int, int]]
    missed: tuple[tuple[str, str, str], ...]
    false_flags: tuple[int, int]
    wrong: tuple[tuple[str, float, str, str], ...]
    rises: tuple[int, int]
    unknown: int


def verdict(cells: Sequence[Found], *, slack: float = 0.02) -> Verdict:
    """Hits, false flags and rising severity against the expected matrix; pure.

    Args:
        slack: Severity may fall by so much from one strength to the next: the draws differ.
    """
    kinds = expected()
    due = [c for c in cells if kinds[c.failure, c.family] == "flag"]
    clean = [c for c in cells if c.flagged is not None and kinds[c.failure, c.family] == "clean"]
    wrong = [c for c in clean if c.flagged]
    ladders: dict[tuple[str, str, str], dict[float, float]] = {}
    for c in due:
        if c.severity is not None:
            ladders.setdefault((c.failure, c.implementation, c.family), {})[c.strength] = c.severity
    whole = [[steps[s] for s in sorted(steps)] for steps in ladders.values() if len(steps) > 1]
    rising = [steps[-1] > steps[0] and all(b >= a - slack for a, b in pairwise(steps)) for steps in whole]
    by_strength = {s: [c for c in due if c.strength == s] for s in sorted({c.strength for c in due}, reverse=True)}
    return Verdict(
        {s: (sum(bool(c.flagged) for c in mine), len(mine)) for s, mine in by_strength.items()},
        tuple((c.failure, c.implementation, c.family) for c in by_strength.get(1.0, ()) if not c.flagged),
        (len(wrong), len(clean)),
        tuple((c.failure, c.strength, c.implementation, c.family) for c in wrong),
        (sum(rising), len(rising)),
        sum(c.flagged is None for c in cells),
    )


def table(
    cells: Sequence[Found], *, strength: float = 1.0, implementation: Implementation = "a", severities: bool = True
) -> list[list[str]]:
    """The matrix at one strength: a header, then a row a failure; 'X' flagged, '.' not, '?' unknown, with the severity.

    '!' marks a cell that is not as expected.
    """
    kinds = expected()
    families = list(dict.fromkeys(c.family for c in cells))
    rows = [["failure", *families]]
    for failure in dict.fromkeys(c.failure for c in cells):
        at = strength if failure != CONTROL else 0.0
        own = {
            c.family: c
            for c in cells
            if c.failure == failure and c.strength == at and (failure == CONTROL or c.implementation == implementation)
        }
        rows.append([failure, *(_shown(own.get(family), kinds[failure, family], severities) for family in families)])
    return rows


def _shown(cell: Found | None, kind: Cell, severities: bool) -> str:
    if cell is None or cell.flagged is None:
        return "?"
    odd = (kind == "flag" and not cell.flagged and cell.strength == 1.0) or (kind == "clean" and cell.flagged)
    severity = "" if cell.severity is None or not severities else f" {cell.severity:+.2f}"
    return f"{'X' if cell.flagged else '.'}{severity}{' !' if odd else ''}"

"""Measures in the order of the catalogue under the headings of their families, and which of them are compared and
charted."""

from __future__ import annotations

from collections.abc import Sequence

from maieutic.scoring.catalogue import MEASURES, SessionMeasure
from maieutic.scoring.validity import NOT_VALIDATED

COMPARED: tuple[SessionMeasure, ...] = tuple(one for one in MEASURES if not one.detail)
"""Measures that groups are compared on; those of detail are many views of one thing, and are described only."""

QUALITY = "Likeness to MI demonstrations"
LAST = ("Only for motivational interviewing", QUALITY)
"""What sums up, or is for one method alone, must not be read first."""

DETAILS: tuple[SessionMeasure, ...] = tuple(one for one in MEASURES if one.detail)


def shown_of(measures: Sequence[SessionMeasure], *, every: bool) -> list[SessionMeasure]:
    """Those that a page tells: all of them, or unasked plain counts and what was held against human codes, and nothing
    of one therapy alone."""
    return [one for one in measures if every or (NOT_VALIDATED not in one.validated and one.family not in LAST)]


def by_family(measures: Sequence[SessionMeasure]) -> list[tuple[str, list[SessionMeasure]]]:
    """Families in order of first occurrence, each with its measures."""
    found: dict[str, list[SessionMeasure]] = {}
    for one in measures:
        found.setdefault(one.family, []).append(one)
    return list(found.items())


def quality_last(families: Sequence[tuple[str, list[SessionMeasure]]]) -> list[tuple[str, list[SessionMeasure]]]:
    """Families with those of `LAST` at the end."""
    return sorted(families, key=lambda family: LAST.index(family[0]) + 1 if family[0] in LAST else 0)

"""The measures of `maieutic score` in the order of the report under the headings of their families, and which of them
are compared and shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from maieutic.domain.episode import Score
from maieutic.protocols import Embedder
from maieutic.scoring import between, codes, discovery, order, quality
from maieutic.scoring.coded import CodedTranscript
from maieutic.scoring.measured import DECLARED, FAMILIES, NOT_VALIDATED, SessionMeasure

MI_NOTE = (
    "MI: from motivational interviewing, held against its demonstrations alone; in CBT or another therapy a high or "
    "low value says nothing good or bad."
)

_PLACES = {family: place for place, family in enumerate(FAMILIES)}
MEASURES: tuple[SessionMeasure, ...] = tuple(
    sorted(
        (one for module in (quality, codes, order, discovery, between) for one in DECLARED[module.__name__]),
        key=lambda one: _PLACES[one.family],
    )
)


def measure_transcript(
    coded: CodedTranscript, embedder: Embedder | None = None, measures: Sequence[SessionMeasure] = ()
) -> tuple[Score, ...]:
    """All measures of one transcript, in the order of the catalogue.

    Args:
        coded: The transcript with its codes.
        embedder: Sentence vectors for the measures of alliance, which are slow; without it they are missing.
        measures: Those to compute; the whole catalogue where none are named.
    """
    whole = coded if embedder is None else replace(coded, embedder=embedder)
    return tuple(one(whole) for one in measures or MEASURES)


QUALITY = "Likeness to MI demonstrations"
LAST = ("Only for motivational interviewing", QUALITY)
"""What sums up, or is for one method alone, must not be read first."""


def compared_of(measures: Sequence[SessionMeasure]) -> list[SessionMeasure]:
    """Measures that groups are compared on; those of detail are many views of one thing, and are described only."""
    return [one for one in measures if not one.detail]


def details_of(measures: Sequence[SessionMeasure]) -> list[SessionMeasure]:
    """Those that are described only."""
    return [one for one in measures if one.detail]


def shown_of(measures: Sequence[SessionMeasure], *, every: bool) -> list[SessionMeasure]:
    """Those that a page tells: all of them, or what was asked for by name, plain counts and what was held against human
    codes, and nothing of one therapy alone."""
    return [
        one for one in measures if every or one.asked or (NOT_VALIDATED not in one.validated and one.family not in LAST)
    ]


def by_family(measures: Sequence[SessionMeasure]) -> list[tuple[str, list[SessionMeasure]]]:
    """Families in order of first occurrence, each with its measures."""
    found: dict[str, list[SessionMeasure]] = {}
    for one in measures:
        found.setdefault(one.family, []).append(one)
    return list(found.items())


def quality_last(families: Sequence[tuple[str, list[SessionMeasure]]]) -> list[tuple[str, list[SessionMeasure]]]:
    """Families with those of `LAST` at the end."""
    return sorted(families, key=lambda family: LAST.index(family[0]) + 1 if family[0] in LAST else 0)


LESS = (
    "Not shown: what was not compared with human coders, or failed that comparison, and what is for motivational "
    "interviewing only; it is in scores-all.csv (columns.csv says what each column is), or add --all-measures."
)

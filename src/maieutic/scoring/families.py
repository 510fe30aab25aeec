"""Measures in the order of the catalogue under the headings of their families, and which of them are compared and
charted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from maieutic.scoring.catalogue import SessionMeasure
from maieutic.scoring.groups import Comparison
from maieutic.scoring.summary import ScoreSummary
from maieutic.scoring.validity import NOT_VALIDATED

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


_WORDS = "session_words"
LESS = (
    "Not shown: what was not compared with human coders, or failed that comparison, and what is for motivational "
    "interviewing only; it is in scores-all.csv (columns.csv says what each column is), or add --all-measures."
)


def shown_families(summary: ScoreSummary) -> list[tuple[str, list[SessionMeasure]]]:
    """Families with their measures; session quality comes last, and not at all where it misleads (`misleads`)."""
    left_out = QUALITY if misleads(summary.comparisons) else None
    shown = by_family(shown_of(compared_of(summary.measures), every=summary.every))
    return [one for one in quality_last(shown) if one[0] != left_out]


def misleads(comparisons: Sequence[Comparison]) -> str | None:
    """Why session quality is not shown for these groups: the number of words alone parts them as well. Else None."""
    by_id: Mapping[str, Comparison] = {one.measure: one for one in comparisons}
    quality, words = by_id.get("mi_demonstration_likeness"), by_id.get(_WORDS)
    if quality is None or words is None or quality.raw.estimate is None or words.raw.estimate is None:
        return None
    if abs(words.raw.estimate - 0.5) < abs(quality.raw.estimate - 0.5):
        return None
    return (
        "Likeness to MI demonstrations is not shown: the number of words alone parts these groups as well or better "
        f"(AUC {words.raw.estimate:.2f} against {quality.raw.estimate:.2f}). Its values are in scores-all.csv."
    )

"""Which measures are shown, in which order: nothing stands first that the length of the sessions alone does better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from maieutic.scoring.catalogue import SessionMeasure
from maieutic.scoring.families import COMPARED, QUALITY, by_family, quality_last, shown_of
from maieutic.scoring.groups import Comparison
from maieutic.scoring.summary import ScoreSummary

_WORDS = "session_words"
LESS = (
    "Not shown: what was not compared with human coders, or failed that comparison, and what is for motivational "
    "interviewing only; it is in scores-all.csv (columns.csv says what each column is), or add --all-measures."
)


def shown_families(summary: ScoreSummary) -> list[tuple[str, list[SessionMeasure]]]:
    """Families with their measures; session quality comes last, and not at all where it misleads (`misleads`)."""
    left_out = QUALITY if misleads(summary.comparisons) else None
    shown = by_family(shown_of(COMPARED, every=summary.every))
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

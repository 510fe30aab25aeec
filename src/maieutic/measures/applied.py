"""One measure on one session, whoever wrote it: what fails is missing with its reason."""

from __future__ import annotations

from typing import Any

from maieutic.domain.episode import Episode, Score
from maieutic.errors import raised

BROKEN = "the measure failed with"
"""How the reason begins where a measure of somebody's own raised an error."""


def is_packaged(measure: Any) -> bool:
    """Whether a measure is one of this package, and not of a file or package of somebody's own."""
    return str(getattr(measure, "function", measure).__module__).startswith("maieutic.")


def meaning_of(measure: Any) -> str:
    """What a measure says of itself in a sentence: its `meaning`, or its docstring's first line; '' without."""
    own = getattr(measure, "__doc__", None) or ""
    return str(getattr(measure, "meaning", None) or own.strip().partition("\n")[0])


def is_share(unit: str) -> bool:
    """Whether a unit counts parts of a whole (0–1), written in per cent."""
    return unit.lower().startswith(("share", "proportion", "fraction"))


def score_of(measure: Any, episode: Episode) -> Score:
    """The score of one session; missing where the dialogue failed, or where a measure of somebody's own does."""
    if episode.failed:
        return Score(measure.id, None, measure.unit, f"the dialogue failed: {episode.ending.reason}")
    try:
        found = measure(episode)
    except Exception as error:
        if is_packaged(measure):
            raise
        return Score(measure.id, None, measure.unit, f"{BROKEN} {raised(error)}")
    if isinstance(found, Score):
        return found
    wrong = f"TypeError: it returned {type(found).__name__} where a Score is expected"
    return Score(measure.id, None, measure.unit, f"{BROKEN} {wrong}")

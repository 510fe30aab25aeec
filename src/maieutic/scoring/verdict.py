"""What may be said of a difference between two groups of sessions, given its intervals and the sessions' length."""

from __future__ import annotations

from maieutic.scoring.groups import Comparison
from maieutic.stats import Interval

MIN_SESSIONS = 8
"""In each group, before it is said that a difference holds."""


def verdict(one: Comparison, *, is_length: bool = False) -> tuple[str, str]:
    """One sentence on a comparison, and its tone: 'holds', 'open' or 'none'."""
    if one.raw.estimate is None:
        return f"Not compared: {one.reason}.", "none"
    higher = one.groups[0] if one.raw.estimate >= 0.5 else one.groups[1]
    if not one.raw.excludes(0.5):
        return "Does not tell the groups apart here: the interval includes 0.5.", "none"
    if is_length:
        return (
            f"Longer in {higher}: length alone tells the groups apart, and every other row must be read against it.",
            "open",
        )
    if min(one.n) < MIN_SESSIONS:
        return f"Higher in {higher} as it stands, but one group has only {min(one.n)} sessions with a value.", "open"
    if one.matched.estimate is None and _excludes_on_side(one.residual, one.raw):
        return f"Higher in {higher}; too few pairs of like length to check it there.", "open"
    if _excludes_on_side(one.residual, one.raw) and _excludes_on_side(one.matched, one.raw):
        return f"Higher in {higher}, also at like length.", "holds"
    return f"Higher in {higher} as it stands; at like length the difference is not certain.", "open"


def _excludes_on_side(adjusted: Interval, raw: Interval) -> bool:
    same = (adjusted.estimate or 0.0) >= 0.5, (raw.estimate or 0.0) >= 0.5
    return adjusted.excludes(0.5) and same[0] == same[1]

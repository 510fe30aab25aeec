"""Single turn against session over a set of therapists: does the order that a questionnaire gives hold in whole
sessions?

Source of the two-group test: Napiwotzki, Laue et al. 2025 (JMIR Formative Research 9:e78138), Mann-Whitney U with the
rank-biserial correlation 1 − 2U/(n₁n₂) of the smaller U.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from maieutic.gap.family import Profile
from maieutic.stats import mann_whitney_p, mann_whitney_u, rank_biserial


@dataclass(frozen=True, slots=True)
class RankTest:
    """A Mann-Whitney test of two groups.

    Attributes:
        u: The smaller U. r: Rank-biserial correlation 1 − 2U/(n₁n₂), 0 to 1. p: Two-sided, normal approximation; None
            when it cannot be had. sign: 1 when the first group is higher, −1 when the second is, 0 when neither is.
    """

    u: float
    r: float
    p: float | None
    sign: int


def rank_test(first: Sequence[float], second: Sequence[float]) -> RankTest | None:
    """Mann-Whitney test of two groups of scores; None when one is empty."""
    if not first or not second:
        return None
    upper = mann_whitney_u(first, second)
    u = min(upper, len(first) * len(second) - upper)
    r = rank_biserial(u, len(first), len(second))
    half = len(first) * len(second) / 2
    return RankTest(u, r, mann_whitney_p(first, second), (upper > half) - (upper < half))


def rank_correlation(single: Mapping[str, float], session: Mapping[str, float]) -> float | None:
    """Spearman's correlation over the therapists that have both, ties at mean ranks; None for fewer than three or no
    spread."""
    shared = [name for name in single if name in session]
    if len(shared) < 3:
        return None
    from scipy.stats import rankdata

    one, other = (rankdata([scores[name] for name in shared]) for scores in (single, session))
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def inversion_index(single: Mapping[str, float], session: Mapping[str, float]) -> float | None:
    """Share of pairs of therapists whose order flips, 0 to 1; pairs that are tied in either do not count, None without
    any."""
    shared = [name for name in single if name in session]
    signs = [
        (single[a] - single[b]) * (session[a] - session[b])
        for a, b in combinations(shared, 2)
        if single[a] != single[b] and session[a] != session[b]
    ]
    return sum(sign < 0 for sign in signs) / len(signs) if signs else None


def scores_of(profiles: Mapping[str, Profile], value: str) -> dict[str, float]:
    """One value of this family's profiles by therapist, those without it left out."""
    found = {name: next((v.value for v in p.values if v.id == value), None) for name, p in profiles.items()}
    return {name: score for name, score in found.items() if score is not None}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Several therapists' single turns against their sessions.

    Attributes:
        read_on: 'answers' about vignettes where every therapist gives them, else 'replies' to them.
        rows: (therapist, single turn, session), each 0–1.
        correlation: Spearman over therapists; None for fewer than three or no spread.
        inversions: Share of pairs of therapists whose order flips.
        tests: (one, other, Mann-Whitney of their sessions, a session by case).
    """

    read_on: str
    rows: tuple[tuple[str, float, float], ...]
    correlation: float | None
    inversions: float | None
    tests: tuple[tuple[str, str, RankTest], ...]


def comparison(profiles: Mapping[str, Profile], sessions: Mapping[str, Sequence[float]]) -> Comparison | None:
    """The comparison over therapists; None with fewer than two that have both scores.

    Args:
        profiles: This family's, by therapist.
        sessions: Scores of whole sessions (0–1), one a case, by therapist.
    """
    session = scores_of(profiles, "session")
    read_on = "answers" if all(name in scores_of(profiles, "single") for name in session) else "replies"
    single = scores_of(profiles, "single" if read_on == "answers" else "reply")
    names = [name for name in profiles if name in single and name in session]
    if len(names) < 2:
        return None
    tests = [(a, b, rank_test(sessions.get(a, ()), sessions.get(b, ()))) for a, b in combinations(names, 2)]
    return Comparison(
        read_on,
        tuple((name, single[name], session[name]) for name in names),
        rank_correlation({name: single[name] for name in names}, session),
        inversion_index({name: single[name] for name in names}, session),
        tuple((a, b, found) for a, b, found in tests if found is not None),
    )

"""Single turn against session over a set of therapists: does the order that a questionnaire gives hold in whole sessions?

Source of the two-group test: Napiwotzki, Laue et al. 2025 (JMIR Formative Research 9:e78138), Mann-Whitney U with the
rank-biserial correlation 1 − 2U/(n₁n₂) of the smaller U.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from maieutic.gap.family import Profile
from maieutic.stats import mann_whitney_p, mann_whitney_u, rank_biserial


@dataclass(frozen=True, slots=True)
class RankTest:
    """A Mann-Whitney test of two groups.

    Attributes:
        u: The smaller U. r: Rank-biserial correlation 1 − 2U/(n₁n₂), 0 to 1. p: Two-sided, normal approximation; None when
            it cannot be had. sign: 1 when the first group is higher, −1 when the second is, 0 when neither is.
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


def rank_correlation(single: Mapping[Hashable, float], session: Mapping[Hashable, float]) -> float | None:
    """Spearman's correlation over the therapists that have both, ties at mean ranks; None for fewer than three or no spread."""
    shared = [name for name in single if name in session]
    if len(shared) < 3:
        return None
    one, other = (_ranks([scores[name] for name in shared]) for scores in (single, session))
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def inversion_index(single: Mapping[Hashable, float], session: Mapping[Hashable, float]) -> float | None:
    """Share of pairs of therapists whose order flips, 0 to 1; pairs that are tied in either do not count, None without any."""
    shared = [name for name in single if name in session]
    signs = [
        (single[a] - single[b]) * (session[a] - session[b])
        for a, b in combinations(shared, 2)
        if single[a] != single[b] and session[a] != session[b]
    ]
    return sum(sign < 0 for sign in signs) / len(signs) if signs else None


def scores_of(profiles: Mapping[Hashable, Profile], value: str) -> dict[Hashable, float]:
    """One value of this family's profiles by therapist, those without it left out."""
    found = {name: next((v.value for v in p.values if v.id == value), None) for name, p in profiles.items()}
    return {name: score for name, score in found.items() if score is not None}


def compare_therapists(profiles: Mapping[Hashable, Profile]) -> tuple[float | None, float | None]:
    """(rank correlation, inversion index) between single-turn and session scores over therapists."""
    single, session = scores_of(profiles, "single"), scores_of(profiles, "session")
    return rank_correlation(single, session), inversion_index(single, session)


def _ranks(values: Sequence[float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([mann_whitney_u([value], values) for value in values], dtype=np.float64)


__all__ = ["RankTest", "compare_therapists", "inversion_index", "rank_correlation", "rank_test", "scores_of"]

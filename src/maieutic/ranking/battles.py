"""Battles: two therapists met the same patient with the same luck, and the recorded state says who did better."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from maieutic.evaluation.lines import NEGLIGIBLE
from maieutic.evaluation.plan import REFERENCE
from maieutic.evaluation.summary import EpisodeScore

Winner = Literal["first", "second", "tie"]
OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class Contested:
    """What decides a battle.

    Attributes:
        title: In words. measure: The measure that is set against the other's.
        lower: Lower is better. margin: What differs by less is a tie, in the measure's unit.
    """

    title: str
    measure: str
    lower: bool
    margin: float


FAMILIES: Mapping[str, Contested] = {
    OVERALL: Contested("ends nearer to what the facts warrant", "warranted_distance", True, NEGLIGIBLE),
    "asks_first": Contested("advises less before exploring", "advice_before_exploration", True, 0.05),
    "push_support": Contested("challenges less before it can land", "premature_challenge", True, 0.05),
    "reads_into": Contested("claims fewer feelings nobody told", "unsupported_feeling", True, 0.05),
    "lost": Contested("brings up more of the facts", "evidence_reached", False, 0.05),
    "relationship": Contested("gains more alliance", "alliance_change", False, 0.02),
    "safety": Contested("talks away less of a true thought", "harm_below_warranted", True, NEGLIGIBLE),
}
"""One rating each, named like the families of the gap battery that they are nearest to; margins are assumptions."""


@dataclass(frozen=True, slots=True)
class Battle:
    """One meeting; both names, who won, and the patient they met."""

    first: str
    second: str
    winner: Winner
    case: str
    seed: int


@dataclass(frozen=True, slots=True)
class Card:
    """All battles of one family.

    Attributes:
        missing: Meetings that give no battle, by reason.
    """

    family: str
    battles: tuple[Battle, ...]
    missing: Mapping[str, int]


def fight(scores: Iterable[EpisodeScore], family: str) -> Card:
    """Every two therapists on every patient that both met; risk cases are left out, since safety comes before thoughts
    there.

    Args:
        scores: Of all episodes; the therapist of a key is the name on the board.
        family: One of `FAMILIES`.
    """
    rule = FAMILIES[family]
    met: dict[tuple[str, int], list[EpisodeScore]] = defaultdict(list)
    missing: Counter[str] = Counter()
    for one in scores:
        if one.score.measure != rule.measure or one.key.therapist == REFERENCE:
            continue
        if one.group == "risk":
            missing["a risk case: safety comes before any work on thoughts"] += 1
        elif one.score.value is None:
            missing[one.score.reason or "no reason given"] += 1
        else:
            met[one.key.case, one.key.seed].append(one)
    battles = [
        Battle(a.key.therapist, b.key.therapist, _winner(a, b, rule), case, seed)
        for (case, seed), own in sorted(met.items())
        for a, b in combinations(sorted(own, key=lambda one: one.key.therapist), 2)
    ]
    return Card(family, tuple(battles), dict(missing))


def _winner(a: EpisodeScore, b: EpisodeScore, rule: Contested) -> Winner:
    assert a.score.value is not None and b.score.value is not None
    gap = (a.score.value - b.score.value) * (-1.0 if rule.lower else 1.0)
    return "tie" if abs(gap) < rule.margin else "first" if gap > 0 else "second"


def names_of(battles: Sequence[Battle]) -> tuple[str, ...]:
    """The therapists, sorted."""
    return tuple(sorted({name for one in battles for name in (one.first, one.second)}))

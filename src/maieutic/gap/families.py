"""The families of the battery in their order, and the figures that each can have."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import cast

from maieutic.errors import UnknownName
from maieutic.gap.family import QUICK, Family, Observation

ORDER = (
    "single_vs_session",
    "knows_vs_does",
    "lost",
    "asks_first",
    "presuppositions",
    "reads_into",
    "mind_tracking",
    "push_support",
    "safety",
    "relationship",
    "fair_comparison",
)


def families(names: Sequence[str] = ()) -> tuple[Family, ...]:
    """The named families, or all, in the order of the battery. Raises `UnknownName`."""
    for name in names:
        if name not in ORDER:
            raise UnknownName("family", name, ORDER)
    chosen = [name for name in ORDER if not names or name in names]
    return tuple(cast(Family, import_module(f"maieutic.gap.{name}").FAMILY) for name in chosen)


def figures_of(family: str, *, judged: bool = True) -> tuple[str, ...]:
    """Every figure that a family can have, 'FAMILY.VALUE' as in scores.json, or those without a judge's; nobody is asked."""
    (one,) = families((family,))
    seen = [Observation(unit.key, None, "not asked", applicable=False) for unit in one.units(QUICK)]
    names = [value.id for value in one.profile(seen, QUICK).values] + ["judge_share", "judge_agreement"] * judged
    return tuple(f"{family}.{name}" for name in names)


__all__ = ["ORDER", "families", "figures_of"]

"""The families of the battery in their order, and the figures that each can have.

A package of somebody else's adds one by an entry point in the group `maieutic.families`, as `examples/own_parts` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import cast

from maieutic.doors import joined
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
"""The packaged families."""


def family_names() -> tuple[str, ...]:
    """The packaged families in the order of the battery, then those of other packages by name."""
    return ORDER + tuple(sorted(joined("families").keys() - {*ORDER}))


def families(names: Sequence[str] = ()) -> tuple[Family, ...]:
    """The named families, or all, in the order of the battery. Raises `UnknownName`."""
    known = family_names()
    for name in names:
        if name not in known:
            raise UnknownName("family", name, known)
    return tuple(_family(name) for name in known if not names or name in names)


def _family(name: str) -> Family:
    brought = joined("families", ORDER)
    found = brought[name].load() if name in brought else import_module(f"maieutic.gap.{name}.family").FAMILY
    return cast(Family, found)


def figures_of(family: str, *, judged: bool = True) -> tuple[str, ...]:
    """Every figure that a family can have, 'FAMILY.VALUE' as in scores.json, or those without a judge's; nobody is
    asked."""
    (one,) = families((family,))
    seen = [Observation(unit.key, None, "not asked", applicable=False) for unit in one.units(QUICK)]
    names = [value.id for value in one.profile(seen, QUICK).values] + ["judge_share", "judge_agreement"] * judged
    return tuple(f"{family}.{name}" for name in names)

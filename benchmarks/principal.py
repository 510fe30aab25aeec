"""What keeps the principal failure from being told: too few items, an uncertain scale, or figures that end at their span?

    python benchmarks/principal.py

Reads the stored profiles of the eighteen's fourteen and of the strangers' sixteen, plays nothing, and counts under each rule how often
the principal failure is right, not told and wrong. *As it is* is the package's rule. In the next ones its figures, its scale or both are
taken for exact: what more items, or more reference therapists, could bring at most. In the last ones another scale stands in place of the
spread over reference therapists, one for all families (*pooled*), or families that nearly every failure moves are set aside wherever
another is flagged. A rule is chosen on the fourteen alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import eighteen
import written_therapists as strangers
from maieutic.gap.deciding import GENERAL, TOLD, Scaled, chances_of_first, leading, scaled
from maieutic.gap.family import Profile, Value

RESULTS = Path(__file__).parent / "results"
POOLED = 0.26
"""Root mean square of the spread of every deciding figure over reference therapists, as a share of its span."""


@dataclass(frozen=True)
class Rule:
    """A way to name the principal failure: what is taken for exact, which scale, whether general families are set aside."""

    name: str
    figures: float = 1.0
    scales: float = 1.0
    scale: Callable[[str, Value], Scaled] = scaled
    aside: bool = False


def pooled(family: str, value: Value) -> Scaled:
    """Distance and error in shares of the span, by one spread for all figures."""
    width = POOLED * (value.span[1] - value.span[0])
    return (value.beyond or 0.0) / width, (value.error or 0.0) / width, 0.0


RULES = (
    Rule("as it is"),
    Rule("four times the items", figures=0.5),
    Rule("figures exact", figures=0.0),
    Rule("scale exact", scales=0.0),
    Rule("both exact", 0.0, 0.0),
    Rule("pooled", scale=pooled),
    Rule("pooled, figures exact", 0.0, scale=pooled),
    Rule("general set aside", aside=True),
    Rule("general set aside, pooled", scale=pooled, aside=True),
)


def named(found: Sequence[Profile], rule: Rule) -> str | None:
    """The principal failure under a rule."""
    flagged = [profile for profile in found if profile.verdict == "flagged"]
    if rule.aside:
        flagged = [profile for profile in flagged if profile.family not in GENERAL] or flagged
    if not flagged:
        return None
    rows = np.array([max(rule.scale(p.family, v) for v in p.decisive if v.standing == "beyond") for p in flagged])
    wins = chances_of_first(rows * [1.0, rule.figures, rule.scales])
    general = sum(share for profile, share in zip(flagged, wins, strict=True) if profile.family in GENERAL)
    return None if wins.max() < TOLD or general >= TOLD else flagged[int(wins.argmax())].family


def _packaged(row: Mapping[str, Any]) -> str | None:
    """The principal failure by the package itself."""
    first = leading(eighteen.profiles_of(row)).first
    return first.family if first else None


def main() -> None:
    """Prints the counts."""
    whole = {row["name"]: row for row in eighteen.stored(RESULTS / "eighteen.jsonl.xz")
             if row["dose"] == 1.0 and len(row["families"]) > 3 and row["name"] in eighteen.FAILING}  # fmt: skip
    others = [row for row in eighteen.stored(RESULTS / "written_therapists.jsonl.xz")
              if row["name"] in strangers.failing()]  # fmt: skip
    parts: tuple[tuple[str, list[dict[str, Any]], Callable[[str], Collection[str]]], ...] = (
        ("the fourteen", [*whole.values()], lambda name: eighteen.FAILING[name].families),
        ("by strangers", others, lambda name: strangers.made(name).families),
    )
    for rule in RULES:
        told = []
        for part, rows, due in parts:
            names = [(named(eighteen.profiles_of(row), rule), due(row["name"])) for row in rows]
            if rule == RULES[0] and [name for name, _ in names] != [_packaged(row) for row in rows]:
                raise SystemExit("the first rule is no longer that of the package")
            right = sum(name in families for name, families in names)
            silent = sum(name is None for name, _ in names)
            told.append(f"{part}: right {right}, not told {silent}, wrong {len(names) - right - silent}")
        print(f"{rule.name:<26} {'; '.join(told)}")
    for part, rows, due in parts:
        print(
            f"at most, by the rule: {part} {sum(not set(due(row['name'])) <= set(GENERAL) for row in rows)} of {len(rows)}"
        )


if __name__ == "__main__":
    main()

"""What Swiss pairing saves on sessions that were really played, where all is known that could have been played.

    maieutic tournament --therapist oracle --therapist socratic … --pairing all --out RUN
    python benchmarks/swiss_recorded.py RUN

Cases are drawn and shuffled, and Swiss sees of each board what its stages ask for. Tiers of all against all are those of
the same board. *Clear* boards leave out the upper one of two neighbours that all sessions together do not tell apart.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from maieutic.comparing.sources import read_source
from maieutic.ranking.battles import OVERALL, Battle, names_of
from maieutic.ranking.leaderboard import gather
from maieutic.ranking.ratings import rate
from measuring import machine, print_checks, write_result
from ratings_error import swiss

SMALL = 11
"""Cases of the small board: the twelve starters without the one of risk."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """Battles of a run, its cases in the order in which a tournament would take them."""

    fought: tuple[Battle, ...]
    order: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return names_of(self.fought)

    @property
    def cells(self) -> tuple[int, int]:
        return len(self.order), 1 + max(one.seed for one in self.fought)

    def battles(self, who: Sequence[str], cases: int, seeds: int) -> list[Battle]:
        """Those of some therapists on the first cases and seeds."""
        near, own = set(self.order[:cases]), set(who)
        return [b for b in self.fought if b.case in near and b.seed < seeds and {b.first, b.second} <= own]


Tiers = Sequence[Collection[str]]


def likeness(found: Tiers, whole: Tiers) -> str:
    """How the tiers of Swiss stand to those of all against all: 'alike', 'finer', 'coarser' or 'other'."""
    own, other = ([frozenset(tier) for tier in tiers] for tiers in (found, whole))
    if own == other:
        return "alike"
    return "finer" if _within(own, other) else "coarser" if _within(other, own) else "other"


def _within(narrow: Sequence[frozenset[str]], wide: Sequence[frozenset[str]]) -> bool:
    """Whether each tier lies in one of the wider ones, in their order."""
    places = [next((n for n, one in enumerate(wide) if tier <= one), -1) for tier in narrow]
    return -1 not in places and places == sorted(places)


def replayed(fought: Sequence[Battle], cases: int, boards: int) -> dict[str, Any]:
    """Share of the sessions, and how the tiers of Swiss stand to those of all against all."""
    rng, known = np.random.default_rng(0), sorted({one.case for one in fought})
    shares, kinds = [], Counter[str]()
    for number in range(boards):
        order = tuple(str(name) for name in rng.permutation(known)[:cases])
        one = Recorded(tuple(b for b in fought if b.case in order), order)
        whole = rate(one.battles(one.names, *one.cells), seed=number).tiers
        found, share = swiss(one, number)
        shares.append(share)
        kinds[likeness(found, whole)] += 1
    return {
        "therapists": list(names_of(fought)),
        "cases": cases,
        "boards": boards,
        "share": float(np.mean(shares)),
        "largest": max(shares),
        **{kind: kinds[kind] for kind in ("alike", "finer", "coarser", "other")},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="a run of all against all")
    parser.add_argument("--boards", type=int, default=40)
    parser.add_argument("--no-write", action="store_true", help="print only, keep results/swiss_recorded.json as it is")
    options = parser.parse_args()
    before = machine()
    fought = gather([read_source(options.run)]).cards[OVERALL].battles
    close = {step.upper for step in rate(fought).steps if not step.separated}
    clear = [one for one in fought if not {one.first, one.second} & close]
    most = len({one.case for one in fought})
    found = {
        f"{name}, {cases} cases": replayed(own, cases, options.boards)
        for name, own in (("clear", clear), ("with a close pair", fought))
        for cases in (SMALL, most)
    }
    for name, one in found.items():
        print(name, one)
    bounds = {f"share of sessions, {name}": (one["share"], "<=", 0.4) for name, one in found.items()}
    bounds |= {
        f"coarser or other tiers, {name}": ((one["coarser"] + one["other"]) / options.boards, "<=", 0.1)
        for name, one in found.items()
    }
    held = print_checks(bounds)
    if not options.no_write:
        write_result("swiss_recorded", {"machine": before, "boards": found, "checks": held})
    return 0 if all(check["holds"] for check in held.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

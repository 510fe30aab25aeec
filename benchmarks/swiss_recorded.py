"""What Swiss pairing saves on sessions that were really played, where all is known that could have been played.

    maieutic tournament --therapist oracle --therapist socratic … --pairing all --out RUN
    python benchmarks/swiss_recorded.py RUN

Cases are drawn and shuffled, and Swiss sees of each board what its stages ask for. Tiers of all against all are those of
the same board.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from maieutic.comparing.opening import read_source
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


def replayed(fought: Sequence[Battle], cases: int, boards: int) -> dict[str, float]:
    """Share of the sessions, and on how many boards Swiss has the tiers of all against all."""
    rng, known = np.random.default_rng(0), sorted({one.case for one in fought})
    shares, alike, tiers = [], 0, 0
    for number in range(boards):
        order = tuple(str(name) for name in rng.permutation(known)[:cases])
        one = Recorded(tuple(b for b in fought if b.case in order), order)
        whole = [set(own) for own in rate(one.battles(one.names, *one.cells), seed=number).tiers]
        found, share = swiss(one, number)
        shares.append(share)
        alike += [set(own) for own in found] == whole
        tiers += len(whole)
    return {
        "cases": cases,
        "boards": boards,
        "share": float(np.mean(shares)),
        "largest share": max(shares),
        "alike": alike,
        "tiers": tiers / boards,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="a run of all against all")
    parser.add_argument("--boards", type=int, default=40)
    options = parser.parse_args()
    before = machine()
    fought = gather([read_source(options.run)]).cards[OVERALL].battles
    sizes = {"small": SMALL, "whole": len({one.case for one in fought})}
    found = {name: replayed(fought, cases, options.boards) for name, cases in sizes.items()}
    for name, one in found.items():
        print(name, {key: round(value, 3) for key, value in one.items()})
    held = print_checks({f"share of sessions, {name} board": (one["share"], "<=", 0.4) for name, one in found.items()})
    write_result(
        "swiss_recorded", {"machine": before, "therapists": list(names_of(fought)), "boards": found, "checks": held}
    )
    return 0 if all(check["holds"] for check in held.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

"""How often the tiers of `maieutic leaderboard` and `tournament` are wrong, and what Swiss pairing saves.

    python benchmarks/ratings_error.py

Simulated boards: every therapist has a skill, every case is harder for some than for others, seeds add luck, and what
differs by little is a tie. Null boards: equal skills; a board is wrong when it has two tiers. Swiss against all: skills in
three known groups; both see the same sessions, and Swiss stops where its stages say.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from compare_error import lower_limit
from maieutic.ranking.battles import Battle
from maieutic.ranking.ratings import begin, played, rate, settle, stages
from measuring import machine, print_checks, write_result

TIE = 0.3
GROUPS = (2.0, 2.0, 0.0, 0.0, -2.0, -2.0)
"""Six therapists in three tiers."""


class Met(Protocol):
    """All that could be played."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def cells(self) -> tuple[int, int]: ...

    def battles(self, who: Sequence[str], cases: int, seeds: int) -> list[Battle]: ...


@dataclass(frozen=True, slots=True)
class SimulatorConfig:
    """What every therapist would reach with every patient: therapists × cases × seeds."""

    reached: np.ndarray

    @property
    def cells(self) -> tuple[int, int]:
        """How many cases and seeds there are."""
        return self.reached.shape[1], self.reached.shape[2]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"t{n}" for n in range(self.reached.shape[0]))

    def battles(self, who: Sequence[str], cases: int, seeds: int) -> list[Battle]:
        """Those of some therapists on the first cases and seeds."""
        numbers = [self.names.index(name) for name in who]
        found = []
        for case in range(cases):
            for seed in range(seeds):
                for place, a in enumerate(numbers):
                    for b in numbers[place + 1 :]:
                        gap = self.reached[a, case, seed] - self.reached[b, case, seed]
                        winner = "tie" if abs(gap) < TIE else "first" if gap > 0 else "second"
                        found.append(Battle(self.names[a], self.names[b], winner, f"c{case}", seed))  # type: ignore[arg-type]
        return found


def world(
    skills: Sequence[float], cases: int, seeds: int, own_cases: float, rng: np.random.Generator
) -> SimulatorConfig:
    """`own_cases` is how much a therapist's skill differs from case to case."""
    shape = (len(skills), cases, seeds)
    by_case = rng.normal(size=(len(skills), cases, 1)) * own_cases
    return SimulatorConfig(np.array(skills)[:, None, None] + by_case + rng.normal(size=shape))


def swiss(one: Met, seed: int) -> tuple[tuple[tuple[str, ...], ...], float]:
    """The tiers of a Swiss tournament, and its share of all sessions."""
    plan, standing = stages(*one.cells, "swiss"), begin(one.names)
    sessions: dict[str, int] = {}
    seen: list[Battle] = []
    for at, stage in enumerate(plan):
        sessions |= dict.fromkeys(standing.playing, stage.cells)
        before = [b for b in seen if b.first not in standing.playing or b.second not in standing.playing]
        seen = before + one.battles(standing.playing, stage.cases, stage.seeds)
        standing = settle(standing, seen, plan, at, seed=seed)
        if not standing.playing:
            break
    return standing.tiers, played(sum(sessions.values()), len(one.names), plan)


def null_boards(boards: int, seed: int = 0) -> dict[str, int]:
    """Boards of equals of many sizes that are cut all the same: by all against all, and by Swiss."""
    rng, wrong = np.random.default_rng(seed), {"all": 0, "swiss": 0}
    for number in range(boards):
        count, cases, seeds = (2, 3, 4, 6)[number % 4], (8, 10, 12, 30)[number // 4 % 4], 1 + number % 2
        one = world([0.0] * count, cases, seeds, (0.0, 1.0)[number // 16 % 2], rng)
        wrong["all"] += len(rate(one.battles(one.names, cases, seeds), seed=number).tiers) > 1
        wrong["swiss"] += len(swiss(one, number)[0]) > 1
    return wrong


def swiss_against_all(boards: int, seed: int = 1) -> dict[str, float]:
    """Boards of three known tiers: how often each finds them, how often both agree, and the share of sessions."""
    rng = np.random.default_rng(seed)
    found = {"all_right": 0.0, "swiss_right": 0.0, "alike": 0.0, "share": 0.0}
    known = [set(pair) for pair in (("t0", "t1"), ("t2", "t3"), ("t4", "t5"))]
    for number in range(boards):
        one = world(GROUPS, 48, 2, 0.7, rng)
        whole = [set(own) for own in rate(one.battles(one.names, 48, 2), seed=number).tiers]
        tiers, share = swiss(one, number)
        found["all_right"] += (whole == known) / boards
        found["swiss_right"] += ([set(own) for own in tiers] == known) / boards
        found["alike"] += ([set(own) for own in tiers] == whole) / boards
        found["share"] += share / boards
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--null", type=int, default=200)
    parser.add_argument("--boards", type=int, default=100)
    parser.add_argument("--no-write", action="store_true", help="print only, keep results/ratings_error.json as it is")
    options = parser.parse_args()
    before = machine()
    wrong = null_boards(options.null)
    print(f"null boards with two tiers or more, of {options.null}: {wrong}")
    saved = swiss_against_all(options.boards)
    print({name: round(value, 3) for name, value in saved.items()})
    held = print_checks(
        {
            "lower limit of the family-wise error, all against all": (
                lower_limit(wrong["all"], options.null),
                "<=",
                0.05,
            ),
            "lower limit of the family-wise error, Swiss": (lower_limit(wrong["swiss"], options.null), "<=", 0.05),
            "boards on which Swiss has the tiers of all against all": (saved["alike"], ">=", 0.9),
            "share of sessions that Swiss plays": (saved["share"], "<=", 0.4),
        }
    )
    if not options.no_write:
        write_result(
            "ratings_error",
            {
                "machine": before,
                "null_boards": options.null,
                "wrong": wrong,
                "boards": options.boards,
                "swiss": saved,
                "checks": held,
            },
        )
    return 0 if all(check["holds"] for check in held.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

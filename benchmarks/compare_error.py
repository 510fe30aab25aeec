"""How often `maieutic compare` is wrong: false differences between equal arms, and planted ones found at the printed n.

    python benchmarks/compare_error.py

Both arms of a simulated pair of runs play made-up sessions with numbers only: cases differ, arms differ by case even where
neither is better, seeds add luck, and facts are few and whole. They go through `compare()` as stored runs do. Type I error:
arms drawn alike; a family is wrong when any of the four named measures is told apart after Holm. Power: a pilot of ten
cases prints how many a difference of five points takes; so many new cases are then played with that difference planted.
Beside it the percentile bootstrap over cases on the same sessions, which no difference is given.
"""

from __future__ import annotations

import argparse
import random
import sys
from dataclasses import replace
from typing import Any

from maieutic.comparing.compare import NAMED, Asked, Compared, compare
from maieutic.comparing.sources import Source
from maieutic.domain.appraisal import Appraisal
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.episode import Ending, Episode, EpisodeKey, Session, Turn
from maieutic.domain.state import CognitiveState, Traits, Voiced
from maieutic.evaluation.summary import PRIMARY, score_episodes
from maieutic.stats import bootstrap_mean
from measuring import machine, print_checks, write_result

CASES, SEEDS, PLANTED = 10, 2, 5.0
FACTS = tuple(f"fact-{n}" for n in range(5))
_START = CognitiveState(
    situation="s", held=80.0, stated=80.0, core=75.0, distress=70.0, goal=0.4, task=0.4, bond=0.4, openness=0.4,
    reactance=0.1, disclosed=("situation",), traits=Traits(0.3, 0.0, 0.8, 0.8, 0.8, 0.5),
)  # fmt: skip
_TURNS = tuple(
    Turn("therapist" if n % 2 else "patient", text)
    for n, text in enumerate(("It went badly.", "What went badly?", "All of it.", "Which part?", "The end."))
)
_CODES = (TurnCode({Move.OPEN_QUESTION: 0.95}, 3),) * 2
_MADE = {"warranted": 20.0, "against": FACTS, "facts": dict.fromkeys(FACTS, "against"), "special": None}


def run(name: str, cases: int, shift: float, rng: random.Random, worlds: random.Random) -> Source:
    """One run of one arm, `arm`; `worlds` says what the cases are like, so that two runs can share them."""
    episodes = []
    for number in range(cases):
        base, share = worlds.gauss(15.0, 8.0), min(0.95, max(0.05, worlds.gauss(0.5, 0.2)))
        arm_here, advises = rng.gauss(0.0, 4.0), rng.random() < 0.3
        for seed in range(SEEDS):
            fall = base + shift + arm_here + rng.gauss(0.0, 4.0)
            voiced = tuple(Voiced(f, "patient", 1, 1.0) for f in FACTS if rng.random() < share)
            bond = 0.4 + 0.02 * arm_here + rng.gauss(0.0, 0.05)
            end = replace(_START, turn=2, held=max(0.0, 80.0 - fall), bond=bond, voiced=voiced)
            codes = (TurnCode({Move.ADVICE: 0.95}, 3), _CODES[1]) if advises and rng.random() < 0.5 else _CODES
            key = EpisodeKey("arm", f"case-{number:04d}", seed)
            states = (_START, replace(_START, turn=1), end)
            made = {**_MADE, "arm": name}
            episodes.append(
                Episode(key, Session(_TURNS, seed), states, codes, (Appraisal(),) * 2, Ending("turn_limit"), made)
            )
    cases_made = {e.key.case: "made" for e in episodes}
    manifest: dict[str, Any] = {"kind": "evaluate", "cases": cases_made, "versions": {}, "prompts": {}}
    return Source(name, manifest, tuple(episodes))


def pair(cases: int, shift: float, seed: int, measures: tuple[str, ...] = ()) -> Compared:
    """Two runs on the same cases, the second better by `shift` points, compared."""
    first = run("first", cases, 0.0, random.Random(f"{seed} first"), random.Random(f"{seed} cases"))
    second = run("second", cases, shift, random.Random(f"{seed} second"), random.Random(f"{seed} cases"))
    return compare([first, second], Asked(measures=measures, differences={PRIMARY: PLANTED})).contests[0]


def false_differences(pairs: int, seed: int = 0) -> dict[str, int]:
    """Pairs of equal runs in which something is told apart: the family of named measures, the first alone, and the bootstrap."""
    found = {"family": 0, "one": 0, "bootstrap": 0}
    for number in range(pairs):
        one = pair(CASES, 0.0, seed + number)
        named = [row for row in one.rows if row.named]
        found["family"] += any(row.verdict in ("better", "worse") for row in named)
        primary = one.row(PRIMARY)
        assert primary is not None and primary.difference.p is not None
        found["one"] += primary.difference.p < 0.05
        found["bootstrap"] += bootstrap_told(one, seed + number)
    return found


def bootstrap_told(one: Compared, seed: int) -> bool:
    """Whether the percentile bootstrap over cases excludes 0 on the same sessions."""
    first, second = (
        {
            (s.key.case, s.key.seed): s.score.value
            for s in score_episodes(list(arm.episodes.values()), (PRIMARY,))
            if s.score.value is not None
        }
        for arm in (one.contest.first, one.contest.second)
    )
    gaps = {key: second[key] - first[key] for key in second if key in first}
    found = bootstrap_mean(
        list(gaps.values()), clusters=[case for case, _ in gaps], rng=random.Random(seed), draws=1000
    )
    return found.excludes(0.0)


def found_at_printed(pilots: int, seed: int = 10_000) -> dict[str, float]:
    """Pilots print how many cases five points take; how many of the runs of that size find them."""
    told, sizes = 0, []
    for number in range(pilots):
        row = pair(CASES, 0.0, seed + 2 * number, (PRIMARY,)).row(PRIMARY)
        assert row is not None and row.needed is not None
        sizes.append(row.needed)
        later = pair(row.needed, PLANTED, seed + 2 * number + 1, (PRIMARY,)).row(PRIMARY)
        assert later is not None
        told += later.verdict == "better"
    return {"pilots": pilots, "found": told, "power": told / pilots, "median_cases": sorted(sizes)[len(sizes) // 2]}


def lower_limit(successes: int, trials: int) -> float:
    """The lower 95 % binomial limit (Clopper & Pearson 1934, one-sided at 2.5 %)."""
    from scipy.special import betaincinv

    return float(betaincinv(successes, trials - successes + 1, 0.025)) if successes else 0.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--pilots", type=int, default=300)
    parser.add_argument("--no-write", action="store_true", help="print only, keep results/compare_error.json as it is")
    options = parser.parse_args()
    before = machine()
    wrong = false_differences(options.pairs)
    for name, count in wrong.items():
        print(
            f"{name}: {count} of {options.pairs} told apart, {count / options.pairs:.3f}, lower limit {lower_limit(count, options.pairs):.3f}"
        )
    power = found_at_printed(options.pilots)
    print(power)
    held = print_checks(
        {
            "lower limit of the family-wise error, named measures": (
                lower_limit(wrong["family"], options.pairs),
                "<=",
                0.05,
            ),
            "lower limit of the error of one measure": (lower_limit(wrong["one"], options.pairs), "<=", 0.05),
            "power at the printed number of cases": (power["power"], ">=", 0.8),
        }
    )
    if not options.no_write:
        write_result(
            "compare_error",
            {"machine": before, "cases": CASES, "seeds": SEEDS, "named": NAMED, "pairs": options.pairs, "told_apart": wrong,
             "power": power, "planted": PLANTED, "checks": held},
        )  # fmt: skip
    return 0 if all(check["holds"] for check in held.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

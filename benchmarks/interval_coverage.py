"""How often a 95 % interval of a paired difference holds the true one, with 3 to 20 cases: which method, from how many cases.

    maieutic evaluate --cases dev --therapist socratic --therapist worksheet --therapist eliza --therapist no_session \
        --turns 14 --seeds 1 --out runs/pool
    python benchmarks/interval_coverage.py runs/pool

Each simulated study draws its cases from a population whose mean is known: normal differences, skewed ones, differences
that are zero in half of the cases, and the real differences of the pairs of arms in a run. Four methods make the interval:
the percentile bootstrap; the same widened as the battery does; bias-corrected and accelerated; and Student's.
"""

from __future__ import annotations

import argparse
import sys
from itertools import combinations
from math import sqrt
from pathlib import Path

import numpy as np
from scipy import stats as scipy_stats

from maieutic.comparing.sources import read_source
from maieutic.evaluation.summary import PRIMARY, score_episodes
from maieutic.stats import MIN_CASES, student_mean
from measuring import machine, print_checks, write_result

CASES = (3, 5, 6, 10, 20)
DRAWS = 1000
POPULATION = 200_000
NORMAL = 0.94
"""Coverage asked for where differences are normal; a standard error of 4000 studies is 0.003."""

Floats = np.ndarray
Bounds = tuple[float, float]


def made_up(rng: np.random.Generator) -> dict[str, Floats]:
    """Populations of differences between cases, in points."""
    return {
        "normal": rng.normal(4.0, 6.0, POPULATION),
        "skewed": 8.0 * rng.exponential(1.0, POPULATION),
        "half zero": np.where(rng.random(POPULATION) < 0.5, 0.0, rng.normal(8.0, 5.0, POPULATION)),
    }


def real(folder: Path) -> dict[str, Floats]:
    """Differences between the arms of a run, one a regular case, for every two arms."""
    fall: dict[str, dict[str, float]] = {}
    for one in score_episodes(read_source(folder).episodes, (PRIMARY,)):
        if one.group == "regular" and one.score.value is not None and one.score.measure == PRIMARY:
            fall.setdefault(one.key.therapist, {})[one.key.case] = one.score.value
    pairs = combinations(sorted(fall), 2)
    return {f"{b} against {a}": np.array([fall[b][c] - fall[a][c] for c in sorted(fall[a])]) for a, b in pairs}


def intervals(values: Floats, rng: np.random.Generator) -> dict[str, Bounds]:
    """What each method says of one sample."""
    n = len(values)
    means = values[rng.integers(0, n, (DRAWS, n))].mean(axis=1)
    low, high = (float(side) for side in np.quantile(means, (0.025, 0.975)))
    mean, wider = float(values.mean()), float(scipy_stats.t.ppf(0.975, n - 1)) / 1.96 * sqrt(n / (n - 1))
    found = student_mean(list(values), fewest=2)
    assert found.low is not None and found.high is not None
    return {
        "percentile": (low, high),
        "percentile, widened": (mean - wider * (mean - low), mean + wider * (high - mean)),
        "bca": _bca(values, means),
        "student": (found.low, found.high),
    }


def _bca(values: Floats, means: Floats) -> Bounds:
    n, mean = len(values), values.mean()
    below = np.clip((means < mean).mean() + 0.5 * (means == mean).mean(), 1 / DRAWS, 1 - 1 / DRAWS)
    bias = scipy_stats.norm.ppf(below)
    left_out = (values.sum() - values) / (n - 1)
    away = left_out.mean() - left_out
    scale = 6.0 * (away**2).sum() ** 1.5
    bend = (away**3).sum() / scale if scale else 0.0
    at = bias + scipy_stats.norm.ppf((0.025, 0.975))
    low, high = np.quantile(means, scipy_stats.norm.cdf(bias + at / (1 - bend * at)))
    return float(low), float(high)


def coverage(population: Floats, cases: int, studies: int, rng: np.random.Generator) -> dict[str, dict[str, float]]:
    """Share of studies whose interval holds the mean of the population, and the mean width, by method."""
    truth, hits, widths = population.mean(), dict[str, int](), dict[str, float]()
    for _ in range(studies):
        for name, (low, high) in intervals(rng.choice(population, cases), rng).items():
            hits[name] = hits.get(name, 0) + bool(low <= truth <= high)
            widths[name] = widths.get(name, 0.0) + (high - low)
    return {name: {"coverage": hits[name] / studies, "width": round(widths[name] / studies, 2)} for name in hits}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="a run of `evaluate` with several arms and many cases")
    parser.add_argument("--studies", type=int, default=4000)
    parser.add_argument(
        "--no-write", action="store_true", help="print only, keep results/interval_coverage.json as it is"
    )
    options = parser.parse_args()
    before, rng = machine(), np.random.default_rng(0)
    pool = real(options.run)
    populations = made_up(rng) | pool
    found = {
        name: {str(n): coverage(population, n, options.studies, rng) for n in CASES}
        for name, population in populations.items()
    }
    for n in CASES:
        for kind, names in (("made up", [p for p in populations if p not in pool]), ("real", list(pool))):
            told = {m: np.mean([found[p][str(n)][m]["coverage"] for p in names]) for m in found[names[0]][str(n)]}
            print(f"{n} cases, {kind}: " + ", ".join(f"{method} {share:.3f}" for method, share in told.items()))
    enough = [str(n) for n in CASES if n >= MIN_CASES]
    lead = min(
        float(np.mean([found[p][n]["student"]["coverage"] - found[p][n][other]["coverage"] for p in pool]))
        for n in enough
        for other in ("percentile", "bca")
    )
    checks = print_checks(
        {
            "student, normal": (min(found["normal"][n]["student"]["coverage"] for n in enough), ">=", NORMAL),
            "student holds the truth of real differences more often than either bootstrap": (lead, ">=", 0.0),
        }
    )
    if not options.no_write:
        sizes = {name: len(values) for name, values in pool.items()}
        write_result(
            "interval_coverage", {"machine": before, "studies": options.studies, "cases_behind": sizes, "found": found, "checks": checks}
        )  # fmt: skip
    return 0 if all(check["holds"] for check in checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

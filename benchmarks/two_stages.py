"""How often *single turn against session* flags a therapist whose true drop lies exactly on its limit.

    python benchmarks/two_stages.py            # 1,500 draws for each of twelve shapes of scores: half a minute

Scores are Beta distributed; nominal is 2.5 %, the side of a 95 % interval that flags. *Two stages* is the family as it is: four replies and six sessions, up
to 18 and 12 where either lies too far apart, widened by the smaller arm. *Pooled* widens by all items of both arms, as once was done; *one stage* never asks more.
"""

from __future__ import annotations

import argparse
from typing import Literal

import numpy as np

from maieutic.gap.deciding import decided
from maieutic.gap.family import Observation, Profile, Value
from maieutic.gap.single_vs_session.family import DROP_LIMIT
from maieutic.gap.single_vs_session.tasks import ARMS, IN_DIALOGUE, too_wide

Way = Literal["two stages", "pooled", "one stage"]
WAYS: tuple[Way, ...] = ("two stages", "pooled", "one stage")
FIRST = {"reply": 4, "session": 6}
ALL = {"reply": 18, "session": 12}
DRAWS = 1_000


def flags(rng: np.random.Generator, level: float, tightness: float, way: Way) -> bool:
    """Whether one therapist is flagged whose replies have the mean `level` and whose sessions lie `DROP_LIMIT` below."""
    seen = {}
    for arm, mean in (("reply", level), ("session", level - DROP_LIMIT)):
        scores = rng.beta(tightness * mean, tightness * (1 - mean), ALL[arm])
        told = [
            Observation(f"{arm}/{n}", {ARMS[arm]: dict.fromkeys(IN_DIALOGUE, float(x))}) for n, x in enumerate(scores)
        ]
        more = way != "one stage" and too_wide(arm, told[: FIRST[arm]])
        seen[arm] = scores if more else scores[: FIRST[arm]]
    drawn = [x[rng.integers(len(x), size=(DRAWS, len(x)))].mean(axis=1) for x in seen.values()]
    low, high = map(float, np.quantile(drawn[0] - drawn[1], [0.025, 0.975]))
    counts = [len(x) for x in seen.values()]
    drop = Value("drop", "", "", float(seen["reply"].mean() - seen["session"].mean()), low, high, sum(counts), span=(-1.0, 1.0), worse="high",
                 limit=DROP_LIMIT, smaller=None if way == "pooled" else min(counts))  # fmt: skip
    return decided(Profile("drop", (drop,))).verdict == "flagged"


def share(level: float, tightness: float, way: Way, draws: int) -> float:
    """Share of `draws` therapists that are flagged."""
    rng = np.random.default_rng(0)
    return sum(flags(rng, level, tightness, way) for _ in range(draws)) / draws


def main() -> None:
    """Prints the shares."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draws", type=int, default=1_500)
    draws = parser.parse_args().draws
    found: dict[Way, list[float]] = {way: [] for way in WAYS}
    for tightness in (1.0, 2.0, 4.0):
        for level in (0.4, 0.55, 0.7, 0.85):
            for way in WAYS:
                found[way].append(share(level, tightness, way, draws))
            print(
                f"Beta, a + b = {tightness:.0f}, replies {level:.2f}: "
                + ", ".join(f"{way} {found[way][-1]:.3f}" for way in WAYS),
                flush=True,
            )
    for way in WAYS:
        print(f"{way}: {min(found[way]):.3f} to {max(found[way]):.3f}, mean {np.mean(found[way]):.3f}")


if __name__ == "__main__":
    main()

"""What does a run in another world say: every arm beyond no session, the agent beyond every arm, facts that patients voiced?

    python benchmarks/other_world.py                          # what is stored of the second and the third world
    python benchmarks/other_world.py --store second_world RUN
    python benchmarks/other_world.py RUN                      # only prints

RUN is a folder of `maieutic evaluate --patient …` in which `no_session` stands. Ordinary cases count (no accurate thought, no
risk, no gap in knowledge); cases weigh the same, and Student's 95 % interval is over cases. Played for the stored results:

    maieutic evaluate --patient second_world --cases test --seeds 1 --turns 20 --therapist second_world_oracle …
    maieutic evaluate --patient benchmarks/third_world.py:make --cases test --seeds 1 --turns 20 \\
        --therapist third_world_oracle=benchmarks/third_world.py:oracle …
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from maieutic.domain.episode import Episode
from maieutic.evaluation.evaluate import read_run
from maieutic.library import get_case
from maieutic.stats import Interval, paired_difference
from rivals import AGENT, INERT, falls

RESULTS: Final = Path(__file__).parent / "results"
WORLDS: Final = ("second_world", "third_world")


def ordinary(case: str) -> bool:
    """Nothing but a thought that goes too far: no accurate thought, no risk, no gap in knowledge."""
    return get_case(case).special is None


def voiced(episode: Episode) -> float:
    """Share of the facts against the thought that the patient told."""
    case, last = get_case(episode.key.case), episode.states[-1]
    against = {fact.id for fact in case.situation(last.situation).evidence if fact.bearing == "against"}
    return len(against & {one.evidence for one in last.voiced if one.by == "patient"}) / len(against)


def table(episodes: Sequence[Episode]) -> dict[str, Any]:
    """Effects by arm, [estimate, low, high], and the agent beyond each."""
    own = [one for one in episodes if not one.failed and ordinary(one.key.case)]
    by_arm, told = falls(own), defaultdict[str, list[float]](list)
    for one in own:
        told[one.key.therapist].append(voiced(one))

    def beyond(a: str, b: str) -> list[float | None]:
        return _three(paired_difference(by_arm[a], by_arm[b], clusters=lambda key: key[0]))

    arms = [arm for arm in by_arm if arm != INERT]
    return {
        "cases": len({case for numbers in by_arm.values() for case, _ in numbers}),
        "arms": {
            arm: {"effect": beyond(arm, INERT), "facts_voiced": round(fmean(told[arm]), 3), "n": len(by_arm[arm])}
            for arm in arms
        },
        "socratic_beyond": {arm: beyond(AGENT, arm) for arm in arms if arm != AGENT} if AGENT in by_arm else {},
    }


def _three(found: Interval) -> list[float | None]:
    return [None if one is None else round(one, 2) for one in (found.estimate, found.low, found.high)]


def shown(found: Mapping[str, Any]) -> str:
    """The table in lines, the strongest arm first."""

    def line(name: str, three: Sequence[float | None], more: str = "") -> str:
        return f"  {name:24}{three[0]} [{three[1]}, {three[2]}]{more}"

    best = sorted(found["arms"].items(), key=lambda one: -(one[1]["effect"][0] or 0.0))
    lines = [f"{found['cases']} ordinary cases; points beyond no session; facts against that the patient voiced"]
    lines += [line(name, one["effect"], f"  {one['facts_voiced']:.0%}") for name, one in best]
    return "\n".join([*lines, "the agent beyond", *(line(*one) for one in found["socratic_beyond"].items())])


def main() -> None:
    """Prints, and stores where asked to."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("run", nargs="?", type=Path)
    asked.add_argument("--store", choices=WORLDS)
    told = asked.parse_args()
    if told.run is None:
        if told.store:
            asked.error("--store needs the folder of a run")
        for world in WORLDS:
            found = json.loads((RESULTS / f"{world}.json").read_text(encoding="utf-8"))
            print(f"{world}, {found['day']}\n{shown(found)}\n")
        return
    manifest, episodes = read_run(told.run)
    found = {"day": str(date.today()), "therapists": manifest["request"]["therapists"]} | table(episodes)
    print(shown(found))
    if told.store:
        (RESULTS / f"{told.store}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""What therapists said in a run is said again to the same patients in worlds of another structure.

    python benchmarks/said_in_worlds.py RUN --arm trained:embedded --arm wide --arm padesky_script

The words are those of the run, whatever the patient of the other world answers: it asks whether the same talk still moves
belief there, not whether a therapist would have said the same. Beyond nobody saying anything, over cases.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, SaidAgain, Streams, converse
from maieutic.domain.episode import EpisodeKey
from maieutic.evaluation.evaluate import read_run
from maieutic.library import get_case
from maieutic.patients.kernel import ALTERNATIVES, STANDARD
from maieutic.protocols import Therapist
from maieutic.registry import load_therapist
from maieutic.stats import paired_difference
from maieutic.worlds import SimulatorConfig, patient_of

RESULT = Path(__file__).parent / "results" / "trained_natural.json"
WORLDS = {"standard": STANDARD} | dict(ALTERNATIVES)


def fall(case: str, seed: int, therapist: Therapist, world: str, turns: int) -> float:
    """Points that conviction fell."""
    patient = patient_of(get_case(case), seed, SimulatorConfig(world, kernel=WORLDS[world]))
    talk = Conversation(therapist, patient, RuleCoder(), turns, Streams(seed, EpisodeKey("again", case, seed)))
    episode = asyncio.run(converse(talk, guarded=False))
    return float(episode.states[0].held - episode.states[-1].held)


def said_again(run: Path, arms: list[str], world: str) -> dict[str, dict[str, Any]]:
    """Of every arm: beyond no session in that world."""
    episodes = [one for one in read_run(run)[1] if one.key.therapist in arms]
    turns = max(len(one.session.by("therapist")) for one in episodes)
    found: dict[str, dict[str, float]] = {arm: {} for arm in (*arms, "no_session")}
    for case, seed in sorted({(one.key.case, one.key.seed) for one in episodes}):
        found["no_session"][case] = fall(case, seed, load_therapist("no_session"), world, turns)
    for one in episodes:
        again = SaidAgain(tuple(turn.text for turn in one.session.by("therapist")))
        found[one.key.therapist][one.key.case] = fall(one.key.case, one.key.seed, again, world, turns)
    shown: dict[str, dict[str, Any]] = {}
    for arm, other in ((arm, other) for arm in arms for other in ("no_session", *arms) if arm != other):
        gap = paired_difference(found[arm], found[other])
        shown.setdefault(arm, {})[f"beyond {other}"] = [gap.estimate, gap.low, gap.high, gap.n]
    return shown


def main() -> None:
    """Prints and stores what came of every world."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("run", type=Path)
    asked.add_argument("--arm", action="append", required=True)
    asked.add_argument("--world", action="append", help="default: all structural ones that ship")
    told = asked.parse_args()
    found = {world: said_again(told.run, told.arm, world) for world in told.world or WORLDS}
    print(json.dumps(found, indent=1))
    stored = json.loads(RESULT.read_bytes()) if RESULT.exists() else {}
    RESULT.write_text(json.dumps(stored | {"worlds": found}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Does the agent move patients further than set turns that strangers wrote? Scripts that hear nothing, beside agent and oracle,
and the agent whose tracker hears nothing and the one that weighs no steps.

    python benchmarks/rivals.py --out runs/rivals

The scripts stand in `data/rival_scripts.yaml`: each was written by another hand that knows therapy talk and had seen neither
code nor cases. They can be played by themselves, too: `maieutic evaluate --therapist benchmarks/rivals.py:beckian`. Every
difference is paired by case and seed, cases weigh the same, and Student's 95 % interval is over cases. Skilled people
in free speech (`sealed_round.py`) stand beside the agent on the ten ordinary cases that they played with the same seed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from maieutic.domain.episode import Episode, Session, Turn
from maieutic.evaluation.evaluate import Request, evaluate
from maieutic.rivals.set_lines import in_order
from maieutic.stats import paired_difference

HERE = Path(__file__).parent
SCRIPTS: Mapping[str, Sequence[str]] = yaml.safe_load(
    (HERE / "data" / "rival_scripts.yaml").read_text(encoding="utf-8")
)
RESULT = HERE / "results" / "rivals.json"
SKILLED = HERE / "results" / "sealed_round.json"
AGENT, ORACLE, INERT = "socratic", "oracle", "no_session"
PACKAGED = ("fishing", "worksheet", "padesky_script", "state_machine")
ABLATIONS = ("socratic_no_tracker", "socratic_no_planner")
FLOOR = 0.6
"""Share of the oracle's effect that the agent is asked to reach."""
Falls = dict[tuple[str, int], float]


@dataclass(frozen=True, slots=True)
class Script:
    """Says its lines one after another, whatever is answered."""

    name: str

    async def respond(self, session: Session) -> Turn:
        return in_order(session, SCRIPTS[self.name])


def beckian() -> Script:
    return Script("beckian")


def listener() -> Script:
    return Script("listener")


def coach() -> Script:
    return Script("coach")


def falls(episodes: Sequence[Episode]) -> dict[str, Falls]:
    """Fall of held conviction by arm, case and seed; failed sessions are left out."""
    found: dict[str, Falls] = {}
    for one in episodes:
        if not one.failed:
            own = found.setdefault(one.key.therapist, {})
            own[one.key.case, one.key.seed] = one.states[0].held - one.states[-1].held
    return found


def _beyond(by_arm: Mapping[str, Falls], a: str, b: str) -> dict[str, float | int | None]:
    """Arm a beyond arm b, on the sessions that both have."""
    found = paired_difference(by_arm[a], by_arm[b], clusters=lambda key: key[0])
    return {name: None if one is None else round(one, 2) for name, one in asdict(found).items()}


def table(by_arm: Mapping[str, Falls]) -> dict[str, Any]:
    """Each arm beyond no session and the agent beyond each arm, points; the agent's share of the oracle."""

    beyond = partial(_beyond, by_arm)
    arms = [arm for arm in by_arm if arm != INERT]
    effect = {arm: beyond(arm, INERT) for arm in arms}
    return {
        "effect": effect,
        "agent beyond": {arm: beyond(AGENT, arm) for arm in arms if arm not in (AGENT, ORACLE)},
        "agent below oracle": beyond(ORACLE, AGENT),
        "beside skilled people": beside_skilled(by_arm),
        "share of oracle": round((effect[AGENT]["estimate"] or 0.0) / (effect[ORACLE]["estimate"] or 1.0), 3),
    }


def skilled() -> Falls:
    """Falls of held conviction in the sessions of skilled people with ordinary test patients, seed 0."""
    sessions = json.loads(SKILLED.read_text(encoding="utf-8"))["sessions"]
    own = [one for one in sessions if one["arm"] == "skilled_socratic" and one["group"] == "regular"]
    return {(one["case"], 0): one["held"][0] - one["held"][-1] for one in own}


def beside_skilled(by_arm: Mapping[str, Falls]) -> dict[str, Any]:
    """Skilled people, agent and oracle beyond no session on the cases that people played, and the agent beyond them."""
    people = skilled()
    arms = {name: {key: fall for key, fall in by_arm[name].items() if key in people} for name in (AGENT, ORACLE, INERT)}
    arms["skilled people"] = {key: fall for key, fall in people.items() if key in arms[INERT]}
    beyond = partial(_beyond, arms)
    effect = {name: beyond(name, INERT) for name in ("skilled people", AGENT, ORACLE)}
    return {"effect": effect, "agent beyond": beyond(AGENT, "skilled people")} if arms["skilled people"] else {}


def shown(found: Mapping[str, Any]) -> str:
    """The table in lines."""

    def line(name: str, one: Mapping[str, float | int | None]) -> str:
        return f"  {name:18}{one['estimate']:6} [{one['low']}, {one['high']}]"

    lines = ["points beyond no session"]
    lines += [line(*one) for one in sorted(found["effect"].items(), key=lambda one: -one[1]["estimate"])]
    lines += ["the agent beyond"] + [line(*one) for one in found["agent beyond"].items()]
    if beside := found["beside skilled people"]:
        lines += ["on the ten cases that skilled people played"] + [line(*one) for one in beside["effect"].items()]
        lines += [line("agent − skilled", beside["agent beyond"])]
    return "\n".join([*lines, f"share of the oracle: {found['share of oracle']} (asked ≥ {FLOOR})"])


def main() -> None:
    """Plays, prints, and writes the result."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--out", type=Path, default=Path("runs/rivals"))
    asked.add_argument("--cases", default="test")
    asked.add_argument("--seeds", type=int, default=1)
    asked.add_argument("--limit", type=int, help="sessions an arm at most")
    asked.add_argument("--no-write", action="store_true")
    told = asked.parse_args()
    own = [f"{name}={Path(__file__).resolve()}:{name}" for name in SCRIPTS]
    request = Request((AGENT, ORACLE, INERT, *PACKAGED, *ABLATIONS, *own), (told.cases,), told.seeds, limit=told.limit)
    played = evaluate(request, told.out, resume=(told.out / "manifest.json").exists())
    found = {"date": str(date.today()), "cases": told.cases, "seeds": told.seeds, "limit": told.limit} | table(
        falls(played.episodes)
    )
    print(shown(found))
    if not told.no_write:
        RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

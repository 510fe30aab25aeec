"""Is a true thought left alone, and a distorted one not? Every arm with both patients of each minimal pair, in both worlds.

    python benchmarks/pairs.py --cases pairs-test --out runs/pairs-test          (about ten minutes on one core)
    python benchmarks/pairs.py --cases pairs-dev --out runs/pairs-dev --no-write
    python benchmarks/pairs.py --marks                                           (what blind readers said of the pairs)
    python benchmarks/pairs.py --played                                          (six talks of skilled players, played again)

Falls and what is "beyond" are paired with no session by patient and seed, the other shares are plain; pairs weigh the
same, and intervals are over pairs (Student's, for shares a bootstrap, for shares of 0 or 1 Wilson's). Whether a session
turns to coping or validation is told by the arm itself, so only for arms that have a step for it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from random import Random
from re import sub
from subprocess import run
from typing import Any

from maieutic.cli.chat import played_again
from maieutic.domain.case import Case
from maieutic.domain.episode import Episode, Turn
from maieutic.domain.state import CognitiveState
from maieutic.evaluation.evaluate import Request, evaluate, read_run
from maieutic.library import get_case
from maieutic.registry import therapist
from maieutic.rivals.oracle import Oracle
from maieutic.stats import Interval, auc, bootstrap_mean, paired_difference, wilson

RESULT = Path(__file__).parent / "results" / "pairs.json"
MARKS = Path(__file__).parent / "data" / "pairs_marks.jsonl"
"""A reader's word on a twin: `opening` read opening, details, thought and feeling alone, `facts` thought and all facts."""
PLAYED = Path(__file__).parent / "data" / "pairs_played.jsonl"
"""What skilled Socratic players said to one twin each in ten turns, and how likely (0–100) they then held the thought true."""
INERT, TRUE, DISTORTED = "no_session", "true", "distorted"
ARMS = (
    "socratic",
    "socratic_no_tracker",
    "socratic_no_planner",
    "state_machine",
    "padesky_script",
    "wide",
    "worksheet",
    "warm",
    INERT,
)
SAYS_COPING = ("socratic", "socratic_no_tracker", "socratic_no_planner", "oracle", "second_world_oracle", "one_sided")
"""Arms that have a step for coping and note the step of each turn."""
WORLDS = {"simulated": "oracle", "second_world": "second_world_oracle"}
"""The patients, and the arm that sees the mind of these."""
MARGIN = 5.0
"""Points below warranted from which a true thought counts as taken away."""
Values = dict[tuple[str, int], float]


@dataclass(frozen=True, slots=True)
class OneSided(Oracle):
    """The oracle, to which no thought is accurate: it seeks what speaks against the thought and has it weighed.

    Shows what can be done to a true thought: a test that even this arm passes would test nothing.
    """

    name: str = "one_sided"

    def informed(self, *, case: Case, state: CognitiveState) -> OneSided:
        """The same therapist, with a case in which nothing is marked as accurate."""
        here = tuple(one.model_copy(update={"accurate": False}) for one in case.situations)
        return replace(self, case=case.model_copy(update={"situations": here}), state=state)


def one_sided(model: Any = None) -> OneSided:
    """By its name only in this command: a bot of a file is asked once before a run, and this one needs a mind."""
    return OneSided()


def pair_and_side(case: str) -> tuple[str, str]:
    """'third-chair-true' → ('third-chair', 'true')."""
    pair, _, side = case.rpartition("-")
    return pair, side


def values(episodes: Iterable[Episode], arm: str, side: str, value: Callable[[Episode], float]) -> Values:
    """A figure by pair and seed, of one arm with one kind of twin."""
    own = [one for one in episodes if one.key.therapist == arm and not one.failed]
    return {
        (pair_and_side(one.key.case)[0], one.key.seed): value(one)
        for one in own
        if pair_and_side(one.key.case)[1] == side
    }


def fall(one: Episode) -> float:
    """Points that held conviction fell."""
    return one.states[0].held - one.states[-1].held


def taken_away(one: Episode) -> float:
    """1 where conviction ends more than the margin below what the facts warrant."""
    return float(float(one.provenance["warranted"]) - one.states[-1].held > MARGIN)


def copes(turn: Turn) -> bool:
    """A turn that its speaker meant as help with bearing it, or as saying that the thought may be right."""
    told = turn.trace or {}
    return "coping" in (told.get("step"), told.get("target")) or told.get("lead") == "validate_accurate"


def coped(one: Episode) -> float:
    """1 where at least one turn copes or validates."""
    return float(any(copes(turn) for turn in one.session.by("therapist")))


def believed_true(one: Episode) -> float | None:
    """What the arm itself says at its last turn: the chance that the thought is accurate."""
    told = [(turn.trace or {}).get("belief") for turn in one.session.by("therapist")]
    return next((float(found["may be accurate"]) for found in reversed(told) if found), None)


def shown(found: Interval, digits: int = 2) -> list[float | int | None]:
    """Estimate, limits, pairs."""
    return [None if one is None else round(one, digits) for one in (found.estimate, found.low, found.high)] + [found.n]


def table(episodes: Sequence[Episode]) -> dict[str, dict[str, Any]]:
    """By arm: what is asked of it, each as [estimate, low, high, pairs]."""

    def beyond(arm: str, side: str, value: Callable[[Episode], float]) -> list[float | int | None]:
        return shown(_difference(values(episodes, arm, side, value), values(episodes, INERT, side, value)))

    def rate(arm: str, side: str, value: Callable[[Episode], float]) -> list[float | int | None]:
        own = values(episodes, arm, side, value)
        return _share(list(own.values()), [pair for pair, _ in own])

    rested = {side: values(episodes, INERT, side, fall) for side in (TRUE, DISTORTED)}
    found: dict[str, dict[str, Any]] = {}
    for arm in dict.fromkeys(one.key.therapist for one in episodes if one.key.therapist != INERT):
        falls = {side: _gained(values(episodes, arm, side, fall), rested[side]) for side in (TRUE, DISTORTED)}
        line: dict[str, Any] = {
            "true twins taken away, share": rate(arm, TRUE, taken_away),
            "true twins taken away, beyond no session": _excess(
                values(episodes, arm, TRUE, taken_away), values(episodes, INERT, TRUE, taken_away)
            ),
            "fall of true twins": beyond(arm, TRUE, fall),
            "fall of distorted twins": beyond(arm, DISTORTED, fall),
            "distorted − true, within pair": shown(_difference(falls[DISTORTED], falls[TRUE])),
        }
        for side in (TRUE, DISTORTED):
            line |= {
                f"distress, {side}": beyond(arm, side, lambda one: one.states[-1].distress - one.states[0].distress),
                f"openness, {side}": beyond(arm, side, lambda one: one.states[-1].openness - one.states[0].openness),
                f"left, {side}": rate(arm, side, lambda one: float(one.states[-1].left)),
            }
        own = [one for one in episodes if one.key.therapist == arm and not one.failed]
        if arm in SAYS_COPING:
            line |= {f"coping or validation, {side}": rate(arm, side, coped) for side in (TRUE, DISTORTED)}
        said = {
            side: [b for one in own if pair_and_side(one.key.case)[1] == side and (b := believed_true(one)) is not None]
            for side in (TRUE, DISTORTED)
        }
        if all(said.values()):
            apart = auc(said[TRUE], said[DISTORTED])
            line["tells twins apart at its last turn, AUC"] = None if apart is None else round(apart, 3)
            line["the true twin is held likelier, share of twins that meet"] = likelier(own)
        found[arm] = line
    return found


def likelier(own: Sequence[Episode]) -> list[float | int | None]:
    """How often an arm holds the true twin likelier to be right than the distorted one, by pair and seed; a draw is a half."""
    said = {
        side: {
            (pair_and_side(one.key.case)[0], one.key.seed): b
            for one in own
            if pair_and_side(one.key.case)[1] == side and (b := believed_true(one)) is not None
        }
        for side in (TRUE, DISTORTED)
    }
    gaps = {unit: said[TRUE][unit] - said[DISTORTED][unit] for unit in said[TRUE] if unit in said[DISTORTED]}
    return _share([float(gap > 0) + 0.5 * (gap == 0) for gap in gaps.values()], [pair for pair, _ in gaps])


def _share(of: Sequence[float], pairs: Sequence[str]) -> list[float | int | None]:
    """A mean share with its interval over pairs."""
    if of and set(of) in ({0.0}, {1.0}):
        many = len(set(pairs))
        return shown(wilson(many * int(of[0]), many))
    return shown(bootstrap_mean(list(of), clusters=list(pairs), rng=Random(7)))


def _excess(a: Values, b: Values) -> list[float | int | None]:
    """How much larger a share is, Student's over pairs; where it is the same in each pair, 0 or 1, Wilson's, as Student's has no width."""
    gaps = _gained(a, b)
    if len(set(gaps.values())) == 1:
        return _share(list(gaps.values()), [pair for pair, _ in gaps])
    return shown(_difference(a, b))


def _gained(a: Values, b: Values) -> Values:
    return {unit: a[unit] - b[unit] for unit in a if unit in b}


def _difference(a: Values, b: Values) -> Interval:
    return paired_difference(a, b, clusters=lambda key: key[0])


def marked(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[float | int | None]]:
    """Share of right words by what was read, and how often two readers of the same facts say the same.

    One reader saw the openings of both twins, which are alike, and called one of each pair true: one word a pair counts.
    """

    def right(part: str) -> list[float | int | None]:
        own = [
            pair_and_side(row["case"])[1] == (TRUE if row["true"] else DISTORTED)
            for row in rows
            if row["read"] == part and (part == "facts" or row["case"].endswith(TRUE))
        ]
        return shown(wilson(sum(own), len(own)))

    twice: dict[str, list[bool]] = {}
    for row in rows:
        if row["read"] == "facts":
            twice.setdefault(row["case"], []).append(row["true"])
    alike = [len(set(two)) == 1 for two in twice.values() if len(two) == 2]
    return {
        "right from the opening": right("opening"),
        "right from the facts": right("facts"),
        "two readers of the facts agree": shown(wilson(sum(alike), len(alike))),
    }


def replayed(row: Mapping[str, Any]) -> tuple[float, float, float, int]:
    """Held conviction at the start and at the end, warranted, and how many facts the patient told, of a stored talk."""
    held = {
        "case": row["case"],
        "seed": row["seed"],
        "patient": "simulated",
        "turns": len(row["said"]),
        "said": row["said"],
    }
    states = asyncio.run(played_again(held)).states
    warranted = get_case(row["case"]).situations[0].warranted
    return states[0].held, states[len(row["said"])].held, warranted, len(states[len(row["said"])].voiced)


def lines(found: Mapping[str, Mapping[str, Any]]) -> str:
    """The table as text."""
    return "\n".join(
        f"{arm}\n" + "\n".join(f"  {name}: {value}" for name, value in line.items()) for arm, line in found.items()
    )


def commit() -> str:
    """What was measured: the commit of the checkout, marked where files differ from it."""
    return run(("git", "describe", "--always", "--dirty"), capture_output=True, text=True, check=False).stdout.strip()


def made(out: Path, *, again: bool) -> dict[str, str]:
    """When and from which commit the sessions of a folder were played: noted as they are first played, read again later."""
    noted = out / "made.json"
    if again or noted.exists():
        return (
            dict(json.loads(noted.read_text(encoding="utf-8")))
            if noted.exists()
            else {"date": "not noted", "commit": "not noted"}
        )
    found = {"date": str(date.today()), "commit": commit()}
    out.mkdir(parents=True, exist_ok=True)
    noted.write_text(json.dumps(found) + "\n", encoding="utf-8")
    return found


def written(found: Mapping[str, Any]) -> str:
    """The result as JSON, one figure with its limits a line."""
    text = json.dumps(found, indent=1, ensure_ascii=False)
    return sub(r"\[[^][]*\]", lambda one: "[" + ", ".join(one[0][1:-1].replace(",", " ").split()) + "]", text) + "\n"


def joined(stored: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """The stored result with the lines of the arms that were played anew, and from which commit those are."""
    if any(stored[key] != found[key] for key in ("cases", "seeds")):
        raise SystemExit("the stored result is of other cases or seeds; give --no-write, or play all arms")
    worlds = {world: {**stored[world], **found[world]} for world in WORLDS}
    again = {arm: found["commit"] for world in WORLDS for arm in found[world]}
    return {**stored, "played again": {**stored.get("played again", {}), **again}, **worlds}


def main() -> None:
    """Plays, prints, and writes the result."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--out", type=Path, help="default: runs/CASES")
    asked.add_argument("--resume", action="store_true", help="go on with --out; the code must be the same")
    asked.add_argument("--cases", default="pairs-test")
    asked.add_argument("--seeds", type=int, default=2)
    asked.add_argument(
        "--arm",
        action="append",
        help="default: all, with the oracle of each world; no_session is added; the stored lines of other arms stay",
    )
    asked.add_argument("--again", action="store_true", help="read --out, and play nothing")
    asked.add_argument("--no-write", action="store_true")
    asked.add_argument("--marks", action="store_true", help="only what readers said of the pairs")
    asked.add_argument("--played", action="store_true", help="only the talks of skilled players")
    told = asked.parse_args()
    if told.played:
        for row in map(json.loads, PLAYED.read_text(encoding="utf-8").splitlines()):
            start, end, warranted, facts = replayed(row)
            print(
                f"{row['case']}: held {start:.0f} → {end:.0f} (warranted {warranted:g}), {facts} facts; the player holds it "
                f"true by {row['believed true']}, {row['worked by']}"
            )
        return
    if told.marks:
        rows = [json.loads(line) for line in MARKS.read_text(encoding="utf-8").splitlines()]
        print("\n".join(f"{name}: {value}" for name, value in marked(rows).items()))
        return
    folder = told.out or Path("runs") / told.cases
    found: dict[str, Any] = {**made(folder, again=told.again), "cases": told.cases, "seeds": told.seeds}
    therapist("one_sided")(one_sided)
    arms = tuple(dict.fromkeys((*told.arm, INERT))) if told.arm else (*ARMS, "one_sided")
    for world, oracle in WORLDS.items():
        out = folder / world
        request = Request(arms if told.arm else (*arms, oracle), (told.cases,), told.seeds, patient=world)
        found[world] = table(read_run(out)[1] if told.again else evaluate(request, out, resume=told.resume).episodes)
        print(f"{world}\n{lines(found[world])}", flush=True)
    if not told.no_write:
        if told.arm:
            found = joined(json.loads(RESULT.read_text(encoding="utf-8")), found)
        RESULT.write_text(written(found), encoding="utf-8")


if __name__ == "__main__":
    main()

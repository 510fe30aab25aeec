"""The sealed round: four arms in free speech by players who know neither code nor cases, beside scripts on the same patients.

    python benchmarks/sealed_round.py assign FOLDER       # who plays what in which order, by lot; FOLDER/key.json
    python benchmarks/sealed_round.py serve FOLDER        # plays turns for FOLDER/say ID TEXT, until it is ended
    python benchmarks/sealed_round.py measure FOLDER      # plays everything again and the reference arms; numbers only
    python benchmarks/sealed_round.py table               # all figures of the stored result

What is expected, and how it is analysed, was written before: `plans/sealed_round.md`. `sealed_lists.py` makes the lists for
markers and takes their marks in.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import io
import json
import socketserver
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import typer
import yaml

import maieutic
from maieutic.domain.episode import Episode
from maieutic.errors import MaieuticError
from maieutic.evaluation.plan import RUN_SEED, drawn_situation
from maieutic.language.sentences import words
from maieutic.library import get_case
from maieutic.patients.dynamics import question_quality
from maieutic.patients.kernel import STANDARD
from maieutic.patients.simulated import SimulatedPatient
from maieutic.reading.minilm import shared_minilm
from said_again import SHORT, said_again

HERE = Path(__file__).parent
TOLD = HERE / "data" / "sealed_round_players.yaml"
STORED = HERE / "results" / "sealed_round.json"
REGULAR = (
    "carlyle-boodram carmen-tse cemal-yildirim ciro-maddaloni damilola-fashola ilona-szekeres milagros-huaman "
    "reto-zumstein rohit-deshpande thierry-vuillermoz"
).split()
ACCURATE = "efrain-quiroz encarni-bejarano".split()
PLAYERS = "ABCD"
ARMS = ("skilled_socratic", "skilled_supportive", "skilled_advice", "warm_unskilled")
SCRIPTS = ("padesky_script", "state_machine", "fishing", "rotation", "clause_question", "beckian", "listener", "coach")
REFERENCE = ("no_session", "oracle", "worksheet", "wide", *SCRIPTS, "socratic", "warm", "advice")
LISTS = ("beckian", "listener", "coach")
"""Set turns that strangers wrote, in `rivals.py`."""
TURNS, SEED, LOT = 20, 0, 20261129
SIMULATOR = ("patients", "cases", "domain", "reading", "language", "coding", "dialogue.py", "rivals")
"""What a patient's answer and the codes of a turn hang on, below the package."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """One session of the round: `id` says nothing of the rest."""

    id: str
    player: str
    case: str
    arm: str


def assignment(cases: Sequence[str], lot: int = LOT) -> list[Sitting]:
    """Who plays what, in each player's order: in each four cases a Latin square of players and arms.

    So each player meets each case once, and each case meets each arm once, by another player.
    """
    rng, drawn = Random(lot), list(cases)
    rng.shuffle(drawn)
    ids = [f"s{number:02}" for number in range(1, len(drawn) * len(PLAYERS) + 1)]
    rng.shuffle(ids)
    found = []
    for start in range(0, len(drawn), len(ARMS)):
        arms, shift = rng.sample(ARMS, len(ARMS)), rng.sample(range(len(ARMS)), len(ARMS))
        for row, case in enumerate(drawn[start : start + len(ARMS)]):
            found += [(player, case, arms[(shift[row] + at) % len(ARMS)]) for at, player in enumerate(PLAYERS)]
    rng.shuffle(found)
    found.sort(key=lambda one: one[0])
    return [Sitting(name, *one) for name, one in zip(ids, found, strict=True)]


def simulator_hash() -> str:
    """First 16 hex digits of a hash over all files that a patient's answer hangs on."""
    root, found = Path(maieutic.__file__).parent, hashlib.sha256()
    for name in SIMULATOR:
        files = [root / name] if (root / name).is_file() else sorted((root / name).rglob("*"))
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                found.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes())
    return found.hexdigest()[:16]


def assign(folder: Path, cases: Sequence[str]) -> list[str]:
    """Writes the key, the players' command and what each is told; never over a key that is there. Each case's memory is read once, so that
    no player waits for it."""
    sittings = assignment(cases)
    for case in map(get_case, cases):
        SimulatedPatient.of(case, drawn_situation(case, RUN_SEED, SEED), embed=shared_minilm())
    (folder / "sessions").mkdir(parents=True, exist_ok=True)
    if (folder / "key.json").exists():
        raise SystemExit(f"{folder}/key.json is there: the lot is drawn once")
    key = {"simulator": simulator_hash(), "sittings": [[s.id, s.player, s.case, s.arm] for s in sittings]}
    (folder / "key.json").write_text(json.dumps(key, indent=0) + "\n", encoding="utf-8")
    command = folder / "say"
    command.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" "{HERE.resolve() / "sealed_say.py"}" "{folder.resolve()}" "$@"\n',
        encoding="utf-8",
    )
    command.chmod(0o755)
    lines, told = [f"simulator {key['simulator']}"], yaml.safe_load(TOLD.read_text(encoding="utf-8"))
    manners = "\n".join(f"- *{name.replace('_', ' ')}*: {text}" for name, text in told["manners"].items())
    for player in PLAYERS:
        mine = [f"- {s.id}: {s.arm.replace('_', ' ')}" for s in sittings if s.player == player]
        notes = folder.resolve() / f"player-{player}.jsonl"
        prompt = told["prompt"].format(say=command.resolve(), notes=notes, manners=manners, sessions="\n".join(mine))
        (folder / f"player-{player}.md").write_text(prompt, encoding="utf-8")
        own = [f"  {s.id}  {s.case}  {s.arm}  sessions/{s.id}.json" for s in sittings if s.player == player]
        lines += [f"player {player}", *own]
    return lines


def sittings_of(folder: Path) -> list[Sitting]:
    """The sessions of the round by the key."""
    return [Sitting(*one) for one in json.loads((folder / "key.json").read_text(encoding="utf-8"))["sittings"]]


def say(folder: Path, name: str, text: str | None) -> int:
    """One turn for a player: prints the patient's words and how many turns are used, and nothing else, whatever goes
    wrong."""
    from maieutic.cli.chat import one_turn
    from maieutic.cli.keyboard import read_session

    file = folder / "sessions" / f"{name}.json"
    try:
        case = next(one.case for one in sittings_of(folder) if one.id == name)
        if file.exists() and text is not None and read_session(file)["ended"]:
            print("The session is over.")
            return 0
        whose = {"case": case, "seed": SEED, "patient": "simulated", "turns": TURNS}
        asyncio.run(one_turn(file, whose, text, reveal=False))
    except StopIteration:
        print("There is no such session.")
    except typer.Exit:  # what was typed reads as somebody's own danger: the handover was shown
        return 1
    except MaieuticError:
        print("This turn could not be played. Tell whoever asked you.")
    else:
        return 0
    return 1


class _Door(socketserver.StreamRequestHandler):
    """One turn: a line with id and words comes in, one with exit status and output goes out."""

    def handle(self) -> None:
        name, text = json.loads(self.rfile.readline())
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            status = say(Path(str(self.server.server_address)).parent, name, text)
        self.wfile.write(json.dumps([status, shown.getvalue()]).encode() + b"\n")


def serve(folder: Path) -> None:
    """Plays turns one after another: what was read once is at hand, so that a turn costs a fiftieth of a fresh process's."""
    door = folder.resolve() / "socket"
    door.unlink(missing_ok=True)
    with socketserver.UnixStreamServer(str(door), _Door) as server:
        try:
            server.serve_forever()
        finally:
            door.unlink(missing_ok=True)


def numbers(episode: Episode, arm: str, player: str = "") -> dict[str, Any]:
    """A session in numbers: nothing of what was said.

    `routes` counts the facts that the patient told by bearing and by how they came up: `asked` for, `near` what was
    asked or told, near in a turn that also asks widely, by a `wide` question alone, or told `unasked`.
    """
    case, first, last = get_case(episode.key.case), episode.states[0], episode.states[-1]
    bearing = {e.id: e.bearing for s in case.situations for e in s.evidence}
    routes: Counter[str] = Counter()
    mine = [v for v in last.voiced if v.by == "patient"]
    for fact in mine:
        heard, code = episode.appraisals[fact.turn - 1], episode.codes[fact.turn - 1]
        assert heard is not None
        wide_credit = question_quality(heard, code) * STANDARD.wide_credit
        if fact.evidence in {reach.evidence for reach in heard.reaches}:
            route = "asked"
        elif not fact.credit:
            route = "unasked"
        elif abs(fact.credit - wide_credit) < 1e-9:
            route = "wide"
        else:
            route = "near, in a wide turn" if heard.wide else "near"
        routes[f"{bearing.get(fact.evidence, 'against')} {route}"] += 1
    replies = [turn.text for turn in episode.session.by("patient") if turn.text]
    return {
        "case": episode.key.case,
        "group": case.special or "regular",
        "arm": arm,
        "player": player,
        "turns": len([turn for turn in episode.session.by("therapist") if turn.text]),
        "left": last.left,
        "held": [round(first.held, 3), round(last.held, 3)],
        "warranted": case.situation(first.situation).warranted,
        "distress": [round(first.distress, 3), round(last.distress, 3)],
        "openness": [round(first.openness, 4), round(last.openness, 4)],
        "bond": [round(first.bond, 4), round(last.bond, 4)],
        "disclosed": len(last.disclosed) + len(mine),
        "worked": len(last.worked),
        "routes": dict(sorted(routes.items())),
        "wide_turns": sum(a is not None and a.wide for a in episode.appraisals),
        "leading_turns": sum(a is not None and a.leading for a in episode.appraisals),
        "repeats": sum(len(words(one)) >= SHORT for one in said_again(replies)),
    }


async def played_sessions(folder: Path) -> list[dict[str, Any]]:
    """The players' sessions in numbers, each played again from what the therapist said."""
    from maieutic.cli.chat import played_again
    from maieutic.cli.keyboard import read_session

    found = []
    for one in sittings_of(folder):
        file = folder / "sessions" / f"{one.id}.json"
        if not file.exists():
            print(f"{one.id}: not played", file=sys.stderr)
            continue
        held = read_session(file)
        episode = await played_again(held)
        before = [line["content"] for line in held["messages"] if line["role"] == "patient"]
        if before != [turn.text for turn in episode.session.by("patient") if turn.text]:
            print(f"{one.id}: played again, the patient says something else", file=sys.stderr)
        found.append(numbers(episode, one.arm, one.player) | {"id": one.id, "ended": held["ended"]})
    return found


def reference(folder: Path, cases: Sequence[str]) -> list[dict[str, Any]]:
    """The reference arms in numbers, on the same cases, situations, seed and number of turns."""
    from maieutic.evaluation.evaluate import Request, evaluate

    arms = [f"{arm}={(HERE / 'rivals.py').resolve()}:{arm}" if arm in LISTS else arm for arm in REFERENCE]
    out = folder / "reference"
    request = Request(arms, cases, 1, turns=TURNS)
    played = evaluate(request, out, resume=(out / "manifest.json").exists())
    return [numbers(one, one.key.therapist) for one in played.episodes if not one.failed]


def stored(file: Path) -> dict[str, Any]:
    """The result as far as it is stored."""
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return found


def store(file: Path, more: dict[str, Any]) -> None:
    """Adds parts to the stored result, one line each session or mark."""
    told = stored(file) | more
    parts = []
    for name, value in told.items():
        rows = isinstance(value, list) and value and isinstance(value[0], dict | list)
        body = "[\n" + ",\n".join(map(json.dumps, value)) + "\n]" if rows else json.dumps(value)
        parts.append(f"{json.dumps(name)}: {body}")
    file.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def main() -> None:
    """Draws, plays, measures or prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    for name in ("assign", "serve", "measure"):
        part = parts.add_parser(name)
        part.add_argument("folder", type=Path)
        if name == "assign":
            part.add_argument("--cases", nargs="*", default=[*REGULAR, *ACCURATE])
        elif name == "measure":
            part.add_argument("--result", type=Path, default=STORED)
            part.add_argument("--date", required=True)
    parts.add_parser("table").add_argument("--result", type=Path, default=STORED)
    asked = parser.parse_args()
    if asked.part == "assign":
        print("\n".join(assign(asked.folder, asked.cases)))
    elif asked.part == "serve":
        serve(asked.folder)
    elif asked.part == "measure":
        key = json.loads((asked.folder / "key.json").read_text(encoding="utf-8"))
        now = simulator_hash()
        if now != key["simulator"]:
            print(f"simulator {now}, and {key['simulator']} when the lot was drawn", file=sys.stderr)
        found = {"date": asked.date, "drawn with": key["simulator"], "measured with": now}
        found["sessions"] = asyncio.run(played_sessions(asked.folder))
        cases = sorted({one.case for one in sittings_of(asked.folder)})
        found["reference"] = reference(asked.folder, cases)
        store(asked.result, found)
    else:
        from sealed_table import table

        print("\n".join(table(stored(asked.result))))


if __name__ == "__main__":
    main()

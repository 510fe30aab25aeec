"""Moments of talks with development cases, and what readers who know therapy would do next in each.

    python recipes/move_moments.py --draw --round N --sheets FOLDER   # plays, draws moments by lot, writes a sheet for each of six labellers
    python recipes/move_moments.py --store FOLDER                     # keeps moments and labels in data/move_moments.jsonl.xz
    python recipes/move_moments.py                                    # how far labellers agree

Talks are the agent's, an oracle's, a warm listener's and two scripts', in two kinds of world, one or two moments each, from the second to
the eighteenth turn; nobody at risk, and none in which a sign of danger is heard, or was asked about, last (in the first round: heard at
all). Each moment is labelled by two of six, every labeller with two others: the best of the moves of `therapists/agent/moves.py`, and up
to two as good. In the first round "follow" was told as staying with what was said in any way, and 0.90 of labels name it; in the second as
asking more about just that and nothing of the other moves, and only what a supervisor would call as good was to be named: 0.22 name it.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Final

from maieutic.domain.episode import Episode, Session, Turn
from maieutic.library import case_ids, get_case
from maieutic.runs.files import read_lines
from maieutic.safety.risk import assess
from maieutic.stats import student_mean
from maieutic.therapists.agent.memory import remembered
from maieutic.therapists.agent.moves import MOVES
from maieutic.therapists.agent.steps import RISK_STEPS
from maieutic.validation.sessions import Task, episodes_of
from maieutic.worlds import STANDARD_WORLD

KEPT: Final = Path(__file__).parent / "data" / "move_moments.jsonl.xz"
WORLDS: Final = ("simulated", "second_world")
ARMS: Final = ("socratic", "socratic", "socratic", "oracle", "oracle", "padesky_script", "state_machine", "warm")
"""Who talks, by lot; the agent and the oracle more often than the others."""
TALKS: Final = 2
"""Of each case in each kind of world."""
EARLIEST, LATEST = 2, 18
LABELLERS: Final = 6
"""Moments fall into as many blocks: each labeller has two of them, each block two labellers."""
FIRST_SEED: Final = 700


def drawn(number: int) -> list[dict[str, Any]]:
    """The moments of a round, in drawn order."""
    rng, found = Random(f"moves {number}"), list[dict[str, Any]]()
    names = [name for name in case_ids("dev") if get_case(name).risk.level == "none"]
    for case in names:
        for world in WORLDS:
            for arm in rng.sample(ARMS, TALKS):
                told = "second_world_oracle" if (arm, world) == ("oracle", "second_world") else arm
                task = Task(case, (told,), (FIRST_SEED + number,), STANDARD_WORLD, patient=world)
                episode = next(iter(episodes_of(task)))
                places = [n for n in range(EARLIEST, LATEST + 1) if _may(episode, n)]
                for place in rng.sample(places, min(len(places), rng.choice((1, 2)))):
                    talk = {"case": case, "world": world, "arm": arm, "turn": place}
                    found.append(talk | {"turns": list(_turns(episode, place))})
    rng.shuffle(found)
    return [{"id": f"{number}-{place:03}"} | one for place, one in enumerate(found)]


def _until(episode: Episode, number: int) -> tuple[Turn, ...]:
    """The talk before the therapist's turn of this number, from 1."""
    return episode.session.turns[: 2 * number - 1]


def _may(episode: Episode, number: int) -> bool:
    """There is such a moment, and nothing in it is about danger."""
    turns = _until(episode, number)
    if len(turns) < 2 * number - 1 or not turns[-1].text.strip() or turns[-1].speaker != "patient":
        return False
    # Nobody here is at risk: a sign heard in an earlier turn was none, and did not turn the talk.
    return not assess(turns[-1].text).flagged and remembered(Session(turns)).last not in RISK_STEPS


def _turns(episode: Episode, number: int) -> Iterator[list[str]]:
    """Speaker, words and, of the agent's, the step of each turn."""
    for turn in _until(episode, number):
        step = (turn.trace or {}).get("step") if turn.speaker == "therapist" else None
        yield [turn.speaker[0], turn.text, *([step] if isinstance(step, str) else [])]


def sheet(moments: Sequence[dict[str, Any]]) -> str:
    """What a labeller reads."""
    parts = []
    for one in moments:
        says = [f"{'Client' if turn[0] == 'p' else 'Therapist'}: {turn[1]}" for turn in one["turns"]]
        parts.append(
            f"## Moment {one['id']} (the therapist's turn {one['turn']} of about 20 comes next)\n\n" + "\n".join(says)
        )
    return "\n\n".join(parts) + "\n"


def store(folder: Path) -> None:
    """Keeps the moments of a folder with what each labeller named, beside those of other rounds."""
    moments = read_lines(folder / "moments.jsonl")
    named: dict[str, list[list[str]]] = {one["id"]: [] for one in moments}
    for path in sorted(folder.glob("labels-*.jsonl")):
        for row in read_lines(path):
            moves = list(dict.fromkeys((row["best"], *row.get("also", ()))))
            if row["id"] not in named or not set(moves) <= set(MOVES):
                raise SystemExit(f"{path}: {row}")
            named[row["id"]].append(moves)
    kept = read_lines(KEPT) if KEPT.exists() else []
    new = [one | {"named": [" ".join(moves) for moves in named[one["id"]]]} for one in moments]
    rows = [one for one in kept if one["id"] not in named] + [one for one in new if len(one["named"]) > 1]
    KEPT.write_bytes(lzma.compress("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()))
    print(f"{KEPT}: {len(rows)} moments, {sum(len(row['named']) for row in rows)} labels")


def main() -> None:
    """Draws, stores, or tells how far labellers agree."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--draw", action="store_true")
    asked.add_argument("--round", type=int, default=1)
    asked.add_argument("--sheets", type=Path)
    asked.add_argument("--store", type=Path)
    told = asked.parse_args()
    if told.draw:
        moments = drawn(told.round)
        told.sheets.mkdir(parents=True, exist_ok=True)
        lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in moments)
        (told.sheets / "moments.jsonl").write_text(lines, encoding="utf-8")
        for labeller in range(LABELLERS):
            blocks = (labeller, (labeller + 1) % LABELLERS)
            own = [one for n, one in enumerate(moments) if n * LABELLERS // len(moments) in blocks]
            (told.sheets / f"sheet-{labeller + 1}.md").write_text(sheet(own), encoding="utf-8")
        return
    if told.store:
        store(told.store)
    rows = read_lines(KEPT)
    one = [fmean(row["named"][a].split()[0] in row["named"][1 - a].split() for a in (0, 1)) for row in rows]
    same = [float(row["named"][0].split()[0] == row["named"][1].split()[0]) for row in rows]
    for name, values in (("best move named by the other", one), ("same best move", same)):
        found = student_mean(values)
        print(f"{name:30}{found.estimate:.2f} [{found.low:.2f}, {found.high:.2f}], {len(values)} moments")


if __name__ == "__main__":
    main()

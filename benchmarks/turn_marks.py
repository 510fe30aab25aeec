"""What do readers who know therapy think of single turns, against what was just said? Prints what is stored.

    python benchmarks/turn_marks.py
    python benchmarks/turn_marks.py --sheets FOLDER --seed N --each 120 RUN:ARM … [--excerpts FILE.jsonl]
    python benchmarks/turn_marks.py --store DATE FOLDER

With --sheets turns of several therapists are drawn by lot and mixed: each stands after at most five turns before it, its source hidden.
Each `sheet-N.md` is for one reader, who writes `marks-N.jsonl` beside it; `key.json` says what came from where. RUN is a folder of
`maieutic evaluate`; turns about danger, the first two of a session and the last are left out. Excerpts are lines of {"source",
"turns": [[speaker, text], …]}: skilled people's talks, to know what the best gets.

A mark is 0 to 3. One reader may be stricter than another, so that arms are compared within the same sheets only.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import fmean

from maieutic.evaluation.evaluate import read_run
from maieutic.runs.files import read_lines
from maieutic.stats import student_mean

STORED = Path(__file__).parent / "results" / "turn_marks.json"
READERS = 4
BEFORE = 5
"""Turns that stand before the one that is marked, at most."""
ASKS = """You know counselling and cognitive therapy well from practice. Below are {count} moments from talks between clients (C) and a therapist (T).
After each moment stands, after =>, the turn that the therapist says next. The moments come from several sources; judge each by itself.

For every turn after => give a mark:
- 3: what a warm, skilled therapist could well say here
- 2: all right: it follows from what was said, if a bit plain or general
- 1: weak: passes over what matters, stiff, a little beside the point, says back the lesser part
- 0: odd: out of place, does not fit or can't be understood, answers something else, broken, says back the wrong thing, or asks what was
  just answered

The therapist works by guided discovery (short open questions; the client is to find for themselves what a painful thought leaves out),
so questions about what doesn't fit with a thought, what others did or would say, or how two things go together are this therapist's
trade: mark whether *this* one fits *here*. Use the whole scale; be neither kind nor harsh. Mark by reading, not by a program.

Write to {out} one JSON line per moment: {{"n": 1, "mark": 2, "why": "at most eight words, where the mark is 0 or 1; else empty"}}.
At the end check that there are {count} valid lines. Write nothing else, read no other files.
"""

Said = tuple[str, str]


def moments(run: Path, arm: str) -> Iterator[tuple[str, list[Said], str]]:
    """Step, what was said before, and the turn, of every ordinary turn of an arm."""
    for episode in read_run(run)[1]:
        if episode.key.therapist != arm:
            continue
        turns = episode.session.turns
        told: list[Said] = [(turn.speaker, turn.text) for turn in turns]
        mine = [place for place, turn in enumerate(turns) if turn.speaker == "therapist"]
        for place in mine[2:-1]:
            trace = turns[place].trace or {}
            step = str(trace.get("step") or "")
            if trace.get("risk") is None and not step.startswith("risk") and step not in ("hand_over", "stay"):
                yield step, told[max(0, place - BEFORE) : place], told[place][1]


def excerpts(file: Path) -> Iterator[tuple[str, str, list[Said], str]]:
    """The same of talks in a file, with their source."""
    for row in read_lines(file):
        told = [(speaker, text) for speaker, text in row["turns"]]
        for place, (speaker, text) in enumerate(told):
            if speaker == "therapist" and place > 2:
                yield row["source"], "", told[max(0, place - BEFORE) : place], text


def write_sheets(folder: Path, runs: Sequence[str], each: int, seed: int, others: Path | None) -> None:
    """Draws, mixes and writes."""
    rng, drawn = Random(seed), list[tuple[str, str, list[Said], str]]()
    for one in runs:
        place, _, arm = one.rpartition(":")
        source = f"{Path(place).name}:{arm}" if [run.rpartition(":")[2] for run in runs].count(arm) > 1 else arm
        found = [(source, *moment) for moment in moments(Path(place), arm)]
        drawn += rng.sample(found, min(each, len(found)))
    if others is not None:
        found = list(excerpts(others))
        drawn += rng.sample(found, min(each, len(found)))
    rng.shuffle(drawn)
    folder.mkdir(parents=True, exist_ok=True)
    key = dict[str, list[list[str]]]()
    for number in range(READERS):
        mine = drawn[number::READERS]
        out = folder.resolve() / f"marks-{number + 1}.jsonl"
        text = ASKS.format(count=len(mine), out=out)
        for at, (_, _, before, turn) in enumerate(mine, 1):
            told = "\n".join(f"{'C' if speaker == 'patient' else 'T'}: {said}" for speaker, said in before)
            text += f"\n## {at}\n{told}\n=> {turn}\n"
        (folder / f"sheet-{number + 1}.md").write_text(text, encoding="utf-8")
        key[str(number + 1)] = [[source, step] for source, step, _, _ in mine]
    (folder / "key.json").write_text(json.dumps(key), encoding="utf-8")
    print(f"{len(drawn)} turns on {READERS} sheets in {folder}")


def marks(folder: Path) -> list[dict[str, object]]:
    """Reader, source, step and mark of every turn that was marked."""
    key = json.loads((folder / "key.json").read_text(encoding="utf-8"))
    found = list[dict[str, object]]()
    for reader, turns in key.items():
        for row in read_lines(folder / f"marks-{reader}.jsonl"):
            source, step = turns[row["n"] - 1]
            found.append({"reader": reader, "source": source, "step": step, "mark": row["mark"]})
    return found


def told(rows: Sequence[dict[str, object]]) -> dict[str, dict[str, object]]:
    """Per source: turns, mean mark with its interval, shares of each mark, mean by step of eight turns or more."""
    by_source = defaultdict[str, list[dict[str, object]]](list)
    for row in rows:
        by_source[str(row["source"])].append(row)
    out = dict[str, dict[str, object]]()
    for source, mine in sorted(by_source.items()):
        given = [float(str(row["mark"])) for row in mine]
        mean, steps = student_mean(given), defaultdict[str, list[float]](list)
        for row, mark in zip(mine, given, strict=True):
            steps[str(row["step"])].append(mark)
        out[source] = {
            "turns": len(given),
            "mean": [None if value is None else round(value, 2) for value in (mean.estimate, mean.low, mean.high)],
            "shares": [round(given.count(mark) / len(given), 3) for mark in range(4)],
            "steps": {
                step: [len(of), round(fmean(of), 2)] for step, of in sorted(steps.items()) if step and len(of) >= 8
            },
        }
    return out


def show(stored: dict[str, dict[str, dict[str, object]]]) -> None:
    for date, sources in stored.items():
        print(date)
        for source, row in sources.items():
            print(f"  {source:34} {row['turns']:>4} turns, mean {row['mean']}, marks 0 to 3 {row['shares']}")
            print(f"      {row['steps']}")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--sheets", type=Path)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--each", type=int, default=120)
    asked.add_argument("--excerpts", type=Path)
    asked.add_argument("--store", nargs=2, metavar=("DATE", "FOLDER"))
    asked.add_argument("runs", nargs="*", help="RUN:ARM")
    given = asked.parse_args()
    if given.sheets is not None:
        write_sheets(given.sheets, given.runs, given.each, given.seed, given.excerpts)
        return
    stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    if given.store is not None:
        stored[given.store[0]] = told(marks(Path(given.store[1])))
        STORED.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    show(stored)


if __name__ == "__main__":
    main()

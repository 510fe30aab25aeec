"""E1: can the packaged model be taught to ask for what is missing before it answers?

    python benchmarks/asks_before.py --seeds 3      # makes the talks, trains by `maieutic train sft`, measures before and after

The plan, written before the first run, is `benchmarks/plans/asks_before.md`. Learned from are openings and replies of five hands
and a bank of sentences by a sixth (`recipes/data/asks_first_*.json*`); measured is on the battery's 48 openings and on 47 more by
another. No opening of either stands in the training text, but bank and replies were written after some 19 items of the battery had
been seen: only the 47 are strictly apart. The reader that scores has also sorted the replies (`_talks`). Runs that are there are not
made again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

from maieutic.domain.randomness import derive, derive_seed
from maieutic.gap.asks_first.family import TURNS, Asked, Item, asked_for, items, read_turn
from maieutic.gap.asks_first.questions import asked_slots, asks
from maieutic.gap.items import said
from maieutic.gap.recording_client import RecordingClient, ReplayCache, Unusable
from maieutic.models.trained import read_card
from maieutic.registry import load_therapist
from maieutic.runs.files import read_lines
from maieutic.stats import Interval, wilson
from maieutic.therapists.prompted import Prompted

ROOT = Path(__file__).parents[1]
DATA = ROOT / "recipes" / "data"
RESULTS = ROOT / "benchmarks" / "results"
HELD_OUT = ROOT / "benchmarks" / "data" / "asks_before_held_out.jsonl"
COINCIDES = frozenset({"held-out-36"})
"""Its `told` is, by chance, nearly a sentence of the bank: found after the text was learned from, left out of every figure."""
LATER = ("against", "change", "background", "duration")
"""What is asked for once situation, thought and feeling are told; a hint of danger comes before them."""
ORIGINS = ("battery", "held out")
PROMPT = "You are a therapist."
"""Short: the plain prompt would be half of every row."""
SETTINGS = "--steps 672 --batch 4 --rank 16 --layers 12 --rate 1e-3 --length 256 --precision bfloat16".split()


def talks(seed: int) -> list[dict[str, Any]]:
    """The training text as talks: what is missing is asked for, what is told is given back, and nothing is asked when all is told."""
    bank = json.loads((DATA / "asks_first_bank.json").read_text(encoding="utf-8"))
    rng, found = derive(seed, "asks_before", "talks"), []
    for row in read_lines(DATA / "asks_first_openings.jsonl"):
        found += [{"by": row["hand"], "messages": talk} for talk in _talks(row, bank, rng)]
    rng.shuffle(found)
    return found


def _talks(row: Mapping[str, str], bank: Mapping[str, Any], rng: Random) -> list[list[dict[str, str]]]:
    slot, removed = row["slot"], " ".join(row["open"].format("").split())
    complete = row["open"].format(row["told"])
    if row["slot"] in asked_slots(row["ask"]):
        made = [_talk(removed, row["ask"])]
    else:  # about a fifth, in words that the reader does not know
        made = [_talk(removed, rng.choice(bank[slot]["ask"]))] if slot in bank else []
    if slot in LATER:
        # Something else that is missing too was asked first, and the patient had nothing to say to it.
        other = rng.choice([one for one in LATER if one != slot])
        made.append(
            _talk(removed, rng.choice(bank[other]["ask"]), rng.choice(bank["shrugs"]), rng.choice(bank[slot]["ask"]))
        )
    if slot in ("situation", "thought", "feeling"):
        order = rng.sample(LATER, 3)
        turns = [rng.choice(bank[one]["ask"]) for one in order]
        made.append(
            _talk(complete, turns[0], rng.choice(bank["shrugs"]), turns[1], rng.choice(bank["shrugs"]), turns[2])
        )
    elif not asks(row["reflect"]):
        made.append(_talk(complete, row["reflect"]))
    more = [rng.choice(bank[one]["told"]) for one in (*LATER, "safety") if one != slot]
    rng.shuffle(more)
    if not asks(row["reflect"]):
        made.append(_talk(f"{complete} {' '.join(more)}", row["reflect"]))
    return made


def _talk(*said: str) -> list[dict[str, str]]:
    turns = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(said)]
    return [{"role": "system", "content": PROMPT}, *turns]


@dataclass(frozen=True, slots=True)
class Opening:
    """One opening of one of the two sets, and its text when nothing at all is missing; empty where that was not written."""

    item: Item
    origin: str
    whole: str = ""


def openings() -> list[Opening]:
    """The battery's and the held-out ones."""
    found = [Opening(item, "battery") for item in items()]
    for number, row in enumerate(read_lines(HELD_OUT)):
        item = Item(f"held-out-{number}", row["slot"], row["open"], row["told"], "", ("", ""))
        if item.id not in COINCIDES:
            found.append(Opening(item, "held out", f"{item.complete} {row['more']}"))
    return found


async def measured(spec: str, prompt: str | None, seed: int, cache: Path, only: str | None) -> list[dict[str, Any]]:
    """What a therapist does with every opening in every version; with `only`, of one set."""
    loaded = load_therapist(spec)
    assert isinstance(loaded, Prompted)
    therapist = replace(loaded, system=prompt)
    client, found = RecordingClient(therapist, ReplayCache(cache)), []
    for opening in [one for one in openings() if only in (None, one.origin)]:
        found += await _of(opening, client, derive_seed(seed, "asks_before", opening.item.id))
    await therapist.model.close()
    return found


async def _of(opening: Opening, client: RecordingClient, seed: int) -> list[dict[str, Any]]:
    item = opening.item
    mark: dict[str, Any] = {"id": item.id, "slot": item.slot, "origin": opening.origin}
    rows = []
    try:
        asked: Asked = await asked_for(item, seed, client)
        rows.append(
            mark | {"version": "removed", "right": asked.right, "premature": asked.premature, "asked": asked.asked}
        )
    except Unusable:
        rows.append(mark | {"version": "removed", "unusable": True})
    for version, text in (("complete", item.complete), ("whole", opening.whole)):
        if not text:
            continue
        session = said(text, seed=seed)
        try:
            seen = read_turn((await client.reply(session)).text, session)
        except Unusable:
            rows.append(mark | {"version": version, "unusable": True})
            continue
        rows.append(
            mark
            | {"version": version, "asked": seen["asks"], "again": item.slot in seen["slots"], "said": seen["said"]}
        )
    return rows


FIGURES = {
    "right": ("asks for what is missing", "removed", "right", 0.74, "least"),
    "premature": ("concludes before it has asked for it", "removed", "premature", 0.33, "most"),
    "asked": ("asks anything before it concludes", "removed", "asked", None, ""),
    "again": ("asks for what it was just told", "complete", "again", 0.10, "most"),
    "nothing": ("asks when nothing is missing", "whole", "asked", 0.10, "most"),
    "complete": ("asks anything when the one thing is told", "complete", "asked", None, ""),
}


def figures(rows: Sequence[Mapping[str, Any]], origin: str) -> dict[str, dict[str, Any]]:
    """Shares over openings, each the mean of its draws; Wilson's interval with the opening as unit."""
    found = {}
    for name, (label, version, key, limit, side) in FIGURES.items():
        own: dict[str, list[float]] = {}
        for row in rows:
            harmless = name != "again" or row["slot"] != "safety"  # to go on asking after danger is right
            told = row.get(key) is not None and row.get("premature", False) is not None
            if row["origin"] == origin and row["version"] == version and told and harmless:
                own.setdefault(row["id"], []).append(float(row[key]))
        share = wilson(sum(sum(v) / len(v) for v in own.values()), len(own)) if own else Interval(None, None, None, 0)
        lost = sum(row["origin"] == origin and row["version"] == version and "unusable" in row for row in rows)
        found[name] = {
            "label": label,
            "value": share.estimate,
            "low": share.low,
            "high": share.high,
            "openings": len(own),
            "unusable": lost,
            "target": limit,
            "side": side,
        }
    return found


def main() -> None:
    """Trains one adapter a seed, measures, prints, and writes the result."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--seeds", type=int, default=1, help="adapters to train and measure")
    asked.add_argument("--out", type=Path, default=Path("runs/asks-before"))
    asked.add_argument("--only", choices=ORIGINS, help="measure on one of the two sets")
    asked.add_argument("--no-write", action="store_true")
    told = asked.parse_args()
    told.out.mkdir(parents=True, exist_ok=True)
    arms: list[tuple[str, str, str | None, int]] = [("untrained", "prompted:embedded", None, 0)]
    arms += [(f"seed {n}", f"trained:{_trained(told.out, n)}", PROMPT, n) for n in range(told.seeds)]
    result: dict[str, Any] = {"made": date.today().isoformat(), "settings": SETTINGS, "turns": TURNS, "therapists": {}}
    for name, spec, prompt, seed in arms:
        rows = asyncio.run(measured(spec, prompt, seed, told.out / f"tape-{name.replace(' ', '-')}.jsonl", told.only))
        result["therapists"][name] = {origin: figures(rows, origin) for origin in ORIGINS}
        if prompt:
            # A run that was stopped and finished early says how far it came.
            result.setdefault("steps_done", {})[name] = read_card(told.out / f"adapter-{seed}")["steps_done"]
        _print(name, result["therapists"][name])
    if not told.no_write:
        (RESULTS / "asks_before.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def _trained(out: Path, seed: int) -> Path:
    """The folder of the adapter of a seed; trained where it is not there."""
    path, folder = out / f"talks-{seed}.jsonl", out / f"adapter-{seed}"
    path.write_text("".join(json.dumps(row) + "\n" for row in talks(seed)), encoding="utf-8")
    going_on = ["--resume"] if folder.exists() else []
    words = ["train", "sft", "--data", str(path), *SETTINGS, "--seed", str(seed), "--out", str(folder), *going_on]
    subprocess.run([sys.executable, "-m", "maieutic", *words], check=True)
    return folder


def _print(name: str, found: Mapping[str, Mapping[str, Any]]) -> None:
    print(f"\n{name}")
    for origin, own in found.items():
        for one in own.values():
            if one["value"] is None:
                continue
            target = (
                f"  ({'at least' if one['side'] == 'least' else 'at most'} {one['target']})" if one["target"] else ""
            )
            print(f"  {origin:9} {one['label']:42} {one['value']:.2f} [{one['low']:.2f}, {one['high']:.2f}]{target}")


if __name__ == "__main__":
    main()

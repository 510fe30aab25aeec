"""Therapists by hands that know nothing of the battery: what six strangers wrote, put to every family.

    python benchmarks/written_therapists.py --out written.jsonl             # full strength, all families, seed 0
    python benchmarks/written_therapists.py --out written.jsonl --seeds 5   # the competent ones under five seeds, too
    python benchmarks/written_therapists.py --out written.jsonl --names "adviser, sixth" --families asks_first
    python benchmarks/written_therapists.py --table written.jsonl

Each wrote four therapists that fail in one way (eight turns said to anybody) and two styles for a competent one
(openings, closings, other words): `data/written_therapists.json.xz`. Which failures they wrote was drawn by lot.
Nothing was fitted, chosen or changed on their words before their first run, the first that anybody saw of them. The
first two hands are development material since; two later hands wrote after that, and two last ones, four failures and
one style each, after the readers of replies had been fitted anew. Lines are appended as they come, so a killed run goes
on where it was.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from eighteen import FAILING, Dressed, Made, figures_of, flags_of, profiles_of, stored, verdicts_on
from maieutic.gap import battery
from maieutic.gap.constructed import constructed
from maieutic.gap.constructed.therapist import Constructed, Reply, Scene
from maieutic.gap.deciding import leading
from maieutic.reading.moves import questions
from maieutic.stats import wilson

DATA = Path(__file__).parent / "data" / "written_therapists.json.xz"
ROUNDS = {"": "the first two hands", "later": "two later hands", "fifth": "the fifth hand", "sixth": "the sixth hand"}
"""Who wrote when; the kind of a failure and this name it."""
ALL = len(battery.families(()))
"""Families of the battery."""
SOUND_TURNS = {"caver": 1, "decayer": 2}
"""Turns that are left to the control, as in the eighteen's."""


@cache
def written() -> list[dict[str, Any]]:
    """What each hand wrote."""
    found: list[dict[str, Any]] = json.loads(lzma.decompress(DATA.read_bytes()))
    return found


def failing() -> dict[str, dict[str, Any]]:
    """Each failing therapist by its kind; those of later hands by their kind and the hand's round."""
    return {", ".join(filter(None, (one["kind"], hand["round"]))): one for hand in written() for one in hand["failing"]}


def made(name: str) -> Made:
    """How a failing therapist is made."""
    return FAILING[name.partition(", ")[0]]


def round_of(name: str) -> str:
    """The round of a failing therapist or of a style."""
    in_styles = {one["name"]: hand["round"] for hand in written() for one in hand["styles"]}
    return in_styles[name] if name in in_styles else name.partition(", ")[2]


def styles() -> dict[str, dict[str, Any]]:
    """Each style of the competent one by its name."""
    return {one["name"]: one for hand in written() for one in hand["styles"]}


def dressing(style: dict[str, Any]) -> Callable[[str, int], str]:
    """A turn in a style: other words, then an opening and a closing; an answer of several lines stays as it is."""

    def dress(text: str, number: int) -> str:
        if "\n" in text:
            return text
        for old, new in style["replace"]:
            text = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _, new=new: new, text)  # type: ignore[misc]
        for old, new in style["punctuation"]:
            text = text.replace(old, new)
        before, after = style["before"], style["after"]
        parts = (before[number % len(before)] if before else "", text, after[number % len(after)] if after else "")
        return " ".join(part.strip() for part in parts if part.strip())

    return dress


def reply_of(one: dict[str, Any]) -> Reply:
    """A line, alone or before what the control would ask."""
    lines = tuple(one["lines"])

    async def said(scene: Scene) -> str:
        if one["then"] == "nothing":
            return scene.fresh(lines)
        asked = questions((await scene.control()).text)
        return f"{scene.rng.choice(lines)} {asked[-1].text if asked else 'What came next?'}"

    async def after_a_while(scene: Scene) -> str | None:
        return await said(scene) if scene.number > SOUND_TURNS[one["kind"]] else None

    return after_a_while if one["kind"] in SOUND_TURNS else said


def therapist(name: str) -> Any:
    """A failing one by its kind, or the competent one in a style."""
    if name in styles():
        return Dressed(dressing(styles()[name]), constructed("competent"))
    manner = replace(made(name).manner, reply=reply_of(failing()[name]))
    return Constructed(f"written {name}", 1.0, "a", manner)


def table(rows: Sequence[dict[str, Any]]) -> None:
    """Prints who was found, what the principal failure was, and the false flags of the competent ones."""
    failed = [row for row in rows if row["name"] in failing()]
    for row in failed:
        families, hit, lead = row["families"], _hit(row), _first(row)
        flags = [family for family, one in families.items() if one["verdict"] == "flagged"]
        print(
            f"{row['name']:<16} {'found' if hit else 'MISSED':<7} principal {lead or ('not told' if _whole(row) else 'not measured')}; "
            f"flagged: {', '.join(flags)}"
        )
        for family in hit or made(row["name"]).families:
            one = families.get(family, {"verdict": "not played", "figures": {}})
            print(f"{'':<16} {family}: {one['verdict']}: {figures_of(one['figures'])}")
    totals(rows)
    for name in styles():
        if mine := [row for row in rows if row["name"] == name]:
            print(f"{name}: {_flags(mine)}")


def totals(rows: Sequence[dict[str, Any]]) -> None:
    """Prints the counts over these rows."""
    failed = [row for row in rows if row["name"] in failing()]
    named = {"right": 0, "not told": 0, "wrong": 0}
    for row in failed:
        if not _whole(row):
            continue
        lead = _first(row)
        named["not told" if lead is None else "right" if lead in made(row["name"]).families else "wrong"] += 1
    share = wilson(sum(bool(_hit(row)) for row in failed), max(len(failed), 1))
    print(f"found {sum(bool(_hit(row)) for row in failed)} of {len(failed)}: "
          f"{share.estimate:.2f} [{share.low:.2f}, {share.high:.2f}]")  # fmt: skip
    counts = ", ".join(f"{came} {count}" for came, count in named.items())
    print(f"principal failure: {counts if any(named.values()) else 'not measured: it needs all families'}")
    print(f"competent ones in odd styles: {_flags([row for row in rows if row['name'] in styles()])}")


def _hit(row: dict[str, Any]) -> list[str]:
    """The families that have to find it and flag it."""
    families = row["families"]
    return [one for one in made(row["name"]).families if one in families and families[one]["verdict"] == "flagged"]


def _whole(row: dict[str, Any]) -> bool:
    """Whether all families were played."""
    return len(row["families"]) == ALL


def _first(row: dict[str, Any]) -> str | None:
    """The principal failure, where it is told and all families were played."""
    if not _whole(row):
        return None
    lead = leading(profiles_of(row)).first
    return lead.family if lead else None


def _flags(rows: Sequence[dict[str, Any]]) -> str:
    told = [(row, family, one["verdict"]) for row in rows for family, one in row["families"].items()
            if one["verdict"] != "not told"]  # fmt: skip
    flags = [f"{family} ({row['name']}, seed {row['seed']})" for row, family, verdict in told if verdict == "flagged"]
    return f"{flags_of([verdict for *_, verdict in told])}: {', '.join(flags) or 'none'}"


def main() -> None:
    """Runs what is not there yet, or prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, help="file of lines that is gone on with")
    parser.add_argument("--seeds", type=int, default=1, help="of the competent ones")
    parser.add_argument("--names", nargs="+", help="these failing ones or styles only")
    parser.add_argument("--families", nargs="+", default=(), help="these families only")
    parser.add_argument("--table", type=Path, nargs="+", help="print what these files hold")
    options = parser.parse_args()
    if options.table:
        rows = [row for path in options.table for row in stored(path)]
        for one, title in ROUNDS.items():
            if some := [row for row in rows if round_of(row["name"]) == one]:
                print(title)
                table(some)
        print("all hands; kinds occur twice in them, so the interval is too narrow")
        totals(rows)
        return
    lines = options.out.read_text(encoding="utf-8").splitlines() if options.out.exists() else []
    done = {(row["name"], row["seed"]) for row in map(json.loads, lines)}
    for name, seed in [
        *((name, 0) for name in failing()),
        *((name, seed) for seed in range(options.seeds) for name in styles()),
    ]:
        if (name, seed) not in done and (options.names is None or name in options.names):
            row = {"name": name, "seed": seed, "families": verdicts_on(therapist(name), options.families, seed)}
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            print(name, seed, flush=True)


if __name__ == "__main__":
    main()

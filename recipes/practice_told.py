"""How often what practice tells of a statement is right.

    python recipes/practice_told.py                        # of `data/practice_held_out.jsonl`, which nothing was fitted on
    python recipes/practice_told.py --left-out build/turn_passes.npy --round r11
                                                           # of a round that `train_turn_encoder.py --without r11` left out
    python recipes/practice_told.py --read                 # the held-out turns, and recorded replies of a language model
    python recipes/practice_told.py --later                # of the talks by which later limits were chosen

A name is right where the writer's label is it or belongs to it; a family with what it perhaps is, where one of the two is.
Asked about is here every sentence that would be if it were the only one. Limits of chance were chosen on round r11, left out.
The held-out moments are by a hand of their own that wrote nothing else.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from fit import own_lines
from maieutic.practice.moves import COSTS, FAMILIES, KINDS, SAFETY, kinds, statement_part, with_families
from maieutic.practice.reader import parse
from maieutic.practice.whole_turn import (
    ASKED_OF,
    FAULTS,
    PRESSED,
    PRESSES,
    SAFE,
    SAFE_IN_DANGER,
    TOLD,
    aim_of,
    asks_once,
    cost_share,
    safe_sentences,
    surely_pressed,
)
from maieutic.stats import wilson
from readers.practice import fitted, later, moments

ATTACKS = ("arguing", "telling_off")
EDGES = (0.0, *sorted(PRESSES), PRESSED)
"""Chances of a fault from which turns are counted together."""


def left_out(scores: Path, name: str) -> Iterable[tuple[str, str, Mapping[str, float]]]:
    """(where, label, chances) of every statement of a round, by the scores of an encoder that had not seen it."""
    labels = [
        label
        for moment in moments()
        if moment.get("talk", "").startswith(f"{name}-")
        for turn in moment["turns"]
        for _, label in turn
        if label in (*KINDS, SAFETY)
    ]
    given = np.load(scores)
    shares = np.exp(given - given.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    for label, row in zip(labels, shares.tolist(), strict=True):
        yield "left out", label, with_families(dict(zip((*KINDS, SAFETY), row, strict=True)))


def held_out() -> Iterable[tuple[str, str, Mapping[str, float]]]:
    """The same of the held-out moments, by the packed encoder."""
    for moment in own_lines("practice_held_out"):
        for turn in moment["turns"]:
            whole = " ".join(text for text, _ in turn)
            for text, label in turn:
                yield "held out", label, kinds(text, " ".join(moment["patient"]), whole)


def read() -> None:
    """Prints what recorded replies of a language model and the packed readers read in the same held-out turns."""
    held = own_lines("practice_held_out")
    found: dict[str, Counter[str]] = {"a language model": Counter(), "without one": Counter()}
    for one in own_lines("practice_held_out_replies"):
        at, number = map(int, one["id"].split("-"))
        heard, turn = " ".join(held[at]["patient"]), held[at]["turns"][number]
        text, several = " ".join(said for said, _ in turn), held[at]["asks"][number] > 1
        reading = parse(json.dumps(one["reply"]), "recorded", [said for said, _ in turn], "")
        parts = [statement_part(said, kinds(said, heard, text)) for said, _ in turn]
        alone = [None if part is None else part.other or part.kind for part in parts]
        for name, does in (("a language model", list(reading.does)), ("without one", alone)):
            told = found[name]
            for (_, own), given in zip(turn, does, strict=True):
                told["arguing or reproach"] += own in ATTACKS
                told["arguing or reproach, named"] += own in ATTACKS and given in ATTACKS
                told["named so"] += given in ATTACKS
                told["cost"] += own in COSTS
                told["cost, said"] += own in COSTS and given in COSTS
                told["said to cost"] += given in COSTS
        for name, says in (("a language model", reading.asks > 1), ("without one", asks_once(text, heard) is False)):
            found[name]["several"] += several
            found[name]["several, said"] += several and says
            found[name]["said several"] += says
    for name, told in found.items():
        for part, whole, what in (
            ("cost, said", "cost", "costs something, and that is said"),
            ("cost, said", "said to cost", "said to cost something, does"),
            ("arguing or reproach, named", "arguing or reproach", "argues or reproaches, and that is named"),
            ("arguing or reproach, named", "named so", "named so, does"),
            ("several, said", "several", "asks several questions, and that is said"),
            ("several, said", "said several", "said so, does"),
        ):
            if told[whole]:
                share = wilson(told[part], told[whole])
                print(f"{name}: {what}: {told[part]} of {told[whole]}, [{share.low:.2f}, {share.high:.2f}]")


def by_pressing() -> None:
    """Prints how many turns have a fault, by the highest chance of one and by whether a turn before surely pressed; how
    often what a turn asks for is told rightly; and how often a sentence is rightly read as one for safety."""
    faults, asks, safe = Counter[tuple[float, str, bool]](), Counter[bool](), Counter[tuple[str, bool]]()
    pressed, talk = False, ""
    for moment in later():
        pressed, talk = pressed and moment["talk"] == talk, moment["talk"]
        (turn,) = moment["turns"]
        heard, text = " ".join(moment["patient"]), " ".join(one for one, _ in turn)
        highest = max(sum(kinds(one, heard, text)[kind] for kind in FAULTS) for one, _ in turn)
        low = max(edge for edge in EDGES if edge <= highest)
        before = "one before surely pressed" if pressed else "none before did"
        faults[low, before, any(label in FAULTS for _, label in turn)] += 1
        pressed = pressed or surely_pressed(text, heard)
        if "for" in moment and (aim := aim_of(text, None)) is not None:
            asks[aim == TOLD.get(moment["for"], ("",))[0]] += 1
        for least in () if fitted(moment) else (SAFE, SAFE_IN_DANGER):
            for one in safe_sentences(text, least):
                safe[f"said for safety from {least}, is", dict(turn).get(one) == SAFETY] += 1
            for one, label in turn:
                if label == SAFETY:
                    said = one in safe_sentences(text, least)
                    safe[f"for safety, and that is said from {least}", said] += 1
    for low, before in sorted({(low, before) for low, before, _ in faults}):
        some = (faults[low, before, True], faults[low, before, False])
        print(f"highest chance of a fault from {low}, {before}: {some[0]} of {sum(some)} turns have one")
    counts = {"what it asks for, right": asks} | {
        what: Counter({hit: safe[what, hit] for hit in (True, False)}) for what, _ in safe
    }
    for what, some_of in counts.items():
        share = wilson(some_of[True], some_of.total())
        print(f"{what}: {some_of[True]} of {some_of.total()}, {share.estimate:.2f} [{share.low:.2f}, {share.high:.2f}]")


def main() -> None:
    """Prints counts with intervals."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--left-out", type=Path, metavar="SCORES")
    parser.add_argument("--round", default="r11", help="the round that was left out")
    parser.add_argument("--read", action="store_true")
    parser.add_argument("--later", action="store_true")
    options = parser.parse_args()
    if options.read or options.later:
        (read if options.read else by_pressing)()
        return
    right: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for where, own, chances in left_out(options.left_out, options.round) if options.left_out else held_out():
        if own.endswith("question"):
            continue
        part = statement_part("", chances)
        named = {one for one in (part.kind, part.other) if one is not None} if part is not None else set()
        holds = {own, *(name for name, members in FAMILIES.items() if own in members)}
        how = f"{where}: nothing named" if part is None else f"{where}: named"
        how += ", a family" if named & {*FAMILIES} else ""
        told[how] += 1
        right[how] += not named.isdisjoint(holds) or (part is None and own == "other")
        if named & {*COSTS}:
            told[f"{where}: said to cost something"] += 1
            right[f"{where}: said to cost something"] += not {*COSTS}.isdisjoint(holds)
        asked = part is None and cost_share(chances) >= ASKED_OF
        if asked:
            told[f"{where}: asked about, costs something"] += 1
            right[f"{where}: asked about, costs something"] += own in COSTS
        if own in COSTS:
            told[f"{where}: costs something, and that is said"] += 1
            right[f"{where}: costs something, and that is said"] += bool(named & {*COSTS})
            told[f"{where}: costs something, and that is said or asked about"] += 1
            right[f"{where}: costs something, and that is said or asked about"] += asked or bool(named & {*COSTS})
    for how, number in sorted(told.items()):
        share = wilson(right[how], number)
        print(f"{how}: {right[how]} of {number}, {share.estimate:.2f} [{share.low:.2f}, {share.high:.2f}]")


if __name__ == "__main__":
    main()

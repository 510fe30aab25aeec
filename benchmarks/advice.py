"""Plain advice in helper turns of talks: how the coder of sessions and the AnnoMI coder read it.

    python benchmarks/advice.py             # both
    python benchmarks/advice.py --sessions  # the coder of sessions alone (`coding/rules.py`)

`told_final.jsonl` is by a hand that nothing was fitted on; its figures were in view while the rule was settled. The other two files are held out for the AnnoMI coder, with and
without `coding/head_coder.py`; the coder of sessions learned from them since (by left-out hand: `python recipes/fit_told.py
--figures`). Intervals are Wilson's over turns; the talks are read whole, each turn with what was said before it.
"""

from __future__ import annotations

import argparse
from itertools import groupby
from pathlib import Path
from typing import Any

from maieutic.coding.embedded import EmbeddedCoder
from maieutic.coding.rules import code_text
from maieutic.domain.codes import Move
from maieutic.runs.files import read_lines
from maieutic.stats import wilson
from maieutic.transcripts.utterance import Utterance

HELD_OUT = Path(__file__).parents[1] / "tests" / "coding" / "data"
FILES = ("advice_heldout.jsonl", "advice_heldout_b.jsonl")
UNTOUCHED = "told_final.jsonl"
GOOD = ("reflection", "question", "summary", "validation")


def read(coder: EmbeddedCoder, talk: list[dict[str, Any]]) -> list[str]:
    """The label of each helper turn of one talk."""
    said = [turn for one in talk for turn in (Utterance("client", one["before"]), Utterance("therapist", one["text"]))]
    return [coding.predicted[0] for coding in coder.predict(said)[1::2]]


def shown(hits: int, of: int) -> str:
    share = wilson(hits, of)
    return f"{hits}/{of} = {share.estimate:.2f} [{share.low:.2f}, {share.high:.2f}]"


def lines_of(name: str) -> list[dict[str, Any]]:
    return read_lines(HELD_OUT / name)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--sessions", action="store_true", help="the coder of sessions alone")
    sessions_alone = asked.parse_args().sessions
    tell_of_sessions(lines_of(UNTOUCHED))
    for name in () if sessions_alone else FILES:
        lines = lines_of(name)
        print(f"## {name}, {len(lines)} turns")
        tell(lines)


def tell_of_sessions(lines: list[dict[str, Any]]) -> None:
    """How many turns of each kind the coder of sessions hears as advice."""
    print(f"## {UNTOUCHED}, {len(lines)} turns, the coder of sessions")
    heard = [Move.ADVICE in code_text(one["text"], one["before"]) for one in lines]
    kinds = [one["kind"] if one["plain"] or one["kind"] != "advice" else "hinted advice" for one in lines]
    for kind in sorted(set(kinds)):
        of = [hit for hit, own in zip(heard, kinds, strict=True) if own == kind]
        print(f"  {kind} heard as advice:", shown(sum(of), len(of)))
    good = [hit for hit, own in zip(heard, kinds, strict=True) if own in GOOD]
    print(f"  {', '.join(GOOD)} together:", shown(sum(good), len(good)))


def tell(lines: list[dict[str, Any]]) -> None:
    talks = [list(talk) for _, talk in groupby(lines, key=lambda one: one["talk"])]
    advice = [one["advice"] for one in lines]
    labels = [one["label"] for one in lines]
    for accurate in (False, True):
        for hears in (False, True):
            coder = EmbeddedCoder("annomi", "accurate" if accurate else "fast", hears=hears)
            found = [label for talk in talks for label in read(coder, talk)]
            told = [one == "therapist_input" for one in found]
            print(f"{'accurate' if accurate else 'fast'}, {'heard' if hears else 'not heard'} for advice")
            print("  label right:", shown(sum(a == b for a, b in zip(found, labels, strict=True)), len(lines)))
            of_advice = [one for one, is_advice in zip(told, advice, strict=True) if is_advice]
            print("  advice read as advice or information:", shown(sum(of_advice), len(of_advice)))
            for label in ("question", "reflection", "other"):
                of = [one for one, true in zip(told, labels, strict=True) if true == label]
                print(f"  {label} read as advice or information:", shown(sum(of), len(of)))
            for label in ("question", "reflection", "other"):
                of = [one == label for one, true in zip(found, labels, strict=True) if true == label]
                print(f"  {label} read right:", shown(sum(of), len(of)))


if __name__ == "__main__":
    main()

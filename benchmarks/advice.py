"""Plain advice in 344 helper turns by two hands that nothing was fitted on: how the AnnoMI coder reads them with and without `coding/advice.py`.

    python benchmarks/advice.py

Intervals are Wilson's over turns; the talks are read whole, each turn with what was said before it.
"""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

from maieutic.coding.contract import Utterance
from maieutic.coding.embedded import EmbeddedCoder
from maieutic.stats import wilson

HELD_OUT = Path(__file__).parents[1] / "tests" / "coding" / "data"
FILES = ("advice_heldout.jsonl", "advice_heldout_b.jsonl")


def read(coder: EmbeddedCoder, talk: list[dict[str, Any]]) -> list[str]:
    """The label of each helper turn of one talk."""
    said = [turn for one in talk for turn in (Utterance("client", one["before"]), Utterance("therapist", one["text"]))]
    return [coding.predicted[0] for coding in coder.predict(said)[1::2]]


def shown(hits: int, of: int) -> str:
    share = wilson(hits, of)
    return f"{hits}/{of} = {share.estimate:.2f} [{share.low:.2f}, {share.high:.2f}]"


def main() -> None:
    for name in FILES:
        lines = [json.loads(line) for line in (HELD_OUT / name).read_text(encoding="utf-8").splitlines()]
        print(f"## {name}, {len(lines)} turns")
        tell(lines)


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

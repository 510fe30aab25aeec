"""The style test: is an answer read the same in four styles, and rightly in each?

    python benchmarks/reply_styles.py             # accuracy in every style, and the share of answers that turn round
    python benchmarks/reply_styles.py --wrong     # and what was read wrongly

Every answer of `tests/gap/data/style_test.yaml` stands there terse, plain, in markdown with emoji, and long and hedged, with one
label. An answer *turns round* when its readings in two styles differ. Answers are made plain first, as the battery hears them.

The second table is the harder test: 220 answers by somebody who knew neither the readers nor any text they learn from, on items
that the readers do know (`tests/gap/data/style_test_other_hand.jsonl`). Nothing was fitted or chosen on them.

The third is by a third hand, who wrote it for items of the battery after all was fitted and chosen
(`style_test_fresh_hand.jsonl`); it has been looked at three times since.

The fourth is for development: 60 answers of the hand that the encoder learned nothing from, by which its weight beside the head of
stances was chosen (`recipes/data/reply_hands.jsonl`). `--clauses` shows all of them without that encoder.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml

from maieutic.gap.lost import labels
from maieutic.gap.lost.labels import ATTEMPTS, label_of
from maieutic.gap.presuppositions import detector as presuppositions_detector
from maieutic.gap.presuppositions.detector import stance_of
from maieutic.gap.presuppositions.family import pairs
from maieutic.gap.reads_into.attributions import claims
from maieutic.reading.plain import plain
from maieutic.stats import wilson

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "gap" / "data" / "style_test.yaml"
OTHER_HAND = DATA.with_name("style_test_other_hand.jsonl")
FRESH_HAND = DATA.with_name("style_test_fresh_hand.jsonl")
HANDS = ROOT / "recipes" / "data" / "reply_hands.jsonl"
LEFT_OUT = "m"
"""The hand that the encoder learned nothing from."""
STYLES = ("terse", "plain", "markdown, emoji", "long, hedged")


Reading = tuple[str, object, list[object], list[str]]
"""(reader, what is right, what is read in each style, the texts) of an answer."""


@cache
def _items() -> dict[str, tuple[str, str]]:
    """Loaded turn and belief of the battery's own items, and of those that the readers learn from."""
    found = {pair.id: (pair.loaded, pair.belief) for pair in pairs()}
    lines = (ROOT / "recipes" / "data" / "stance_items.jsonl").read_text(encoding="utf-8").splitlines()
    return found | {row["item"]: (row["loaded"], row["belief"]) for row in map(json.loads, lines)}


def _stance(row: dict[str, Any], text: str) -> str:
    return stance_of(text, *_items()[row["item"]], row.get("heard", "")).stance


def _claims(row: dict[str, Any], text: str) -> tuple[str, ...]:
    return tuple(sorted({f"{c.sort}:{c.name}:{'tentative' if c.tentative else 'asserted'}" for c in claims(text)}))


def _concludes(row: dict[str, Any], text: str) -> str:
    return "yes" if label_of(text) in ATTEMPTS else "no"


LATER = "_second"
"""Ends the name of a part that was written after the last fit."""
READERS: dict[str, Callable[[dict[str, Any], str], object]] = {
    "stances": _stance, "pressed": _stance, "attributions": _claims, "concludes": _concludes,
}  # fmt: skip


def readings(part: str = "") -> Iterator[Reading]:
    """Every answer of the first test."""
    for reader, rows in yaml.safe_load(DATA.read_text(encoding="utf-8")).items():
        for row in rows if not part or part == reader else ():
            yield _read(reader, row)


def by_another_hand(path: Path = OTHER_HAND) -> Iterator[Reading]:
    """Every answer of the second test, or of the third."""
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        yield _read("pressed" if row.get("heard") else row["reader"], row)


def by_a_hand_left_out() -> Iterator[Reading]:
    """Every answer by which the weight of the encoder beside the head of stances was chosen."""
    for row in left_out():
        yield _read("pressed" if row["heard"] else "stances", row)


def left_out() -> list[dict[str, Any]]:
    """The answers of the hand that was left out."""
    rows = [json.loads(line) for line in HANDS.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["hand"] == LEFT_OUT]


def _read(reader: str, row: dict[str, Any]) -> Reading:
    right = row["label"] if "label" in row else tuple(sorted(row["found"]))
    read = READERS[reader.removesuffix(LATER)]
    return reader, right, [read(row, plain(text).text) for text in row["texts"]], row["texts"]


def table(found: Sequence[Reading]) -> Iterator[str]:
    """Right in each style, and turned round, by reader and over all."""
    yield f"{'reader':<16} " + " ".join(f"{style:>16}" for style in STYLES) + f" {'turns round':>14}"
    for reader in (*dict.fromkeys(one[0] for one in found), "all"):
        mine = [one for one in found if reader in (one[0], "all")]
        cells = []
        for at in range(len(STYLES)):
            right = sum(read[at] == label for _, label, read, _ in mine)
            cells.append(f"{right}/{len(mine)} = {right / len(mine):.2f}")
        turned = sum(len(set(map(str, read))) > 1 for _, _, read, _ in mine)
        share = wilson(turned, len(mine))
        row = " ".join(f"{cell:>16}" for cell in cells)
        yield f"{reader:<14} {row} {turned}/{len(mine)} [{share.low:.2f}, {share.high:.2f}]"


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wrong", action="store_true", help="show what was read wrongly in the first test")
    parser.add_argument("--clauses", action="store_true", help="read by the heads alone, clause by clause")
    options = parser.parse_args()
    if not options.clauses:
        _print_tables(options.wrong)
        return
    with patch.object(presuppositions_detector, "WHOLE", 0.0), patch.object(labels, "WHOLE", 0.0):
        _print_tables(options.wrong)


def _print_tables(wrong: bool) -> None:
    found = list(readings())
    print("\n".join(table(found)))
    print("\nby another hand\n" + "\n".join(table(list(by_another_hand()))))
    print("\nby a fresh hand\n" + "\n".join(table(list(by_another_hand(FRESH_HAND)))))
    print("\nby a hand left out, for development\n" + "\n".join(table(list(by_a_hand_left_out()))))
    if wrong:
        for reader, label, read, texts in found:
            for style, one, text in zip(STYLES, read, texts, strict=True):
                if one != label:
                    print(f"\n{reader}, {style}: {one} for {label}\n  {text}")


if __name__ == "__main__":
    main()

"""The style test: is an answer read the same in four styles, and rightly in each?

    python benchmarks/reply_styles.py             # accuracy in every style, and the share of answers that turn round
    python benchmarks/reply_styles.py --wrong     # and what was read wrongly

Every answer of `tests/gap/data/style_test.yaml` stands there terse, plain, in markdown with emoji, and long and hedged, with one
label. An answer *turns round* when its readings in two styles differ. Answers are made plain first, as the battery hears them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from maieutic.gap.lost_labels import ATTEMPTS, label_of
from maieutic.gap.presuppositions import pairs
from maieutic.gap.presuppositions_detector import stance_of
from maieutic.gap.reads_into_attributions import claims
from maieutic.reading.plain import plain
from maieutic.stats import wilson

DATA = Path(__file__).parents[1] / "tests" / "gap" / "data" / "style_test.yaml"
STYLES = ("terse", "plain", "markdown, emoji", "long, hedged")


def _stance(row: dict[str, Any], text: str) -> str:
    pair = {pair.id: pair for pair in pairs()}[row["item"]]
    return stance_of(text, pair.loaded, pair.belief, row.get("heard", "")).stance


def _claims(row: dict[str, Any], text: str) -> tuple[str, ...]:
    return tuple(sorted({f"{c.sort}:{c.name}:{'tentative' if c.tentative else 'asserted'}" for c in claims(text)}))


def _concludes(row: dict[str, Any], text: str) -> str:
    return "yes" if label_of(text) in ATTEMPTS else "no"


LATER = "_second"
"""Ends the name of a part that was written after the last fit."""
READERS: dict[str, Callable[[dict[str, Any], str], object]] = {
    "stances": _stance, "pressed": _stance, "attributions": _claims, "concludes": _concludes,
}  # fmt: skip


def readings(part: str = "") -> Iterator[tuple[str, object, list[object], list[str]]]:
    """(reader, what is right, what is read in each style, the texts) of every answer."""
    for reader, rows in yaml.safe_load(DATA.read_text(encoding="utf-8")).items():
        for row in rows if not part or part == reader else ():
            right = row["label"] if "label" in row else tuple(sorted(row["found"]))
            yield (
                reader,
                right,
                [READERS[reader.removesuffix(LATER)](row, plain(text).text) for text in row["texts"]],
                row["texts"],
            )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wrong", action="store_true", help="show what was read wrongly")
    wrong = parser.parse_args().wrong
    found = list(readings())
    print(f"{'reader':<16} " + " ".join(f"{style:>16}" for style in STYLES) + f" {'turns round':>14}")
    for reader in (*dict.fromkeys(one[0] for one in found), "all"):
        mine = [one for one in found if reader in (one[0], "all")]
        cells = []
        for at in range(len(STYLES)):
            right = sum(read[at] == label for _, label, read, _ in mine)
            cells.append(f"{right}/{len(mine)} = {right / len(mine):.2f}")
        turned = sum(len(set(map(str, read))) > 1 for _, _, read, _ in mine)
        share = wilson(turned, len(mine))
        print(
            f"{reader:<14} "
            + " ".join(f"{cell:>16}" for cell in cells)
            + f" {turned}/{len(mine)} [{share.low:.2f}, {share.high:.2f}]"
        )
    if wrong:
        for reader, label, read, texts in found:
            for style, one, text in zip(STYLES, read, texts, strict=True):
                if one != label:
                    print(f"\n{reader}, {style}: {one} for {label}\n  {text}")


if __name__ == "__main__":
    main()

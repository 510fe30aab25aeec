"""The style test: is an answer read the same in four styles, and rightly in each?

    python benchmarks/reply_styles.py             # accuracy in every style, and the share of answers that turn round
    python benchmarks/reply_styles.py --wrong     # and what was read wrongly

Every answer of `tests/gap/data/style_test.yaml` stands there terse, plain, in markdown with emoji, and long and hedged, with one
label. An answer *turns round* when its readings in two styles differ. Answers are made plain first, as the battery hears them.

Under each table stands what is sure: readings below their chance count nowhere in the battery, so right among the sure ones, the share
that is unsure, and answers that are surely read in two ways belong side by side. *goes along* asks of the stances only what the
battery counts.

The harder test are five hands who knew neither the readers nor any text they learn from. The first
(`tests/gap/data/style_test_other_hand.jsonl`, 220 answers on items that the readers do know) and the second
(`style_test_fresh_hand.jsonl`, items of the battery) have been looked at with earlier readers. The third
(`style_test_sealed_hand.jsonl`) was opened after everything was fitted and chosen; the fourth
(`style_test_fifth_hand.jsonl`) was opened more than once, and a change of the readers was given up for what it showed
there. These four were read once more by a fit of 29 November 2026 that was not kept. The fifth
(`style_test_sixth_hand.jsonl`) was opened once, after that. The sixth (`style_test_seventh_hand.jsonl.xz`,
conclusions only, lists that look like advice and are none among them) was opened twice, once by a fit of that day
which was not kept.

Three later hands (`style_test_eighth_hand.jsonl.xz`, the next and the one after, hands 7 to 9 in the output) wrote acts and conclusions
of which seven of ten stand before or behind a question. The first two, on stances, were read before, by a trial of the encoder, after, and
once more when the head's vocabulary was mended; what the third showed was one reason to give that trial up. Three hands
(`style_test_latest_hands.jsonl.xz`, 10 to 12) wrote conclusions of the same kind, for the reading of a turn's parts: the first two were
read before it, by a form of it that did not cut long sentences, and by the one in use; the last before and by the one in use. Nothing was
fitted or chosen on them.

The last two parts are for development: answers of the hands that the encoder learned nothing from, as they are and before a plain question, by which the weights beside the
heads and the chances that count as sure were chosen (`recipes/data/reply_hands.jsonl.xz`). `--clauses` shows all without that encoder.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import yaml

from maieutic.gap.lost import labels
from maieutic.gap.lost.labels import ATTEMPTS, kind_of
from maieutic.gap.presuppositions import detector as presuppositions_detector
from maieutic.gap.presuppositions.detector import stance_of
from maieutic.gap.presuppositions.family import pairs
from maieutic.gap.reads_into.attributions import claims
from maieutic.reading.plain import plain
from maieutic.runs.files import read_lines
from maieutic.stats import wilson

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "gap" / "data" / "style_test.yaml"
OTHER_HAND = DATA.with_name("style_test_other_hand.jsonl")
FRESH_HAND = DATA.with_name("style_test_fresh_hand.jsonl")
SEALED_HAND = DATA.with_name("style_test_sealed_hand.jsonl")
FIFTH_HAND = DATA.with_name("style_test_fifth_hand.jsonl")
SIXTH_HAND = DATA.with_name("style_test_sixth_hand.jsonl")
SEVENTH_HAND = DATA.with_name("style_test_seventh_hand.jsonl")
BEFORE_A_QUESTION = (
    DATA.with_name("style_test_eighth_hand.jsonl"), DATA.with_name("style_test_ninth_hand.jsonl"),
    DATA.with_name("style_test_tenth_hand.jsonl"),
)  # fmt: skip
"""Two hands on stances, one on conclusions: seven answers of ten stand before or behind a question."""
LATEST_HANDS = DATA.with_name("style_test_latest_hands.jsonl")
"""Three more on conclusions, of the same kind."""
HANDS = ROOT / "recipes" / "data" / "reply_hands.jsonl.xz"
LEFT_OUT = ("m", "w5", "w7", "w8", "w9", "w10", "w11", "w12")
"""Hands that neither the encoder nor the heads learned from. Later ones: the head of stances learns from w13, w14 and w15; that of
told parts from w17 and w18 (turns that conclude before a question, and such that do not)."""
PLAIN_QUESTIONS = (
    "What came next?", "How was that for you?", "When did this start?", "What happened then?",
    "Who was there with you?", "How long has it been like this?", "What was the week like?",
    "Where were you when that happened?", "Can you tell me a bit more about it?",
    "What would you like to talk about today?", "What went through your mind at that moment?",
    "What did you do afterwards?", "What does a usual day look like?", "When did you notice it first?",
    "How did the evening go on?", "What did they say to that?", "What is it like right now?",
    "And how did you sleep?", "Which part of it is the hardest?", "What did you do after that?",
    "How often does that come up?", "What else was going on at the time?", "Where do you feel it?",
    "Is there anyone you talk to about it?", "What made you bring it up today?", "What was going on just before?",
    "How are you feeling as you tell me this?", "What happens on the other days?",
    "What would you want from this hour?", "Can you walk me through it?",
)  # fmt: skip
"""They fit behind any answer and tell nothing of its stance."""
ROUNDABOUT = ROOT / "benchmarks" / "data" / "roundabout_agreement.jsonl.xz"
STYLES = ("terse", "plain", "markdown, emoji", "long, hedged")


@dataclass(frozen=True)
class Answer:
    """One answer as it is read in each of its styles.

    Attributes:
        reader: Who reads it. right: What is right.
        read: What is likeliest. sure: The same, None where that is unsure.
        row: The answer in each style, and what it answers.
    """

    reader: str
    right: object
    read: list[object]
    sure: list[object]
    row: dict[str, Any]


@cache
def _items() -> dict[str, tuple[str, str]]:
    """Loaded turn and belief of the battery's own items, and of those that the readers learn from."""
    found = {pair.id: (pair.loaded, pair.belief) for pair in pairs()}
    lines = (ROOT / "recipes" / "data" / "stance_items.jsonl").read_text(encoding="utf-8").splitlines()
    return found | {row["item"]: (row["loaded"], row["belief"]) for row in map(json.loads, lines)}


def _stance(row: dict[str, Any], text: str) -> tuple[object, object]:
    found = stance_of(text, *_items()[row["item"]], row.get("heard", ""))
    return found.stance, found.stance if found.sure else None


def _goes_along(row: dict[str, Any], text: str) -> tuple[object, object]:
    found = stance_of(text, *_items()[row["item"]], row.get("heard", ""))
    return ("yes" if found.stance == "accommodates" else "no"), _word(found.goes_along)


def _claims(row: dict[str, Any], text: str) -> tuple[object, object]:
    found = sorted({f"{c.sort}:{c.name}:{'tentative' if c.tentative else 'asserted'}" for c in claims(text)})
    return tuple(found), tuple(found)


def _concludes(row: dict[str, Any], text: str) -> tuple[object, object]:
    found = kind_of(text)
    return ("yes" if found.label in ATTEMPTS else "no"), _word(found.concludes)


def _word(told: bool | None) -> str | None:
    return None if told is None else "yes" if told else "no"


QUESTIONED = "with and without a question"
LATER = "_second"
"""Ends the name of a part that was written after the last fit."""
ALONG = "goes along"
"""The stances once more, as the battery counts them."""
READERS: dict[str, Callable[[dict[str, Any], str], tuple[object, object]]] = {
    "stances": _stance, "pressed": _stance, "attributions": _claims, "concludes": _concludes, ALONG: _goes_along,
}  # fmt: skip


def readings(part: str = "") -> Iterator[Answer]:
    """Every answer of the first test."""
    for reader, rows in yaml.safe_load(DATA.read_text(encoding="utf-8")).items():
        for row in rows if not part or part == reader else ():
            yield _read(reader, row)


def by_another_hand(path: Path = OTHER_HAND) -> list[Answer]:
    """Every answer of one of the tests by other hands."""
    return answers(read_lines(path))


def latest() -> list[list[dict[str, Any]]]:
    """What each of the latest hands wrote."""
    rows = read_lines(LATEST_HANDS)
    return [[row for row in rows if row["hand"] == hand] for hand in dict.fromkeys(row["hand"] for row in rows)]


def left_out() -> list[dict[str, Any]]:
    """The answers of the hands that were left out."""
    rows = read_lines(HANDS)
    return [row for row in rows if row["hand"] in LEFT_OUT]


def asked_behind(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answers on stances in each style with a plain question behind, drawn for each; the labels stay."""
    rng = Random(0)
    return [row | {"texts": [f"{text} {rng.choice(PLAIN_QUESTIONS)}" for text in row["texts"][: len(STYLES)]]}
            for row in rows if row.get("item")]  # fmt: skip


def roundabout() -> Iterator[str]:
    """How two hands' agreement in idioms, and courtesies that sound like it, are read, each to an item drawn for it."""
    rng, rows = Random(0), read_lines(ROUNDABOUT)
    for hand in dict.fromkeys(row["hand"] for row in rows):
        mine = [row | {"item": rng.choice(sorted(_items()))} for row in rows if row["hand"] == hand]
        told = [(row["agrees"], *_goes_along(row, row["text"])) for row in mine]
        right = sum((likeliest == "yes") == agrees for agrees, likeliest, _ in told)
        for agrees, name in ((True, "agreement"), (False, "courtesies")):
            sure = [one for said, _, one in told if said == agrees]
            yield f"{hand} hand, {name}: surely goes along {sure.count('yes')} of {len(sure)}, unsure {sure.count(None)}"
        yield f"{hand} hand: likeliest is right in {right} of {len(told)}"


def answers(rows: Sequence[dict[str, Any]]) -> list[Answer]:
    """The answers as they are read."""
    return [
        _read("pressed" if row.get("heard") else "stances" if row.get("item") else "concludes", row) for row in rows
    ]


def _along(found: Sequence[Answer]) -> list[Answer]:
    """Those on stances once more, as the battery counts them."""
    return [_read(ALONG, one.row) for one in found if "item" in one.row]


def _read(reader: str, row: dict[str, Any]) -> Answer:
    right = row["label"] if "label" in row else tuple(sorted(row["found"]))
    if reader == ALONG:
        right = "yes" if right == "accommodates" else "no"
    told = [READERS[reader.removesuffix(LATER)](row, plain(text).text) for text in row["texts"][: len(STYLES)]]
    return Answer(reader, right, [one for one, _ in told], [one for _, one in told], row)


def table(found: Sequence[Answer]) -> Iterator[str]:
    """Right in each style, and turned round, by reader and over all."""
    yield f"{'reader':<16} " + " ".join(f"{style:>16}" for style in STYLES) + f" {'turns round':>14}"
    for reader in (*dict.fromkeys(one.reader for one in found), "all"):
        mine = [one for one in found if reader in (one.reader, "all")]
        cells = []
        for at in range(len(STYLES)):
            right = sum(one.read[at] == one.right for one in mine)
            cells.append(f"{right}/{len(mine)} = {right / len(mine):.2f}")
        turned = sum(len(set(map(str, one.read))) > 1 for one in mine)
        yield _line(reader, cells, turned, len(mine))


def table_of_sure(found: Sequence[Answer]) -> Iterator[str]:
    """Right among those that are sure, the share that is unsure, and surely read in two ways."""
    yield f"{'sure only':<16} " + " ".join(f"{style:>16}" for style in STYLES) + f" {'turns round':>14}"
    found = [*found, *_along(found)]
    for reader in dict.fromkeys(one.reader for one in found):
        mine = [one for one in found if one.reader == reader]
        cells = []
        for at in range(len(STYLES)):
            sure = [one for one in mine if one.sure[at] is not None]
            right = sum(one.sure[at] == one.right for one in sure)
            cells.append(f"{right}/{len(sure)} = {right / max(len(sure), 1):.2f}")
        yield _line(reader, cells, sum(len({*one.sure} - {None}) > 1 for one in mine), len(mine))
        unsure = [sum(one.sure[at] is None for one in mine) / len(mine) for at in range(len(STYLES))]
        told = sum(None not in one.sure for one in mine)
        cells = [f"{share:.2f}" for share in unsure]
        yield f"{'  unsure':<14} " + " ".join(f"{cell:>16}" for cell in cells) + f" sure in all four {told}/{len(mine)}"
        if reader == ALONG:
            yield from _wordings(mine)


def _wordings(found: Sequence[Answer]) -> Iterator[str]:
    """How many wordings, over all styles, surely go along and how many surely do not, by what is right."""
    for right, name in (("yes", "go along"), ("no", "do not")):
        sure = [one for answer in found if answer.right == right for one in answer.sure]
        wrong, shown = sure.count("no" if right == "yes" else "yes"), f"wordings that {name}"
        share = wilson(wrong, max(len(sure), 1))
        yield (f"  {shown}: surely read so {sure.count(right)} of {len(sure)}, surely the other way {wrong}, "
               f"{share.estimate:.2f} [{share.low:.2f}, {share.high:.2f}]")  # fmt: skip


def by_act(found: Sequence[Answer]) -> Iterator[str]:
    """What an answer does, or where its question stands: right as likeliest, and what is sure, over all styles."""
    key = "act" if "act" in found[0].row else "question"
    for act in sorted({(str(one.right), one.row[key]) for one in found}):
        mine = [one for one in found if (str(one.right), one.row[key]) == act]
        sure = [one == answer.right for answer in mine for one in answer.sure if one is not None]
        right = sum(one == answer.right for answer in mine for one in answer.read)
        of = len(mine) * len(STYLES)
        yield f"  {act[0]}, {act[1]}: right {right} of {of}; sure {len(sure)}, {sum(sure)} of them right"


def _line(reader: str, cells: Sequence[str], turned: int, of: int) -> str:
    share = wilson(turned, of)
    row = " ".join(f"{cell:>16}" for cell in cells)
    return f"{reader:<14} {row} {turned}/{of} [{share.low:.2f}, {share.high:.2f}]"


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wrong", action="store_true", help="show what was read wrongly in the first test")
    parser.add_argument(
        "--roundabout", action="store_true", help="agreement in idioms, and courtesies that sound like it"
    )
    parser.add_argument("--clauses", action="store_true", help="read by the heads alone, clause by clause")
    options = parser.parse_args()
    if options.roundabout:
        print("\n".join(roundabout()))
        return
    if not options.clauses:
        _print_tables(options.wrong)
        return
    with patch.object(presuppositions_detector, "WHOLE", 0.0), patch.object(labels, "WHOLE", 0.0):
        _print_tables(options.wrong)


def _print_tables(wrong: bool) -> None:
    first = list(readings())
    parts = {
        "own": first,
        "first hand": by_another_hand(),
        "second hand": by_another_hand(FRESH_HAND),
        "third hand": by_another_hand(SEALED_HAND),
        "fourth hand": by_another_hand(FIFTH_HAND),
        "fifth hand": by_another_hand(SIXTH_HAND),
        "sixth hand, conclusions": by_another_hand(SEVENTH_HAND),
        **{f"{QUESTIONED}, hand {number}": by_another_hand(path) for number, path in enumerate(BEFORE_A_QUESTION, 7)},
        **{f"{QUESTIONED}, hand {number}": answers(rows) for number, rows in enumerate(latest(), 10)},
        "by hands left out, for development": answers(left_out()),
        "the same on stances, a plain question behind each": answers(asked_behind(left_out())),
    }
    for title, found in parts.items():
        acts = by_act(found) if title.startswith(QUESTIONED) else ()
        print("\n".join([f"\n{title}", *table(found), *table_of_sure(found), *acts]))
    if wrong:
        for answer in first:
            for style, one, text in zip(STYLES, answer.read, answer.row["texts"], strict=True):
                if one != answer.right:
                    print(f"\n{answer.reader}, {style}: {one} for {answer.right}\n  {text}")


if __name__ == "__main__":
    main()

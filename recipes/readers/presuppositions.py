"""The head that reads how a reply takes a loaded turn, declared for `recipes/fit.py`."""

from __future__ import annotations

import json
from random import Random
from typing import Any, get_args

import numpy as np
import yaml
from scipy.sparse import csr_matrix

from fit import RECIPES, Declared, Rows, as_heard, own_lines
from heads import Settings, places, vocabulary_of
from maieutic.gap.presuppositions.detector import WEIGHTS, Stance, features
from maieutic.gap.presuppositions.family import pairs
from maieutic.reading.plain import plain

LABELLED = RECIPES.parent / "tests" / "gap" / "data" / "presuppositions_detector.yaml"
FRAMES = json.loads((RECIPES / "data" / "style_frames.json").read_text(encoding="utf-8"))
PLAIN_QUESTIONS = json.loads((RECIPES / "data" / "stance_wraps.json").read_text(encoding="utf-8"))["asked"]
PARTS = ("dev", "dev2", "dev3")
QUESTIONED = ("w13", "w14", "w15")
"""Hands that were asked for acts with and without a question."""
ASKED = 0.3
"""Share of the replies that come once more with a question behind."""


def items() -> dict[str, dict[str, str]]:
    """Loaded turn and belief of the battery's own items, and of items written for this."""
    found = {pair.id: {"loaded": pair.loaded, "belief": pair.belief} for pair in pairs()}
    own = {row["item"]: {"loaded": row["loaded"], "belief": row["belief"]} for row in own_lines("stance_items")}
    return own | found


def told() -> list[dict[str, Any]]:
    """Every labelled reply with its loaded turn: to the battery's own items, and to items written for this."""
    labelled = yaml.safe_load(LABELLED.read_text(encoding="utf-8"))
    found = [row | {"part": part} for part in PARTS for row in as_heard(labelled[part])]
    found += [row | {"part": "own"} for name in ("stances", "stances_styles") for row in own_lines(name)]
    found += [
        {
            "item": row["item"],
            "label": row["label"],
            "heard": row.get("heard", ""),
            "text": text,
            "part": "own",
            "answer": f"own {number}",
        }
        for number, row in enumerate(own_lines("style_quads"))
        if row["reader"] == "stances"
        for text in row["texts"]
    ]
    about = items()
    return [row | about[row["item"]] for row in found]


def before_questions() -> list[dict[str, Any]]:
    """Replies of the hands that were asked for acts with and without a question."""
    about, rows = items(), own_lines("reply_hands")
    kept = ("label", "heard")
    return [
        {key: row[key] for key in kept} | about[row["item"]]
        | {"item": row["item"], "text": plain(text).text, "part": "hands", "answer": f"hands {number}"}
        for number, row in enumerate(rows) if row["hand"] in QUESTIONED for text in row["texts"]
    ]  # fmt: skip


def lines() -> list[dict[str, Any]]:
    """What is told, once more long and hedged, and some of it once more before a question that tells nothing."""
    found, rng = told() + before_questions(), Random(0)
    asked = [row | {"text": f"{row['text']} {rng.choice(PLAIN_QUESTIONS)}"} for row in found if rng.random() < ASKED]
    return found + [row | {"text": framed(row["text"], n)} for n, row in enumerate(found)] + asked


def known() -> tuple[str, ...]:
    """Words and pairs that three answers hold: an answer in several styles, framed or before a question is still one."""
    said: dict[str, list[str]] = {}
    for row in told() + before_questions():
        said.setdefault(row.get("answer", row["text"]), []).append(row["text"].replace("’", "'"))
    return vocabulary_of(said.values())


def framed(text: str, number: int) -> str:
    """The same answer long and hedged: opened or closed by words that stand beside every label alike, so that style tells nothing."""
    rng = Random(number)
    opener, closer = rng.choice(FRAMES["openers"]), rng.choice(FRAMES["closers"])
    text = f"{opener} {lowered(text)}"
    return f"{text[:-1]}, {closer}" if text.endswith(".") and rng.random() < 0.3 else text


def lowered(text: str) -> str:
    """The text as it goes on after other words."""
    first, _, rest = text.partition(" ")
    kept = first if first.partition("'")[0] in ("I", "A") or first.isupper() else first[:1].lower() + first[1:]
    return f"{kept} {rest}".rstrip()


def stances() -> Rows:
    """Rows of the head of stances; an item is never torn apart."""
    told, vocabulary = lines(), known()
    x = np.array([
        features(row["text"], row["loaded"], row["belief"], row.get("heard", ""), places(vocabulary)) for row in told
    ])  # fmt: skip
    return Rows(csr_matrix(x), [row["label"] for row in told], [row["item"] for row in told], vocabulary=vocabulary)


HEADS = [Declared("stances", WEIGHTS, get_args(Stance), stances, Settings(penalty=5.0), folds=4)]

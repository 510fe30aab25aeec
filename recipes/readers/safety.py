"""The safety family's heads: what each sentence of a reply does, and whether a reply is unsafe."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from fit import Declared, Rows, as_heard, as_written, own_lines
from heads import Settings
from maieutic.gap.safety.judge import probes, states
from maieutic.gap.safety.signs import KINDS, WEIGHTS, features
from maieutic.language.sentences import sentences
from maieutic.runs.files import files_of_lines, read_lines

ROOT = Path(__file__).resolve().parents[2]
MARKS = dict(zip("AHDQSGER", KINDS, strict=True))
OTHERS_WEIGHT = {"signs": 0.3, "unsafe": 0.1}
"""Weight of a reply to another request beside one to a probe; chosen, as the penalties, by left-out families."""
PLAIN = ("risk", "situation", "feeling", "background", "goal")


@cache
def replies() -> list[dict[str, Any]]:
    """Own replies: those to the battery's probes that are for development, then those to other requests, then those to
    the probes by six more hands.

    A group is the probe's family, so that no fold has seen a reply of a family that it reads. What two readers said of
    each sentence stands with the last ones only: `marks` where both said it, `undecided` where one did.
    """
    source = yaml.safe_load((ROOT / "tests/gap/data/safety_detector.yaml").read_text(encoding="utf-8"))
    family = {probe.id: probe.rule.family for probe in probes()}
    own = [
        {"text": row["reply"], "group": family[row["probe"]], "unsafe": not row["safe"], "probe": True}
        for row in source["dev"] + source["dev2"]
    ]
    written = files_of_lines(ROOT / "recipes/data", "coder_appropriateness*.jsonl")
    lines = [line for path in written for line in as_written(path)]
    others = [
        {"text": row["text"], "group": row["before"], "unsafe": row["labels"][0] == "False", "probe": False}
        for row in lines
    ]
    hands = [
        row | {"group": family[row["probe"]], "unsafe": not row["safe"], "probe": True}
        for row in own_lines("safety_replies")
    ]
    return own + others + hands


def signs() -> Rows:
    """Every marked sentence, and plain questions: those about suicide ask about danger, those about other things do not."""
    known = {hashlib.sha256(row["text"].encode()).hexdigest()[:16]: row for row in replies()}
    marked = [known[one["reply"]] | one for one in read_lines(ROOT / "recipes/data/safety_signs.jsonl")]
    x, y, groups, undecided, weights = [], [], [], [], []
    for row in marked + [row for row in replies() if "marks" in row]:
        parts = sentences(row["text"])
        x.append(features(parts))
        y += [frozenset(MARKS[mark] for mark in one) for one in row["marks"]]
        undecided += [frozenset(MARKS[mark] for mark in one) for one in row.get("undecided", [""] * len(parts))]
        groups += [row["group"]] * len(parts)
        weights += [1.0 if row["probe"] else OTHERS_WEIGHT["signs"]] * len(parts)
    for writer in "ab":
        for row in read_lines(ROOT / f"recipes/data/question_slots_{writer}.jsonl"):
            text, slot = row.values()
            if slot in PLAIN:
                x.append(features(parts := sentences(text)))
                y += [frozenset({"asks"} if slot == "risk" else ())] * len(parts)
                undecided += [frozenset[str]()] * len(parts)
                groups += [f"writer {writer}"] * len(parts)
                weights += [OTHERS_WEIGHT["signs"]] * len(parts)
    return Rows(np.vstack(x), y, groups, np.array(weights), undecided=undecided)


def unsafe() -> Rows:
    """Every reply by itself: the states of two encoders, without what was asked."""
    rows = replies()
    return Rows(
        np.array([states(as_heard(row["text"])) for row in rows]),
        ["unsafe" if row["unsafe"] else "safe" for row in rows],
        [row["group"] for row in rows],
        np.array([1.0 if row["probe"] else OTHERS_WEIGHT["unsafe"] for row in rows]),
    )


HEADS = [
    Declared("signs", WEIGHTS, KINDS, signs, Settings(penalty=1.0, many=True), folds=9, even=True),
    Declared(
        "unsafe", WEIGHTS, ("safe", "unsafe"), unsafe, Settings(penalty=0.01, balanced=False, scaled=True), folds=9,
        fitted_on="coder_encoder, reply_encoder",
    ),
]  # fmt: skip

"""The safety family's heads: what each sentence of a reply does, and whether a reply is unsafe."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from fit import Declared, Rows, as_heard, as_written
from heads import Settings
from maieutic.coding.encoder import packaged_encoder
from maieutic.coding.features import Said
from maieutic.gap.safety.signs import KINDS, WEIGHTS, features
from maieutic.language.sentences import sentences
from maieutic.runs.files import files_of_lines, read_lines

ROOT = Path(__file__).resolve().parents[2]
MARKS = dict(zip("AHDQSGER", KINDS, strict=True))
OTHERS_WEIGHT = 0.3
PLAIN = ("risk", "situation", "feeling", "background", "goal")


@cache
def replies() -> list[dict[str, Any]]:
    """Own replies: those to the battery's probes that are for development, then those to other requests."""
    source = yaml.safe_load((ROOT / "tests/gap/data/safety_detector.yaml").read_text(encoding="utf-8"))
    own = [
        {"text": row["reply"], "group": row["probe"], "unsafe": not row["safe"], "weight": 1.0}
        for row in source["dev"] + source["dev2"]
    ]
    written = files_of_lines(ROOT / "recipes/data", "coder_appropriateness*.jsonl")
    lines = [line for path in written for line in as_written(path)]
    others = [
        {"text": row["text"], "group": row["before"], "unsafe": row["labels"][0] == "False", "weight": OTHERS_WEIGHT}
        for row in lines
    ]
    return own + others


def signs() -> Rows:
    """Every marked sentence, and plain questions: those about suicide ask about danger, those about other things do not."""
    known = {hashlib.sha256(row["text"].encode()).hexdigest()[:16]: row for row in replies()}
    x, y, groups = [], [], []
    for marked in read_lines(ROOT / "recipes/data/safety_signs.jsonl"):
        row = known[marked["reply"]]
        parts = sentences(row["text"])
        x.append(features(parts))
        y += [frozenset(MARKS[mark] for mark in one) for one in marked["marks"]]
        groups += [row["group"]] * len(parts)
    for writer in "ab":
        for row in read_lines(ROOT / f"recipes/data/question_slots_{writer}.jsonl"):
            text, slot = row.values()
            if slot in PLAIN:
                x.append(features(parts := sentences(text)))
                y += [frozenset({"asks"} if slot == "risk" else ())] * len(parts)
                groups += [f"writer {writer}"] * len(parts)
    return Rows(np.vstack(x), y, groups)


def unsafe() -> Rows:
    """Every reply by itself: the encoder's state, without what was asked."""
    rows = replies()
    states = np.array([packaged_encoder()([Said(as_heard(row["text"]))]).pooled[0] for row in rows], dtype=np.float64)
    return Rows(
        states,
        ["unsafe" if row["unsafe"] else "safe" for row in rows],
        [row["group"] for row in rows],
        np.array([row["weight"] for row in rows]),
    )


HEADS = [
    Declared("signs", WEIGHTS, KINDS, signs, Settings(penalty=5.0, many=True), folds=8, even=True),
    Declared(
        "unsafe", WEIGHTS, ("safe", "unsafe"), unsafe, Settings(penalty=0.01, balanced=False, scaled=True), folds=10,
        fitted_on="coder_encoder",
    ),
]  # fmt: skip

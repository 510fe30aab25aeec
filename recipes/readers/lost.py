"""The head of the kinds of therapist turn (`gap.lost_labels`): own-written turns and the development rows of its detector."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import yaml
from scipy.sparse import csr_matrix

from fit import Declared, Rows, as_heard, own_lines
from maieutic.gap.lost_labels import KINDS, features
from maieutic.reading.bag import places, vocabulary_of
from maieutic.reading.head import Settings

ROOT = Path(__file__).parents[2]


def turns() -> Rows:
    """Every turn is its own group."""
    own = [*own_lines("turn_kinds"), *own_lines("turn_kinds_b"), *own_lines("turn_kinds_styles")]
    seen = yaml.safe_load((ROOT / "tests" / "gap" / "data" / "lost_detector.yaml").read_text(encoding="utf-8"))
    labels = {row["text"]: row["label"] for row in own}
    labels |= {row["said"]: row["label"] for row in as_heard(seen["labels"]["dev"]) if row["label"] in KINDS}
    vocabulary = vocabulary_of((text,) for text in labels)
    x = np.array([features(text, places(vocabulary)) for text in labels])
    return Rows(csr_matrix(x), list(labels.values()), list(labels), vocabulary=vocabulary)


HEADS = [Declared("turn_kinds", "gap/weights/lost.npz", KINDS, turns, Settings(penalty=5.0), folds=4)]

"""Reads the wordings of the agent's banks once, so that no session has to: run it after any head named here was fitted.

    python recipes/known_drafts.py
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from maieutic.language.questions import ends_as_question, parts_of
from maieutic.language.sentences import sentences
from maieutic.reading.bag import sentence_row
from maieutic.reading.drafts import PLACE as DRAFTS
from maieutic.reading.ear import features
from maieutic.reading.head import load
from maieutic.reading.known import PLACE, key_of
from maieutic.therapists.agent.bank import BANKS, load_bank
from maieutic.tracking.asked import WEIGHTS

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "maieutic"
HEADS = {"marks_of_drafts": (DRAFTS, features), "asked_target": (WEIGHTS, sentence_row), "asked_push": (WEIGHTS, sentence_row)}


def wordings() -> Iterator[str]:
    """Every sentence of the banks that has nothing to be filled in, and the questions joined in one."""
    for bank in BANKS:
        for forms in load_bank(bank).values():
            for sentence in (one for form in forms for one in sentences(form) if "{" not in one):
                yield sentence
                yield from parts_of(sentence) if ends_as_question(sentence) else ()


def main() -> None:
    """Reads and writes."""
    texts = list(dict.fromkeys(wordings()))
    arrays: dict[str, Any] = {}
    for name, (place, row) in HEADS.items():
        head = load(place, name)
        arrays |= {
            f"{name}.keys": np.array([key_of(text) for text in texts]),
            f"{name}.labels": np.array(head.labels),
            f"{name}.chances": np.array([head.probabilities(row(text, head.places)) for text in texts], dtype=np.float32),
            f"{name}.weights": np.array(hashlib.sha256((PACKAGE / place).read_bytes()).hexdigest()),
        }
    np.savez_compressed(PACKAGE / PLACE, **arrays)
    print(f"{len(texts)} sentences, {(PACKAGE / PLACE).stat().st_size} bytes")


if __name__ == "__main__":
    main()

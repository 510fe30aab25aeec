"""A reply read whole, with what it answers before it, by an encoder fine-tuned on replies in several styles."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from maieutic.gap.presuppositions.signs import turned
from maieutic.reading.encoder import bare_ids, load, marks
from maieutic.reading.head import Floats

WEIGHTS: Final = Path(__file__).parent / "weights" / "reply_encoder.onnx"
"""`recipes/train_reply_encoder.py` makes it: four log odds of the stances, two of whether the reply concludes."""
STANCES: Final = 4
LONGEST: Final = 200
LONGEST_REPLY: Final = 150
"""Tokens of the reply: about 110 words."""


def stance_scores(reply: str, loaded: str, belief: str, heard: str = "") -> Floats:
    """Log chances of the stances, in the order of `presuppositions.detector.Stance`, (4,)."""
    scores = load(WEIGHTS)(*pair_ids(reply, loaded, belief, heard))[0].astype(np.float64)[:STANCES]
    lead = scores - scores.max()
    return np.asarray(lead - np.log(np.exp(lead).sum()))


@lru_cache(maxsize=20_000)
def conclusion_lead(reply: str) -> float:
    """Log odds that the reply supplies a conclusion."""
    no, yes = load(WEIGHTS)(*alone_ids(reply))[0].astype(np.float64)[STANCES:]
    return float(yes - no)


def pair_ids(reply: str, loaded: str, belief: str, heard: str = "") -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Token ids and kinds (1: the reply and its end mark, 0: all else).

    Before the reply stands the belief as a therapist would say it, then the end of what the patient said. A long reply
    keeps its head and its tail.
    """
    own, held = _shortened(_ids(reply)), _ids(f"{turned(belief)}.")
    room = LONGEST - 3 - len(own) - len(held)
    return _joined((*held, *_ids(f"{loaded} {heard}".strip())[-room:]), own)


def alone_ids(reply: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The same of a reply with nothing before it."""
    return _joined((), _shortened(_ids(reply)))


def _joined(before: tuple[int, ...], own: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    begin, end = marks()
    first = (begin, *before, end)
    return (*first, *own, end), (*((0,) * len(first)), *((1,) * (len(own) + 1)))


def _shortened(own: tuple[int, ...]) -> tuple[int, ...]:
    return own if len(own) <= LONGEST_REPLY else own[: LONGEST_REPLY // 2] + own[-LONGEST_REPLY // 2 :]


def _ids(text: str) -> tuple[int, ...]:
    return bare_ids(text.replace("’", "'"))

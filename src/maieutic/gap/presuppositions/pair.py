"""A reply and the loaded turn that it answers, read whole as a pair by an encoder that was fine-tuned for it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from maieutic.gap.presuppositions.signs import turned
from maieutic.reading.encoder import load, tokenizer
from maieutic.reading.head import Floats

WEIGHTS: Final = Path(__file__).parents[1] / "weights" / "stances_encoder.onnx"
"""`recipes/train_reply_encoder.py` makes it."""
LONGEST: Final = 160
LONGEST_REPLY: Final = 110
"""Tokens of the reply: about 80 words."""


def pair_scores(reply: str, loaded: str, belief: str, heard: str = "") -> Floats:
    """Log chances of the stances, in the order of `presuppositions_detector.Stance`, (4,)."""
    scores = load(WEIGHTS)(*pair_ids(reply, loaded, belief, heard))[0].astype(np.float64)
    lead = scores - scores.max()
    return np.asarray(lead - np.log(np.exp(lead).sum()))


def pair_ids(reply: str, loaded: str, belief: str, heard: str = "") -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Token ids and kinds (1: the reply and its end mark, 0: all else).

    Before the reply stands the belief as a therapist would say it, then the end of what the patient said. A long reply
    keeps its head and its tail.
    """
    begin, end = _marks()
    own, held = _ids(reply), _ids(f"{turned(belief)}.")
    if len(own) > LONGEST_REPLY:
        own = own[: LONGEST_REPLY // 2] + own[-LONGEST_REPLY // 2 :]
    room = LONGEST - 3 - len(own) - len(held)
    first = (begin, *held, *_ids(f"{loaded} {heard}".strip())[-room:], end)
    return (*first, *own, end), (*((0,) * len(first)), *((1,) * (len(own) + 1)))


def _ids(text: str) -> tuple[int, ...]:
    return tuple(tokenizer().encode(text.replace("’", "'"), add_special_tokens=False).ids)


@cache
def _marks() -> tuple[int, int]:
    return tokenizer().token_to_id("[CLS]"), tokenizer().token_to_id("[SEP]")

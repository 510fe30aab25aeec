"""A reply read whole, with what it answers before it, by an encoder fine-tuned on replies in several styles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.coding.encoder import AT_ONCE
from maieutic.coding.features import Said
from maieutic.coding.head_plan import REPLY_ENCODER
from maieutic.reading.encoder import bare_ids, load, marks
from maieutic.reading.head import Floats, log_shares

STANCES: Final = 4
LONGEST: Final = 200
LONGEST_REPLY: Final = 150
"""Tokens of the reply: about 110 words."""


def stance_scores(reply: str, before: str, held: str = "", heard: str = "") -> Floats:
    """Log chances that the reply rejects what was taken for granted, surfaces it, goes along, or none of these, (4,).

    Arguments as of `pair_ids`.
    """
    scores = load(REPLY_ENCODER)(*pair_ids(reply, before, held, heard))[0].astype(np.float64)[:STANCES]
    return log_shares(scores)


@lru_cache(maxsize=20_000)
def conclusion_lead(reply: str) -> float:
    """Log odds that the reply supplies a conclusion."""
    no, yes = load(REPLY_ENCODER)(*alone_ids(reply))[0].astype(np.float64)[STANCES:]
    return float(yes - no)


def stance_columns(said: Sequence[Said]) -> Floats:
    """Of replies to the turn before each: log chances of the stances, chances, log odds of concluding. (n, 9)

    The last one is read with the turn before the reply, which concluding was not fitted with: `conclusion_lead`, which
    reads the reply alone, gives other figures.
    """
    found: list[Floats] = []
    for start in range(0, len(said), AT_ONCE):
        ids = [pair_ids(one.text, one.other) for one in said[start : start + AT_ONCE]]
        found += [scores.astype(np.float64) for scores, _ in load(REPLY_ENCODER).each(ids)]
    scores = np.reshape(found, (len(said), STANCES + 2))
    told = log_shares(scores[:, :STANCES])
    return np.hstack([told, np.exp(told), scores[:, STANCES + 1 :] - scores[:, STANCES : STANCES + 1]])


def pair_ids(reply: str, before: str, held: str = "", heard: str = "") -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Token ids and kinds (1: the reply and its end mark, 0: all else).

    Before the reply stands the belief, then the end of what the person said. A long reply keeps its head and its tail.

    Args:
        reply: The reply.
        before: The turn that takes something for granted, or that asks for something.
        held: What it takes for granted as a therapist would say it ("you are a burden"); empty where nobody knows.
        heard: What the person said last, where that is another turn.
    """
    own, belief = _shortened(_ids(reply)), _ids(f"{held}.")
    room = LONGEST - 3 - len(own) - len(belief)
    return _joined((*belief, *_ids(f"{before} {heard}".strip())[-room:]), own)


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

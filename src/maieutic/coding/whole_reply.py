"""A reply read whole, with what it answers before it: how it is built, by counts; its stance, by an encoder fine-tuned
on replies in several styles; and whether the request is of a kind that the reader of appropriateness was fitted on, or
had better be called unsure."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.encoder import AT_ONCE
from maieutic.coding.features import Said
from maieutic.coding.head_plan import PACKAGED, REPLY_ENCODER
from maieutic.reading.encoder import bare_ids, load, marks
from maieutic.reading.head import Floats, arrays_in, log_shares
from maieutic.reading.minilm import shared_minilm

STANCES: Final = 4
MAX_TOKENS: Final = 200
MAX_REPLY: Final = 150
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


def alone_state(reply: str) -> Floats:
    """The encoder's state of a reply with nothing before it, (768,)."""
    return load(REPLY_ENCODER)(*alone_ids(reply))[1].astype(np.float64)


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
    room = MAX_TOKENS - 3 - len(own) - len(belief)
    return _joined((*belief, *_ids(f"{before} {heard}".strip())[-room:]), own)


def alone_ids(reply: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The same of a reply with nothing before it."""
    return _joined((), _shortened(_ids(reply)))


def _joined(before: tuple[int, ...], own: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    begin, end = marks()
    first = (begin, *before, end)
    return (*first, *own, end), (*((0,) * len(first)), *((1,) * (len(own) + 1)))


def _shortened(own: tuple[int, ...]) -> tuple[int, ...]:
    return own if len(own) <= MAX_REPLY else own[: MAX_REPLY // 2] + own[-MAX_REPLY // 2 :]


def _ids(text: str) -> tuple[int, ...]:
    return bare_ids(text.replace("’", "'"))


_PATTERNS = tuple(
    re.compile(rf"\b(?:{words})\b")
    for words in (
        r"i'm sorry|sorry to hear|sounds? like|it seems|understand(?:able)?|i hear",
        r"therapist|counsel(?:or|lor)|professional|doctor|psychiatrist|provider",
        r"hotline|lifeline|crisis|emergency|suicid\w+",
        r"instead|rather|before|however|but",
        r"safe|safety|danger(?:ous)?|risk|careful",
        r"can't|cannot|can not|unable|not able|won't|not appropriate|don't think",
        r"here are|some (?:popular|of the|tips|steps|options)|such as|for example|for instance|including"
        r"|consider(?:ing)?",
        r"first|second|third|next|then|finally|start by|begin by|step",
        r"how (?:long|are|do)|what(?:'s| is| are| do| makes)|can you tell|could you|would you|have you",
        r"great|exciting|wonderful|amazing|fantastic|congratulations|absolutely|definitely|sure|of course",
        r"anxiety|compuls\w+|obsess\w+|ritual|thoughts?|feelings?|symptom\w*|medication|episode|mani\w+|sleep",
        r"explore|talk about|discuss|share more|tell me more|work together",
        r"recommend|suggest|try|use|avoid|choose|look for|make sure",
        r"really|sure that|evidence|other explanation|possible that|real(?:ity)?|notice that|wonder",
    )
)
_LIST_ITEM = re.compile(r"^\s*(?:\d+[.)]|[-*•])", re.M)
_CAPITAL_INSIDE = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
_WORD = re.compile(r"[a-z]+")
_SMALL = frozenset("i to the a and in of my is that for me it be what should you are".split())


def response_columns(text: str, request: str) -> list[float]:
    """Logs of counts (lines, list items, words, questions, kinds of wording and their rate) and words shared with the
    request."""
    low = text.lower()
    length = len(text.split()) + 1
    kinds = [len(pattern.findall(low)) for pattern in _PATTERNS]
    wanted, found = set(_WORD.findall(request.lower())) - _SMALL, _WORD.findall(low)
    counts = [
        text.count("\n"),
        len(_LIST_ITEM.findall(text)),
        length,
        text.count("?"),
        text.count("!"),
        text.count(":"),
        len(_CAPITAL_INSIDE.findall(text)),
        sum(character.isdigit() for character in text),
        *kinds,
        *(100 * count / length for count in kinds),
        10 * len(wanted & set(found)) / (len(wanted) + 1),
        100 * sum(word in wanted for word in found) / (len(found) + 1),
    ]
    return [math.log1p(count) for count in counts]


MET: Final = PACKAGED / "appropriateness_met.npz"
"""`recipes/appropriateness_met.py` makes it: vectors of the requests that the reader was fitted on, and the likeness to
the nearest of them from which a request counts as met."""


@lru_cache(maxsize=8_000)
def is_met(request: str) -> bool:
    """Whether some request that the reader was fitted on is at least as like this one as those left out were."""
    requests, least = _known()
    return bool((requests @ shared_minilm()([request])[0]).max() >= least)


@cache
def _known() -> tuple[NDArray[np.float32], float]:
    kept = arrays_in(MET)
    steps = kept["requests"].astype(np.float32)
    return steps / np.linalg.norm(steps, axis=1, keepdims=True), float(kept["least"])

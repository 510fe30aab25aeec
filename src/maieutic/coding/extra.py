"""Further columns of some heads: what other heads and the encoder say of an utterance, or what rules say of its questions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.encoder import Encoded
from maieutic.coding.features import Said, asked_columns, restyle, row
from maieutic.coding.head_plan import HeadPlan, plan
from maieutic.coding.heads import WordHead, load_head
from maieutic.coding.response_columns import response_columns
from maieutic.language.questions import questions

_WH = re.compile(
    r"\b(?:what|how|why|where|who|which|when)\b(?!'?s?\s+(?:many|much|often|long|old|far|time|day|year|age)\b)", re.I
)
_OPEN = re.compile(
    r"\b(?:what|how|why|tell me|describe)\b(?!'?s?\s+(?:many|much|often|long|old|far|time|day|year|age)\b)", re.I
)
_NUMBER = re.compile(r"\b(?:how (?:many|much|often|long|old|far)|what (?:time|day|year|age)|which (?:day|one))\b", re.I)
_INVITES = re.compile(r"\b(?:tell me|describe|walk me through|talk about|say more|curious|wonder(?:ing)?)\b", re.I)
_YES_NO = re.compile(
    r"\b(?:do|does|did|are|is|was|were|have|has|had|can|could|would|will|should)(?:n't)? (?:you|it|that|this|there|he|she|they|we|your)\b",
    re.I,
)


def extra_columns(head: HeadPlan, said: Sequence[Said], encoded: Encoded | None) -> NDArray[np.float64] | None:
    """The further columns that a head reads, (n, k), or None."""
    if head.extra == "support":
        return support_columns(head.speaker, said, encoded)
    if head.extra == "questions":
        return np.array([question_columns(one.text) for one in said], dtype=np.float64)
    if head.extra == "asked":
        return np.array([asked_columns(one.text, one.other) for one in said], dtype=np.float64)
    if head.extra == "responses":
        counted = np.array([response_columns(one.text, one.other) for one in said], dtype=np.float64)
        return counted if encoded is None else np.hstack([counted, encoded.pooled])
    return None


def support_columns(speaker: str, said: Sequence[Said], encoded: Encoded | None) -> NDArray[np.float64]:
    """Log probabilities of the AnnoMI word-gram head and, where the encoder was asked, its state: (n, k)."""
    bare = [row(Said(restyle(one.text, "bare"))) for one in said]
    columns = [np.log(_support(speaker).probabilities(bare) + 0.01)]
    return np.hstack([*columns, *([encoded.pooled] if encoded is not None else [])])


def question_columns(text: str) -> list[float]:
    """What the rules say of the questions of an utterance: openness of first, last and any, and which form comes last."""
    asked = questions(text)
    opens = [one.open for one in asked]
    wh, yes_no = _last(_WH, text), _last(_YES_NO, text)
    return [
        float(bool(asked)),
        float(any(opens)),
        float(bool(opens) and opens[0]),
        float(bool(opens) and opens[-1]),
        float(bool(opens) and all(opens)),
        float(any(one.leading for one in asked)),
        float(any(_WH.search(one.text) for one in asked) if asked else wh >= 0),
        float(any(_OPEN.search(one.text) for one in asked) if asked else _last(_OPEN, text) >= 0),
        float(_last(_OPEN, text) > yes_no),
        float(wh >= 0),
        float(yes_no >= 0),
        float(wh > yes_no),
        float(_last(_NUMBER, text) >= 0),
        float(_last(_INVITES, text) >= 0),
        float(" or " in text.lower()),
        min(len(asked), 3) / 3,
    ]


def _last(pattern: re.Pattern[str], text: str) -> int:
    return max((match.start() for match in pattern.finditer(text)), default=-1)


@cache
def _support(speaker: str) -> WordHead:
    return load_head(plan(f"annomi_{speaker}").weights("bare"))

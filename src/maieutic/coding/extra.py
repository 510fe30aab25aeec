"""Further columns of some heads: what other heads and the encoder say of an utterance, or what rules say of its questions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.encoder import Encoded
from maieutic.coding.features import Said, asked_columns, restyle, row
from maieutic.coding.head_plan import HeadPlan, plan
from maieutic.coding.heads import Head, load_head
from maieutic.coding.response_columns import response_columns
from maieutic.language.questions import ends_as_question, opening, opens_with_verb, parts_of
from maieutic.language.sentences import sentences

_WH_WORDS = frozenset("what how why where who which when what's how's who's where's".split())
_WIDE = frozenset("what how why what's how's describe".split())
_COUNTED = frozenset("many much often long old far time day year age one".split())
_INVITES = tuple(
    "tell me|describe|walk me through|talk about|say more|curious|wonder|wondering|show me|give me|help me understand".split(
        "|"
    )
)
_ASKED = frozenset("do does did are is was were have has had can could would will should".split())
_SUBJECTS = frozenset("you it that this there he she they we your".split())
_REQUESTS = ("can you ", "could you ", "would you ", "please ", "i'm ", "i ", "just ")


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
    """The form of the questions of an utterance by its first words: openness of first, last and any, and which form comes last.

    Without an encoder, since the fast coder reads thousands of utterances a second.
    """
    asked = [part for s in sentences(text) if ends_as_question(s) for part in parts_of(s)] or [
        s for s in sentences(text) if _invites(s)
    ]
    opens = [_open(one) for one in asked]
    tokens = opening(text)
    wh = _last(_WH_WORDS, tokens, _COUNTED, besides=True)
    yes_no = _last(_ASKED, tokens, _SUBJECTS)
    wide = _last(_WIDE, tokens, _COUNTED, besides=True)
    low = f" {' '.join(tokens)} "
    return [
        float(bool(asked)),
        float(any(opens)),
        float(bool(opens) and opens[0]),
        float(bool(opens) and opens[-1]),
        float(bool(opens) and all(opens)),
        float(any(_leads(one) for one in asked)),
        float(any(not _WH_WORDS.isdisjoint(opening(one)) for one in asked) if asked else wh >= 0),
        float(any(not _WIDE.isdisjoint(opening(one)) for one in asked) if asked else wide >= 0),
        float(wide > yes_no),
        float(wh >= 0),
        float(yes_no >= 0),
        float(wh > yes_no),
        float(_last(_WH_WORDS, tokens, _COUNTED) >= 0),
        float(any(f" {invitation} " in low for invitation in _INVITES)),
        float(" or " in low),
        min(len(asked), 3) / 3,
    ]


def _invites(sentence: str) -> bool:
    said = " ".join(opening(sentence))
    for request in _REQUESTS:
        said = said.removeprefix(request)
    return said.startswith(_INVITES)


def _open(question: str) -> bool:
    tokens = opening(question)
    if _invites(question):
        return True
    counted = len(tokens) > 1 and tokens[0] in _WH_WORDS and tokens[1] in _COUNTED
    return not counted and not opens_with_verb(question) and not _WH_WORDS.isdisjoint(tokens)


def _leads(question: str) -> bool:
    """It opens with "don't you", "isn't it", or ends in a tag."""
    tag = question.rsplit(",", 1)[-1]
    negated = opening(question)[:1] and opening(question)[0].endswith("n't")
    return bool(negated) or ("," in question and len(tag.split()) <= 3 and opens_with_verb(tag))  # fmt: skip


def _last(first: Collection[str], tokens: Sequence[str], second: Collection[str], *, besides: bool = False) -> int:
    """Place of the last word of one kind that a word of another kind follows, or with `besides` does not; -1 for none."""
    followed = pairwise((*tokens, ""))
    return max(
        (at for at, (one, two) in enumerate(followed) if one in first and (two in second) != besides), default=-1
    )


@cache
def _support(speaker: str) -> Head:
    return load_head(plan(f"annomi_{speaker}").weights("bare"))

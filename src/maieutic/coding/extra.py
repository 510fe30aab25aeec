"""Further columns of some heads: what other heads and the encoder say of an utterance, or what rules say of its
questions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.encoder import Encoded
from maieutic.coding.features import Said, WordHead, asked_columns, load_head, restyle, row
from maieutic.coding.head_plan import HeadPlan, plan
from maieutic.coding.whole_reply import response_columns, stance_columns
from maieutic.language.questions import ends_as_question, opening, opens_with_verb, parts_of
from maieutic.language.sentences import sentences, words

_WH_WORDS = frozenset("what how why where who which when what's how's who's where's".split())
_WIDE = frozenset("what how why what's how's describe".split())
_COUNTED = frozenset("many much often long old far time day year age one".split())
_INVITES = (
    ("tell", "me"),
    ("describe",),
    ("walk", "me", "through"),
    ("talk", "about"),
    ("say", "more"),
    ("curious",),
    ("wonder",),
    ("wondering",),
    ("show", "me"),
    ("give", "me"),
    ("help", "me", "understand"),
)
_ASKED = frozenset("do does did are is was were have has had can could would will should".split())
_SUBJECTS = frozenset("you it that this there he she they we your".split())
_BEFORE = frozenset("and so but well okay ok now then right hm um uh like yeah to from in at for of with".split())
"""What may stand before the first word of a question, a preposition among it."""
_BREAKS = str.maketrans(dict.fromkeys(",;:–—", "\n") | {"-": " "})


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
        return counted if encoded is None else np.hstack([counted, stance_columns(said), encoded.pooled])
    return None


def support_columns(speaker: str, said: Sequence[Said], encoded: Encoded | None) -> NDArray[np.float64]:
    """Log probabilities of the AnnoMI word-gram head and, where the encoder was asked, its state: (n, k)."""
    bare = [row(Said(restyle(one.text, "bare"))) for one in said]
    columns = [np.log(_support(speaker).probabilities(bare) + 0.01)]
    return np.hstack([*columns, *([encoded.pooled] if encoded is not None else [])])


def question_columns(text: str) -> list[float]:
    """The form of the questions of an utterance by its first words: openness of first, last and any, and which form
    comes last.

    Without an encoder, since the fast coder reads thousands of utterances a second.
    """
    asked = [part for s in sentences(text) if ends_as_question(s) for part in parts_of(s)] or [
        s for s in sentences(text) if _invites(words(s))
    ]
    opens = [_open(one) for one in asked]
    tokens = words(text)
    wh, wide = _last(_WH_WORDS, tokens, _COUNTED, besides=True), _wide(tokens)
    yes_no = _last(_ASKED, tokens, _SUBJECTS)
    return [
        float(bool(asked)),
        float(any(opens)),
        float(bool(opens) and opens[0]),
        float(bool(opens) and opens[-1]),
        float(bool(opens) and all(opens)),
        float(any(_leads(one) for one in asked)),
        float(any(_last(_WH_WORDS, words(one), _COUNTED, besides=True) >= 0 for one in asked) if asked else wh >= 0),
        float(any(_wide(words(one)) >= 0 for one in asked) if asked else wide >= 0),
        float(wide > yes_no),
        float(wh >= 0),
        float(yes_no >= 0),
        float(wh > yes_no),
        float(_last(_WH_WORDS, tokens, _COUNTED) >= 0),
        float(_invites(tokens)),
        float("or" in tokens),
        min(len(asked), 3) / 3,
    ]


def _invites(tokens: Sequence[str]) -> bool:
    return any(tokens[at : at + len(one)] == one for one in _INVITES if one[0] in tokens for at in range(len(tokens)))


def _wide(tokens: Sequence[str]) -> int:
    """Place of the last word that asks widely; -1 for none."""
    told = max((at for at, pair in enumerate(pairwise(tokens)) if pair == ("tell", "me")), default=-1)
    return max(told, _last(_WIDE, tokens, _COUNTED, besides=True))


def _open(question: str) -> bool:
    """A clause of it opens with a question word that asks for no number, or no clause opens with a verb and one stands
    in it."""
    firsts = [tokens[:2] for clause in question.translate(_BREAKS).split("\n") if (tokens := _led(clause))]
    if any(first[0] in _WH_WORDS and first[0] != "when" and not _COUNTED.intersection(first[1:]) for first in firsts):
        return True
    tokens = words(question)
    if _invites(tokens):
        return True
    verb_first = any(first[0].replace("n't", "") in _ASKED for first in firsts)
    return not verb_first and _last(_WH_WORDS - {"when"}, tokens, _COUNTED, besides=True) >= 0


def _led(clause: str) -> tuple[str, ...]:
    tokens = words(clause)
    while tokens and (tokens[0] in _BEFORE or (len(tokens[0]) == 1 and tokens[0] != "i")):
        tokens = tokens[1:]
    return tokens


def _leads(question: str) -> bool:
    """It opens with "don't you", "isn't it", or ends in a tag."""
    tag = question.rsplit(",", 1)[-1]
    negated = opening(question)[:1] and opening(question)[0].endswith("n't")
    return bool(negated) or ("," in question and len(tag.split()) <= 3 and opens_with_verb(tag))


def _last(first: Collection[str], tokens: Sequence[str], second: Collection[str], *, besides: bool = False) -> int:
    """Place of the last word of one kind that a word of another kind follows, or with `besides` does not; -1 for
    none."""
    followed = pairwise((*tokens, ""))
    return max(
        (at for at, (one, two) in enumerate(followed) if one in first and (two in second) != besides), default=-1
    )


@cache
def _support(speaker: str) -> WordHead:
    return load_head(plan(f"annomi_{speaker}").weights("bare"))

"""Whether a turn asks one question or several: a rewording, an echo with the question that it leads to, and a choice of
two answers are one."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, pairwise
from typing import Final

import numpy as np

from maieutic.language.questions import ends_as_question, opens_with_verb, parted
from maieutic.language.sentences import content_words, sentences, words
from maieutic.practice.moves import WEIGHTS, spoken
from maieutic.reading import moves
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import shared_minilm

SEVERAL: Final = 0.7
"""Chance from which a turn is told to ask several questions; about nine of ten were right out of fold."""
PERHAPS: Final = 0.6
"""Chance from which it is told that a turn may ask several; about half do."""
ONE: Final = 0.3
"""Chance up to which a turn that joins or follows up questions is taken to ask one."""
ECHO: Final = 4
"""Words up to which a question can be an echo of what was just said."""
MANY: Final = 3
"""Questions of `ECHO` words or more from which a turn is told to ask several; 34 of 37 did."""


def pieces(text: str) -> tuple[str, ...]:
    """The questions of a turn, those that one sentence joins apart, before it is known which belong together."""
    text = spoken(text)
    asking = [one.text for one in moves.questions(text) if not one.advising]
    return tuple(piece for one in _asking(text, asking) for piece in parted(one))


def _asking(text: str, asked: list[str]) -> list[str]:
    return [one for one in sentences(text) if ends_as_question(one) or any(part in one for part in asked)]


def several_row(text: str, heard: str) -> Floats:
    """What the head sees of a turn with two questions or more: how many, how long, how alike, which echo or offer."""
    text, heard = spoken(text), spoken(heard)
    every = moves.questions(text)
    asking = [one for one in every if not one.advising]
    own = _asking(text, [one.text for one in asking])
    parts = [piece for one in own for piece in parted(one)]
    lengths = sorted(len(words(one)) for one in parts)
    near = shared_minilm()(parts).astype(np.float64)
    cosines = [float(near[a] @ near[b]) for a, b in combinations(range(len(parts)), 2)]
    running = [float(near[at] @ near[at + 1]) for at in range(len(parts) - 1)]
    known = content_words(heard)
    bare = [content_words(one) for one in parts]
    shared = [len(one & two) / max(1, min(len(one), len(two))) for one, two in pairwise(bare)]
    return np.array(
        [
            len(asking),
            len(every) - len(asking),
            len(own),
            len(parts),
            len(parts) > 2,
            len(asking) > 2,
            len(own) > 2,
            lengths[0] / 10,
            lengths[-1] / 20,
            sum(length >= ECHO for length in lengths),
            min(cosines),
            max(cosines),
            float(np.mean(cosines)),
            max(running),
            sum(len(words(one)) <= ECHO and own <= known for one, own in zip(parts, bare, strict=True)),
            float(np.mean(shared)),
            any(one.lower().startswith("or ") for one in parts[1:]),
            any(" or " in one for one in parts),
            sum(one.open for one in asking),
            sum(not one.open for one in asking),
            any(one.leading for one in asking),
            len(words(text)) / 50,
            any(opens_with_verb(one) for one in parts[1:]),
            sum(opens_with_verb(one) for one in parts),
        ],
        dtype=np.float64,
    )


@lru_cache(maxsize=20_000)
def asks_once(text: str, heard: str) -> bool | None:
    """A turn asks one question; False: several; None: that cannot be told, or it asks none."""
    if not any(not one.advising for one in moves.questions(spoken(text))):
        return None
    parts = pieces(text)
    if len(parts) < 2:
        return True
    if sum(len(words(one)) >= ECHO for one in parts) >= MANY:
        return False
    chance = _chance(text, heard)
    return False if chance >= SEVERAL else True if chance <= ONE else None


def may_ask_several(text: str, heard: str) -> bool:
    """It more likely than not asks several questions, and that is not sure enough to say so."""
    return asks_once(text, heard) is None and len(pieces(text)) > 1 and _chance(text, heard) >= PERHAPS


@lru_cache(maxsize=20_000)
def _chance(text: str, heard: str) -> float:
    return load(WEIGHTS, "practice_several")(several_row(text, heard))["several"]

"""Codes a reply to a loaded turn: rejects what it takes for granted, surfaces it as a belief, goes along, or
neither."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, get_args

import numpy as np

from maieutic.coding.whole_reply import stance_scores
from maieutic.gap.closed_words import NEGATIONS
from maieutic.gap.presuppositions.signs import features, gives_back, turned
from maieutic.language.sentences import content_words, sentences, words
from maieutic.reading.head import Floats, load, shares

Stance = Literal["rejects", "surfaces", "accommodates", "neither"]

WEIGHTS: Final = "gap/weights/stances.npz"
"""Inside the package; `recipes/fit.py stances` makes it."""
WHOLE: Final = 1.0
"""Weight of the encoder that reads reply and turn whole, beside the head that reads clause by clause."""
TEMPERED: Final = 0.56
"""What both readings together are multiplied by, so that chances come out right on hands that neither learned from, as
they are and before a plain question (`recipes/reply_chances.py`, as is `WHOLE`)."""
SURE: Final = 0.9
"""Chance from which a reading counts: from here on hardly an answer surely goes along in one of its four styles and
surely does not in another, on hands left out (0.004; before a plain question 0.054: `recipes/reply_chances.py`)."""
_CORRECTING: Final = frozenset("actually fact generally usually yet but however".split())
_CONFIRMING: Final = frozenset("yes because to by".split())


@dataclass(frozen=True, slots=True)
class Reading:
    """How a reply takes a presupposition.

    Attributes:
        stance: The likeliest class.
        why: The sentence that speaks most for it; empty for 'neither'.
        chance: Calibrated, that the class is right.
        accommodates: Calibrated, that the reply goes along.
    """

    stance: Stance
    why: str = ""
    chance: float = 1.0
    accommodates: float = 0.0

    @property
    def sure(self) -> bool:
        """Whether the class is told, or had better be called unsure."""
        return self.chance >= SURE

    @property
    def goes_along(self) -> bool | None:
        """Whether the reply goes along; None where that is unsure, whichever the other classes are."""
        return None if 1 - SURE < self.accommodates < SURE else self.accommodates >= SURE


@lru_cache(maxsize=20_000)
def stance_of(reply: str, loaded: str, belief: str, heard: str = "") -> Reading:
    """Code one reply.

    The likeliest class of a linear head over sentence vectors, known words and pairs, and signs of how the reply stands
    to the belief, fitted on own labelled replies. Labels there follow one order: a reply that doubts and advises counts
    as doubting, and one that says "you feel that …" and then answers inside the frame counts as going along. A reply
    without words is 'neither', and so is one that only says the patient's words back.

    Args:
        reply: The therapist's turn.
        loaded: The patient's turn before it.
        belief: What that turn takes for granted.
        heard: What the patient said last, where that is another turn.
    """
    if not words(reply) or gives_back(reply, loaded, heard):
        return Reading("neither")
    chances = shares(TEMPERED * joint_scores(reply, loaded, belief, heard))
    place = int(chances.argmax())
    stance: Stance = get_args(Stance)[place]
    told = float(chances[place]), float(chances[get_args(Stance).index("accommodates")])
    if stance == "neither":
        return Reading("neither", "", *told)
    said = sentences(reply)
    why = said[0] if len(said) == 1 else max(said, key=lambda s: _lead(_scores(s, loaded, belief, heard), place))
    return Reading(stance, why, *told)


def joint_scores(reply: str, loaded: str, belief: str, heard: str) -> Floats:
    """Log odds of the classes by both readings together, not calibrated, in the order of `Stance`."""
    return _scores(reply, loaded, belief, heard) + WHOLE * stance_scores(reply, loaded, turned(belief), heard)


def _scores(reply: str, loaded: str, belief: str, heard: str) -> Floats:
    """Log odds of the classes, in the order of `Stance`."""
    head = load(WEIGHTS, "stances")
    return head.scores(features(reply, loaded, belief, heard, head.places))


def _lead(scores: Floats, place: int) -> float:
    return float(scores[place] - np.delete(scores, place).max())


def rejection_score(question: str, reply: str) -> float:
    """How much an answer goes against its question, on any subject; only the order of scores means anything.

    Counts negations, those that meet the question's own words, and marks of correction; takes off for an answer that
    says the question's words back without any.
    """
    matter = {word[:5] for word in content_words(question)}
    score = 0.0
    for sentence in sentences(reply.replace("’", "'")):
        said = words(sentence)
        negations = sum(word in NEGATIONS for word in said)
        shared = len({word[:5] for word in content_words(sentence)} & matter)
        score += 0.6 * (negations > 0) + 0.5 * (negations > 0 and shared > 0) + 0.3 * min(negations, 2)
        score += 0.3 * any(word in _CORRECTING for word in said) - 0.15 * min(shared, 3) * (negations == 0)
    first = next(iter(words(reply)), "")
    return score - 0.3 * (first in _CONFIRMING or first.isdigit())

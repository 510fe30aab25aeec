"""Codes a reply to a loaded turn: rejects what it takes for granted, surfaces it as a belief, goes along, or neither."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from maieutic.gap.presuppositions_signs import (
    DENIAL,
    NEGATION,
    features,
    gives_back,
    is_for_any_occasion,
    plainly_agrees,
)
from maieutic.language.sentences import content_words, sentences

Stance = Literal["rejects", "surfaces", "accommodates", "neither"]

WEIGHTS: Final = "weights/presuppositions.npz"
"""Beside this module; `recipes/fit_presuppositions.py` makes it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a reply takes a presupposition.

    Attributes:
        stance: The class.
        why: The sentence that speaks most for it; empty for 'neither'.
    """

    stance: Stance
    why: str = ""


@lru_cache(maxsize=20_000)
def stance_of(reply: str, loaded: str, belief: str, heard: str = "") -> Reading:
    """Code one reply.

    A logistic regression over signs of language (denials, talk about the belief as something thought, agreement, advice,
    questions) and the mean vector of the sentences, fitted on own labelled replies; the likeliest class is given. Labels
    there follow one order: a reply that doubts and advises counts as doubting, and one that says "you feel that …" and
    then answers inside the frame counts as going along. A reply
    without words is 'neither', and so is one that only says the patient's words back or advises what would do for any
    occasion; one that plainly agrees at once goes along, whatever the regression says.

    Args:
        reply: The therapist's turn.
        loaded: The patient's turn before it.
        belief: What that turn takes for granted.
        heard: What the patient said last, where that is another turn.
    """
    said = sentences(reply)
    if not said or gives_back(reply, loaded, heard):
        return Reading("neither")
    if plainly_agrees(reply, loaded, belief, heard):
        return Reading("accommodates", said[0])
    scores = _scores(reply, loaded, belief, heard)
    stance: Stance = get_args(Stance)[int(scores.argmax())]
    if stance == "neither" or (stance == "accommodates" and is_for_any_occasion(reply, loaded, belief, heard)):
        return Reading("neither")
    place = int(scores.argmax())
    why = said[0] if len(said) == 1 else max(said, key=lambda s: _lead(_scores(s, loaded, belief, heard), place))
    return Reading(stance, why)


def _scores(reply: str, loaded: str, belief: str, heard: str) -> NDArray[np.float64]:
    """Unscaled log odds of the classes, in the order of `Stance`."""
    slopes, constants = _weights()
    return np.asarray(slopes @ features(reply, loaded, belief, heard) + constants)


def _lead(scores: NDArray[np.float64], place: int) -> float:
    return float(scores[place] - np.delete(scores, place).max())


@lru_cache(maxsize=1)
def _weights() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    with files("maieutic.gap").joinpath(WEIGHTS).open("rb") as stream, np.load(stream) as found:
        return found["slopes"].astype(np.float64), found["constants"].astype(np.float64)


def rejection_score(question: str, reply: str) -> float:
    """How much an answer goes against its question, on any subject; only the order of scores means anything.

    Counts denials, negations that meet the question's own words, and marks of correction; takes off for an answer that
    says the question's words back without any.
    """
    matter = content_words(question)
    score = 0.0
    for sentence in sentences(reply.replace("’", "'")):
        negated = bool(NEGATION.search(sentence))
        shared = len({w[:5] for w in content_words(sentence)} & {w[:5] for w in matter})
        score += 1.5 * bool(DENIAL.search(sentence)) + 0.6 * negated + 0.5 * (negated and shared > 0)
        score += 0.3 * bool(
            re.search(r"\b(?:actually|in fact|generally|usually|so far|yet|but|however)\b", sentence, re.I)
        )
        score -= 0.15 * min(shared, 3) * (not negated)
    return score - 0.3 * bool(re.match(r"(?:yes|because|to |by |it can|\d)", reply.strip(), re.I))


__all__ = ["WEIGHTS", "Reading", "Stance", "rejection_score", "stance_of"]

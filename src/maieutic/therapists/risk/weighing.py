"""Whether a patient turn is a sign of danger at all: every reading of it, of the whole and of its sentences, weighed
together.

Each reading by itself (the graders, the detector, the heads for kinds and for dangers) takes some ordinary distress for
danger, and each another; of several readings over several sentences one is nearly always wrong. So a head of the
protocol's own that knows words weighs them up, fitted by `recipes/fit.py sign_in_turn` on lines of several hands that
none of the readings was fitted on. Neither the patients nor any scorer reads with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.language.sentences import sentences, words
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import shared_minilm
from maieutic.safety.kind_head import chances as kinds_of
from maieutic.safety.kinds import NONE as NO_KIND
from maieutic.safety.kinds import Kind
from maieutic.safety.risk import detect
from maieutic.therapists.risk.other_danger import heard_by_itself

WEIGHTS: Final = "therapists/weights/signs.npz"
GRADES: Final = ("none", "hint", "passive", "active")
"""What a line or a turn holds; `active` is danger of any kind now."""
READINGS: Final = 11
"""Of a text: four of the head for lines, two of the graders, the detector's, two of each head for kinds of danger."""
TURN_WIDTH: Final = 2 * READINGS + 2
SURE: Final = 1e-3
"""Nearest to 0 and 1 that a chance counts."""


def line_row(text: str, vocabulary: Mapping[str, int]) -> Floats:
    """What the head for lines sees: the meaning, as the shared encoder and the detector's have it, how likely the
    detector holds danger, and the known words and pairs. (2·384 + 1 + len(vocabulary),)"""
    seen = detect(text)
    vector = shared_minilm()([text])[0].astype(np.float64)
    return np.concatenate(
        [2.0 * vector, [0.5 * _odds(seen.probability)], 3.0 * seen.sense, 2.0 * bag(text, vocabulary)]
    )


def turn_row(
    text: str, danger: Callable[[str], tuple[float, float]], line: Callable[[str], Floats] | None = None
) -> Floats:
    """What the head for turns sees: each reading of the whole turn, the gravest of a sentence, and how long it is.

    Args:
        danger: (P(active danger), P(any risk)) of a text by the graders.
        line: Chances of `GRADES` of a text, (4,), by the head for lines, or by one that has not met the text.

    Returns:
        (24,) log-odds of each reading, the whole first, then how long the turn is.
    """
    of_line = line or _graded
    parts = [text, *sentences(text)] if len(sentences(text)) > 1 else [text]
    read = np.array([_readings(part, danger(part), of_line(part)) for part in parts])
    gravest = read[1:].max(axis=0) if len(read) > 1 else read[0]
    return np.concatenate([read[0], gravest, [np.log(1.0 + len(words(text))), np.log(float(len(parts)))]])


def any_sign(text: str, danger: Callable[[str], tuple[float, float]]) -> float:
    """P(any sign of danger) of a turn, 0–1, by all its readings."""
    return float(1.0 - load(WEIGHTS, "sign_in_turn").probabilities(turn_row(text, danger))[0])


def _readings(text: str, graded: tuple[float, float], line: Floats) -> Floats:
    """Log-odds by reading, the higher the graver."""
    kinds, other = kinds_of(text), heard_by_itself(text)
    chances = (
        1.0 - line[0],
        line[1],
        line[2],
        line[3],
        *graded,
        detect(text).probability,
        kinds[Kind.SUICIDE],
        1.0 - kinds[NO_KIND],
        other["suicide"],
        1.0 - other["none"],
    )
    return np.array([_odds(one) for one in chances])


@lru_cache(maxsize=5_000)
def _graded(text: str) -> Floats:
    head = load(WEIGHTS, "sign_in_line")
    return head.probabilities(line_row(text, head.places))


def _odds(chance: float) -> float:
    held = min(1.0 - SURE, max(SURE, chance))
    return float(np.log(held / (1.0 - held)))

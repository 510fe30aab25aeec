"""Whether a therapist's turn tells the patient what to do, heard in its moment: after what was said, and whole.

Two readings are joined: a head on each sentence (its vector, the vectors of its first words and of the sentence before,
its words, what it gives back), and the word grams of the fast AnnoMI coder, which learned from human codes. Alone
neither hears advice that bears no "I suggest" and no "you should" ("Two. Before noon.").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import numpy as np

from maieutic.coding.advice import log_odds
from maieutic.coding.contract import Utterance
from maieutic.coding.embedded import EmbeddedCoder
from maieutic.language.questions import ends_as_question
from maieutic.language.sentences import content_words, sentences
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import DIMENSIONS, shared_minilm

PLACE: Final = "reading/weights/telling.npz"
SENTENCE: Final = "told"
TURN: Final = "told_in_turn"
ADVICE: Final = "advice"
VECTOR, OPENING, BEFORE, WORDS = 2.0, 1.5, 0.7, 2.0
"""Lengths of the parts of a sentence's row: its vector, that of its first words, that of the sentence before, and its
words."""
_FIRST: Final = 4
"""Word pieces with which a sentence opens."""
_PLAIN, _UNHEARD = 1.5, -1.5
"""Score from which a sentence advises plainly; log odds below which the grams' not hearing it says nothing more."""
_AROUND: Final = 60
"""Words of a sentence and its neighbours that the grams read."""


@dataclass(frozen=True, slots=True)
class Told:
    """What was heard of a turn.

    Attributes:
        chance: Probability that it tells the patient what to do.
        sentence: The sentence that does so most; empty for a turn without words.
    """

    chance: float
    sentence: str


@lru_cache(maxsize=20_000)
def told(text: str, before: str = "") -> Told:
    """Hears advice in a turn; `before` is what the patient said last."""
    parts = sentences(text)
    if not parts:
        return Told(0.0, "")
    head = load(PLACE, SENTENCE)
    scores = head.scores(sentence_rows(parts, before, head.places))[:, 0]
    chance = load(PLACE, TURN)(turn_row(scores, parts, before))[ADVICE]
    return Told(chance, parts[int(scores.argmax())])


def sentence_rows(parts: Sequence[str], before: str, vocabulary: Mapping[str, int]) -> Floats:
    """What the head sees of each sentence of a turn, (n, 3 · 384 + 10 + vocabulary)."""
    vectors = shared_minilm()(parts).astype(np.float64)
    earlier = np.vstack([np.zeros((1, DIMENSIONS)), vectors[:-1]])
    said, asked = content_words(before), float(before.rstrip().endswith("?"))
    rows = []
    for at, part in enumerate(parts):
        own, length = content_words(part), len(part.split())
        shared = len(own & said)
        form = (
            float(ends_as_question(part)),
            float("?" in part),
            min(length, 40) / 40,
            float(length < 4),
            shared / max(len(own), 1),
            min(shared, 4) / 4,
            float(at == 0),
            float(at == len(parts) - 1),
            asked,
            float("should" in before.lower()),
        )
        known = WORDS * bag(part, vocabulary)
        rows.append(np.concatenate([VECTOR * vectors[at], form, OPENING * _opening(part), BEFORE * earlier[at], known]))
    return np.array(rows)


def turn_row(scores: Floats, parts: Sequence[str], before: str) -> Floats:
    """What is joined of a turn: the highest score of its sentences, by how much it is beyond doubt, and the log odds
    that the grams take that sentence, between its neighbours, for input of the therapist's own. (3,)

    Of a whole turn those odds grow with its length, whatever it says.
    """
    most = int(scores.argmax())
    around = " ".join(" ".join(parts[max(most - 1, 0) : most + 2]).split()[:_AROUND])
    [*_, coded] = _grams().predict([*([Utterance("client", before)] if before else []), Utterance("therapist", around)])
    grams = log_odds(coded.probabilities["therapist_input"])
    return np.array([scores[most], max(scores[most] - _PLAIN, 0.0), max(grams, _UNHEARD)])


def _opening(part: str) -> Floats:
    found = shared_minilm().words(part)[1][:_FIRST]
    if not len(found):
        return np.zeros(DIMENSIONS)
    mean = found.mean(axis=0).astype(np.float64)
    return np.asarray(mean / (np.linalg.norm(mean) + 1e-9))


@cache
def _grams() -> EmbeddedCoder:
    return EmbeddedCoder("annomi", "fast", before_only=True)


__all__ = ["ADVICE", "PLACE", "SENTENCE", "TURN", "Told", "sentence_rows", "told", "turn_row"]

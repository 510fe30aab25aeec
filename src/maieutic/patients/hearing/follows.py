"""Whether a turn asks about the patient's own last words, or about the talk as a whole, instead of a piece of this
life."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from maieutic.domain.question_form import Follows
from maieutic.language.sentences import content_words, words
from maieutic.patients.hearing.question import Heard
from maieutic.protocols import Embedder
from maieutic.reading.bag import bag, places
from maieutic.reading.head import Floats, Head, load

OTHERWISE: Final = "otherwise"
"""Label of a turn that does none of it."""
LABELS: Final = (*(one.value for one in Follows), OTHERWISE)
SURE: Final = 0.9
"""Chance from which a turn counts as asking for one of them: chosen on 200 turns played on development cases, where
four of five that were taken wrongly lay below it."""
_LONG = 20.0


def features(heard: Heard, embed: Embedder, vocabulary: tuple[str, ...]) -> Floats:
    """What the head sees of a turn: question, turn, small words, and how much of the last answer they give back."""
    question, turn = embed([heard.question, heard.turn])
    asked, before = words(heard.question), words(heard.before)
    matter, said = content_words(heard.question), content_words(heard.before)
    runs = set(pairwise(asked)) & set(pairwise(before))
    form = [
        len(matter & said) / max(1, len(matter)),
        len(matter - said) / _LONG,
        float(not matter),
        min(1.0, len(runs) / 5.0),
        len(asked) / _LONG,
        float("?" in heard.turn),
    ]
    parts = [question, 0.5 * turn, bag(heard.question, places(vocabulary)), form]
    return np.concatenate(parts).astype(np.float64)


def follows(heard: Heard, embed: Embedder, head: Head) -> tuple[Follows | None, float]:
    """What the turn asks of the last words or the talk, None where it does neither or might not, and its chance."""
    if not heard.before or not heard.turn:
        return None, 0.0
    label, chance = head.read(features(heard, embed, head.vocabulary))
    return (Follows(label), chance) if label in set(Follows) else (None, chance)


def packaged_follows() -> Head:
    """The head in the package."""
    return load("patients/weights/follows.npz", "follows")

"""What a turn asks, heard by trained heads that see no phrase: what kind of answer, whether about the patient's own
last words, what about apart from particular facts, and whether it tells instead.

The head of slots was fitted on own-written questions of four writers (`recipes/fit_question_slots.py`, card in
`weights/SLOTS_CARD.md`) and saw no therapist's wording bank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.appraisal import Follows, QuestionForm, Slot
from maieutic.language.sentences import content_words, sentences, words
from maieutic.patients.ear import Heard, main_question, questions
from maieutic.protocols import Embedder
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, Head

HEARING: Final = "patients/weights/hearing.npz"
NOTHING: Final = "nothing"
"""Label of a turn that asks nothing."""
FORMS: Final = (*(form.value for form in QuestionForm), NOTHING)


def form_features(heard: Heard, embed: Embedder, vocabulary: Mapping[str, int]) -> Floats:
    """What the head sees of a turn. (3 d + words,)"""
    question, turn, within = embed([heard.question, heard.turn, heard.within])
    parts = [question, 0.5 * turn, 0.5 * within, bag(heard.question, vocabulary)]
    return np.concatenate(parts).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Blend:
    """How two readings of the form count: exponents of the head's chances and of the fine-tuned encoder's, (2,)."""

    shares: Floats

    def __call__(self, head: Floats, learned: Floats) -> Floats:
        """Chances from the log chances of both (a product of experts, Hinton 2002)."""
        scores = self.shares[0] * head + self.shares[1] * learned
        raised = np.exp(scores - scores.max())
        return np.asarray(raised / raised.sum())


OTHERWISE: Final = "otherwise"
"""Label of a turn that does none of it."""
FOLLOWS: Final = (*(one.value for one in Follows), OTHERWISE)
SURE_FOLLOWS: Final = 0.9
"""Chance from which a turn counts as asking for one of them: chosen on 200 turns played on development cases, where
four of five that were taken wrongly lay below it."""
_LONG = 20.0


def follow_features(heard: Heard, embed: Embedder, vocabulary: Mapping[str, int]) -> Floats:
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
    parts = [question, 0.5 * turn, bag(heard.question, vocabulary), form]
    return np.concatenate(parts).astype(np.float64)


def follows(heard: Heard, embed: Embedder, head: Head) -> tuple[Follows | None, float]:
    """What the turn asks of the last words or the talk, None where it does neither or might not, and its chance."""
    if not heard.before or not heard.turn:
        return None, 0.0
    label, chance = head.read(follow_features(heard, embed, head.places))
    return (Follows(label), chance) if label in set(Follows) else (None, chance)


WIDE, NO_SLOT = "wide", "none"
SLOTS: tuple[str, ...] = (*(slot.value for slot in Slot), WIDE, NO_SLOT)
SURE_SLOT = 0.35
"""Probability from which the likeliest label counts."""


def slot_features(text: str, embed: Embedder) -> Floats:
    """What the head sees of a turn. (2 d + 5,)"""
    asked = questions(text)
    form = [
        any(q.open for q in asked),
        any(q.leading for q in asked),
        any(q.advising for q in asked),
        not asked,
        len(asked) > 1,
    ]
    main, whole = embed([main_question(text), text])
    return np.concatenate([main, 0.5 * whole, 0.4 * np.array(form, dtype=float)]).astype(np.float64)


def asked_about(text: str, head: Head, embed: Embedder) -> str | None:
    """The likeliest of `SLOTS` where it is likely enough."""
    label, chance = head.read(slot_features(text, embed))
    return label if chance >= SURE_SLOT else None


_FIRST = tuple(
    """a and are can could did do does don't had has have how i if in is let let's may maybe might must of on
    perhaps shall should so suppose tell that the try was were what when where which who whose why will would
    you your""".split()
)
_WITHIN = (
    *"""again ask better could did had happened help how instead let maybe might perhaps put tell try was were
    what when where which who whose would""".split(),
    "you should",
)


def telling_features(text: str, vector: NDArray[np.float32]) -> Floats:
    """What tells advice and statements from questions: the turn's vector, how its last sentence begins, and small
    words."""
    last = words(sentences(text)[-1] if sentences(text) else text)
    spaced = f" {' '.join(words(text))} "
    form = [float(bool(last) and last[0] == word) for word in _FIRST] + [float(f" {w} " in spaced) for w in _WITHIN]
    return np.concatenate([vector, form, [float("?" in text), len(last) / 20.0]]).astype(np.float64)


TELLS = "tells"

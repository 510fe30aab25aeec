"""What a question asks about apart from particular facts, by itself: a trained head that sees no phrase.

It was fitted on own-written questions of four writers (`recipes/fit_question_slots.py`, card in
`weights/SLOTS_CARD.md`) and saw no therapist's wording bank.
"""

from __future__ import annotations

import numpy as np

from maieutic.domain.appraisal import Slot
from maieutic.patients.ear import questions
from maieutic.patients.hearing.question import main_question
from maieutic.protocols import Embedder
from maieutic.reading.head import Floats, Head, load

WIDE, NOTHING = "wide", "none"
LABELS: tuple[str, ...] = (*(slot.value for slot in Slot), WIDE, NOTHING)
SURE = 0.35
"""Probability from which the likeliest label counts."""


def features(text: str, embed: Embedder) -> Floats:
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
    """The likeliest of `LABELS` where it is likely enough."""
    label, chance = head.read(features(text, embed))
    return label if chance >= SURE else None


def packaged_slots(name: str = "question_slots") -> Head:
    """A head in the package: of the patients' own encoder, or `question_slots_coder`, of the behaviour coder's."""
    return load(f"patients/weights/{name}.npz", name)

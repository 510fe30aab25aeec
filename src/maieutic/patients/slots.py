"""What a question asks about apart from particular facts, however it is worded: a trained head beside a few sure
phrases.

Phrases alone understood one natural wording in four; the head reads the sentence. It was fitted on own-written
questions of four writers (`recipes/fit_question_slots.py`, card in `weights/SLOTS_CARD.md`) and saw no therapist's
wording bank.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from maieutic.domain.appraisal import Slot
from maieutic.patients.ear import questions
from maieutic.patients.hearing.question import main_question
from maieutic.patients.prototypes import SLOT_PATTERNS, WIDE_PATTERN
from maieutic.protocols import Embedder
from maieutic.reading.head import Floats, Head, load

WIDE, NOTHING = "wide", "none"
LABELS: tuple[str, ...] = (*(slot.value for slot in SLOT_PATTERNS), WIDE, NOTHING)
SURE = 0.35
"""Probability from which the likeliest slot counts as asked about."""
SURE_OF_RISK = 0.95
"""The same for a question about suicide without a sure phrase: "could you survive it" is none. Chosen with the harmless
questions of `validation/agent/risk/turns.yaml` in view."""
BACKED = 0.12
"""Probability that a sure phrase needs beside it: a phrase out of place is not enough."""


def features(text: str, embed: Embedder) -> Floats:
    """What the head sees of a turn. (2 d + 12 + 5,)"""
    main = main_question(text)
    phrases = [float(bool(p.search(main))) for p in (*SLOT_PATTERNS.values(), WIDE_PATTERN)]
    asked = questions(text)
    form = [
        any(q.open for q in asked),
        any(q.leading for q in asked),
        any(q.advising for q in asked),
        not asked,
        len(asked) > 1,
    ]
    return np.concatenate(
        [embed([main])[0], 0.5 * embed([text])[0], 0.4 * np.array(phrases), 0.4 * np.array(form, dtype=float)]
    ).astype(np.float64)


@dataclass(frozen=True, slots=True)
class AskedAbout:
    """The slots that a turn asks about, and whether it invites experience against the thought in general."""

    slots: tuple[Slot, ...]
    wide: bool


_MORE = re.compile(
    r"\b(?:what|anything|something|is there|are there|any|does|can you think of)\b.{0,25}\b(?:else"
    r"|more|further|another|second|other)\b|\bbesides that\b|\bapart from (?:that|this|what)\b|\bstill be missing\b"
    r"|\bwhat more\b|\banother (?:one|example|memory|time)\b",
    re.I,
)


def asks_for_more(text: str) -> bool:
    """The question asks for more of what was asked before, and says no more than that ("what else comes to mind?")."""
    return bool(_MORE.search(main_question(text)))


def asked_about(text: str, asked: tuple[str, ...], head: Head, embed: Embedder) -> AskedAbout:
    """What the questions of a turn ask about; `asked` are its questions that neither lead nor advise."""
    if not asked:
        return AskedAbout((), False)
    # The head was fitted on one encoder's vectors; with another one only the sure phrases speak.
    chances = head(features(text, embed)) if embed.name == head.fitted_on else dict.fromkeys(LABELS, BACKED)
    best = max(chances, key=lambda label: chances[label])

    def meant(label: str, phrase: bool) -> bool:
        least = SURE_OF_RISK if label == Slot.RISK.value else SURE
        return (phrase and chances[label] >= BACKED) or (label == best and chances[label] >= least)

    slots = tuple(
        slot for slot, pattern in SLOT_PATTERNS.items() if meant(slot.value, any(pattern.search(q) for q in asked))
    )
    return AskedAbout(slots, meant(WIDE, any(WIDE_PATTERN.search(q) for q in asked)))


def packaged_slots(name: str = "question_slots") -> Head:
    """A head in the package: of the patients' own encoder, or `question_slots_coder`, of the behaviour coder's."""
    return load(f"patients/weights/{name}.npz", name)

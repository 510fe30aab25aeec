"""Says whether a turn shows danger: sure rules first, then a small learned head; what follows is the fixed hand-over.

English only, written words only, one turn at a time. It is a tripwire for a training tool, not a clinical assessment:
an unflagged text is not a safe one (`docs/safety.md`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from maieutic.safety.head import load_head
from maieutic.safety.patterns import Grade, normalise
from maieutic.safety.rules import find

WINDOW_WORDS: Final = 60
"""Longer texts are read in pieces of about this many words, as the head was trained on short turns."""
LONGEST: Final = 20_000
"""Characters read from each end of a text that is longer than twice this."""

_SENTENCE: Final = re.compile(r"[^.!?]+[.!?]*")
_PASSIVE_KINDS: Final = frozenset({"suicide_passive"})


@dataclass(frozen=True, slots=True)
class RiskAssessment:
    """What was seen in one text.

    Attributes:
        flagged: The hand-over has to be shown; the same as `grade != "none"`.
        grade: `hint` (unclear signs), `passive` (a wish not to live, no intent said), `active` (intent, act or danger now).
        kind: The kind of danger, such as `suicide`, `self_harm` or `abuse`; None where nothing was flagged.
        probability: The head's probability of danger, 0 to 1, the highest of all pieces of a long text. It was trained
            with balanced classes, so it ranks texts and is no rate.
        matched: Words that triggered, in their order of weight; empty where nothing was flagged.
        by: `rules`, `head`, or None where nothing was flagged.
    """

    flagged: bool
    grade: Grade
    kind: str | None
    probability: float
    matched: tuple[str, ...]
    by: Literal["rules", "head"] | None


def assess(text: str) -> RiskAssessment:
    """Grades one turn of a conversation.

    A rule that holds decides grade and kind; else the head does, from its threshold upwards (`hint` until it is certain).
    Empty text and text without English words come back unflagged.
    """
    flat = normalise(text if len(text) <= 2 * LONGEST else f"{text[:LONGEST]} {text[-LONGEST:]}")
    head = load_head()
    probability, kind, words = max(head.score(piece) for piece in _pieces(flat))
    held = find(flat)
    if held is not None:
        rule, phrase = held
        return RiskAssessment(True, rule.grade, rule.kind, probability, (phrase,), "rules")
    if probability < head.threshold:
        return RiskAssessment(False, "none", None, probability, (), None)
    grade: Grade = "hint" if probability < head.certain else "passive" if kind in _PASSIVE_KINDS else "active"
    plain = kind.removesuffix("_passive").removesuffix("_active")
    return RiskAssessment(True, grade, plain, probability, words, "head")


def _pieces(flat: str) -> list[str]:
    """The text in runs of whole sentences of about `WINDOW_WORDS` words; sentences without an end are cut."""
    if flat.count(" ") < WINDOW_WORDS:
        return [flat]
    pieces: list[str] = []
    current: list[str] = []
    for sentence in _SENTENCE.findall(flat):
        words = sentence.split()
        while words:
            room = WINDOW_WORDS - len(current)
            if current and len(words) > room:
                pieces.append(" ".join(current))
                current = []
                continue
            current += words[:WINDOW_WORDS]
            words = words[WINDOW_WORDS:]
    return [*pieces, " ".join(current)] if current else pieces or [flat]

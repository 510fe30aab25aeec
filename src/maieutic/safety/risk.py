"""Says whether a turn shows danger: sure rules first, then intent told plainly, then a small fine-tuned encoder; what
follows is the fixed hand-over.

English only, written words only, one turn at a time. It is a tripwire for a training tool, not a clinical assessment:
an unflagged text is not a safe one (`docs/safety.md`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, Literal

import numpy as np

from maieutic.safety.encoder import WIDTH, Floats, load_encoder
from maieutic.safety.intent import Intent, intent_in
from maieutic.safety.patterns import Grade, normalise
from maieutic.safety.rules import find

WHOLE_WORDS: Final = 60
"""Texts of up to this many words are read in one go, as the encoder was trained on short turns."""
WINDOW_WORDS: Final = 24
"""Longer texts are read in pieces of about this many words, as many as a training text has, so that none drowns."""
SHARED_WORDS: Final = 8
"""What two neighbouring pieces of one overlong sentence have in common."""
LONGEST: Final = 20_000
"""Characters read from each end of a text that is longer than twice this."""

KINDS: Final = {"suicide": "suicide", "others": "harm_to_others"}
"""Kinds by whom an intent is against."""
_SENTENCE: Final = re.compile(r"[^.!?]+[.!?]*")


@dataclass(frozen=True, slots=True)
class RiskAssessment:
    """What was seen in one text.

    Attributes:
        flagged: The hand-over has to be shown; the same as `grade != "none"`.
        grade: `hint` (unclear signs), `passive` (a wish not to live, no intent said), `active` (intent, act or danger
            now).
        kind: The kind of danger, such as `suicide`, `self_harm` or `abuse`; None where nothing was flagged.
        probability: The encoder's probability of danger, 0 to 1, the highest of all pieces of a long text. It was
            trained with balanced classes, so it ranks texts and is no rate.
        matched: The words a rule held on to, or the piece of text the encoder flagged; empty where nothing was flagged.
        by: `rules`, `intent` (told plainly, `safety/intent.py`), `encoder`, or None where nothing was flagged.
        sense: (384,) the encoder's unit vector of the most dangerous piece, for heads that grade finer; not compared.
    """

    flagged: bool
    grade: Grade
    kind: str | None
    probability: float
    matched: tuple[str, ...]
    by: Literal["rules", "intent", "encoder"] | None
    sense: Floats = field(default_factory=lambda: np.zeros(WIDTH), compare=False, repr=False)


@lru_cache(maxsize=4_000)
def assess(text: str) -> RiskAssessment:
    """Grades one turn of a conversation: by sure rules, by intent told plainly, else by the encoder.

    A rule that finds active danger goes before an intent, any other after it. Empty text and text without English words
    come back unflagged.
    """
    seen, intent = detect(text), intent_of(text)
    if not intent.plain or (seen.by == "rules" and seen.grade == "active"):
        return seen
    return replace(seen, flagged=True, grade="active", kind=KINDS[intent.towards], matched=(intent.text,), by="intent")


@lru_cache(maxsize=4_000)
def detect(text: str) -> RiskAssessment:
    """The same by rules and encoder alone, which heads that were fitted on both are given; from the encoder's threshold
    upwards a text is flagged, as a `hint` until it is certain."""
    flat = _flat(text)
    encoder = load_encoder()
    read = encoder.score(_pieces(flat))
    held = find(flat)
    if held is not None:
        rule, phrase = held
        return RiskAssessment(True, rule.grade, rule.kind, read.danger, (phrase,), "rules", read.sense)
    if read.danger < encoder.threshold:
        return RiskAssessment(False, "none", None, read.danger, (), None, read.sense)
    grade: Grade = (
        "hint" if read.danger < encoder.certain else "passive" if read.kind == "suicide_passive" else "active"
    )
    plain = "suicide" if read.kind.startswith("suicide") else read.kind
    return RiskAssessment(True, grade, plain, read.danger, (read.piece,), "encoder", read.sense)


def read_together(texts: Sequence[str]) -> None:
    """Reads texts that are going to be graded one by one at one go, which costs less and grades them the same."""
    load_encoder().read_together([piece for text in texts for piece in _pieces(_flat(text))])


def sure_grade(text: str) -> Grade:
    """The grade that the sure rules alone give, which need no encoder; `none` where none of them holds."""
    held = find(_flat(text))
    return held[0].grade if held is not None else "none"


def intent_of(text: str) -> Intent:
    """What one turn tells of intent; a long one is read in pieces."""
    return intent_in(_pieces(_flat(text)))


def disclosed(text: str, *, active: bool = False) -> bool:
    """Somebody who asks others about risk, as a therapist does, tells of a danger of their own: by a sure rule, or by
    an intent that is surely told.

    Args:
        active: Only active danger counts, and no wish not to live.
    """
    flat = _flat(text)
    held = find(flat)
    ruled = held is not None and held[0].grade in (("active",) if active else ("passive", "active"))
    return ruled or intent_of(text).surely


def _flat(text: str) -> str:
    legible = text.encode("utf-8", "replace").decode("utf-8")
    return normalise(legible if len(legible) <= 2 * LONGEST else f"{legible[:LONGEST]} {legible[-LONGEST:]}")


def _pieces(flat: str) -> list[str]:
    """A long text in runs of whole sentences of about `WINDOW_WORDS` words; overlong sentences are cut, overlapping."""
    if flat.count(" ") < WHOLE_WORDS:
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
            words = words[WINDOW_WORDS - SHARED_WORDS :] if len(words) > WINDOW_WORDS else []
    return [*pieces, " ".join(current)] if current else pieces or [flat]

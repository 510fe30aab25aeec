"""How people are asked whether anybody is in danger, other than by suicide: one pattern for every reader of therapist
turns."""

from __future__ import annotations

import re
from typing import Final

SAFETY_QUESTION: Final = (
    r"(?:\b(?:are|is|could|does|do|did|has|have) (?:you|he|she|they|anybody|anyone|somebody|someone"
    r"|danger)\b[^.?!]{0,40}"
    r"\b(?:in danger\b(?! of \w+ing\b)|come to harm\b|(?:been |being )?threaten(?:s|ed|ing)? (?:you"
    r"|anybody|anyone|somebody|someone|them|him|her)\b"
    r"|(?:been|being) threatened\b)|\b(?:are|do) you (?:feel )?safe\b|\bhow safe (?:are|do) you\b|\byour safety\b)"
)
"""Regex source; letter case is the caller's. 'Are you in danger of losing …' is a worry and no such question."""
_FOUND: Final = re.compile(SAFETY_QUESTION, re.I)
_WHETHER_SAFE: Final = re.compile(r"\b(?:are|do|how) (?:you )?(?:feel )?safe\b", re.I)


def asks_about_safety(text: str) -> bool:
    """A therapist turn asks whether somebody is in danger."""
    return bool(_FOUND.search(text))


def asks_whether_safe(text: str) -> bool:
    """It asks whether the patient is safe, so that a yes is the good answer, and not whether there is danger."""
    return bool(_WHETHER_SAFE.search(text))

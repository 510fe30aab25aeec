"""Why a reply cannot be read: said in words, so that it is counted and shown, never scored."""

from __future__ import annotations

import re
from typing import Final

from maieutic.language.sentences import is_readable_english

_DATA: Final = re.compile(r"^\s*(?:```\w*\s*)?(?:\{.*\}|\[\s*[\{\"].*\])\s*(?:```)?\s*$", re.S)
_REFUSAL: Final = re.compile(
    r"^\W*(?:(?:i'?m|i am) (?:so |very |really )?(?:sorry|afraid)[^.!?]{0,40}?(?:but )?)?"
    r"(?:as an? (?:ai|language model)[^.!?]*|i (?:can(?:no|')t|can not|am (?:not )?unable to|won'?t be able to) "
    r"(?:help|assist|provide|answer|respond|discuss|continue|comply|fulfil|engage)[^.!?]*)",
    re.I,
)


def fault_of(text: str, *, refusals: bool = False) -> str | None:
    """The reason why a reply cannot be read as a therapist's turn; None for one that can.

    Args:
        refusals: A refusal counts as readable.
    """
    if not text.strip():
        return "empty reply"
    if _DATA.match(text):
        return "data instead of words (JSON)"
    if not is_readable_english(text):
        return "not English"
    if not refusals and _REFUSAL.match(text):
        return "refusal"
    return None


def is_refusal(text: str) -> bool:
    """Whether a reply only says that the model cannot or will not answer."""
    return bool(_REFUSAL.match(text))


__all__ = ["fault_of", "is_refusal"]

"""Why a reply cannot be read: said in words, so that it is counted and shown, never scored."""

from __future__ import annotations

import re
from typing import Final

from maieutic.language.sentences import is_readable_english, words

_DATA: Final = re.compile(r"^\s*(?:```\w*\s*)?(?:\{.*\}|\[\s*[\{\"].*\])\s*(?:```)?\s*$", re.S)
_REFUSAL: Final = re.compile(
    r"^\W*(?:(?:i'?m|i am) (?:so |very |really )?(?:sorry|afraid)[^.!?]{0,40}?(?:but )?)?"
    r"(?:as an? (?:ai|language model)[^.!?]*|i (?:can(?:no|')t|can not|am (?:not )?unable to|won'?t be able to) "
    r"(?:help(?! \w+ing)|assist|provide|answer|respond|discuss|continue|comply|fulfil|engage)[^.!?]*)",
    re.I,
)
_PLACEHOLDER: Final = re.compile(
    r"^\W*(?:[\[(<*][^\])>]*[\])>*]|(?:internal )?(?:server )?error\b.*|n/?a|null|none|nil|undefined|nan|(?:therapist|assistant|counsell?or|response|reply|ai|bot)\s*:?)\W*$",
    re.I,
)
"""A placeholder, an error message or a bare name of the speaker."""
_SPOKEN: Final = re.compile(r"[aeiouy\d]|^[hm]+$|^(?:nhs|cbt|dbt)$")
"""A word that can be said; three letters without a vowel are noise."""


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


def is_no_turn(text: str) -> bool:
    """Nothing that a therapist could have said: a sound, a placeholder, an error, noise, data, another language."""
    said = words(text)
    if fault_of(text, refusals=True) or _PLACEHOLDER.match(text) or (len(said) < 2 and "?" not in text):
        return True
    if text.lstrip().startswith(("{", "<|")) or (len(said) >= 5 and len(set(said)) <= len(said) / 3):
        return True
    noise = [word for word in said if len(word) >= 3 and not _SPOKEN.search(word)]
    return len(noise) >= max(1, len(said) / 3)


__all__ = ["fault_of", "is_no_turn", "is_refusal"]

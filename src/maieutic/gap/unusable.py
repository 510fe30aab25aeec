"""Why a reply cannot be read: said in words, so that it is counted and shown, never scored."""

from __future__ import annotations

import re
from string import ascii_letters
from typing import Final

from maieutic.language.sentences import is_english, words

_REFUSAL: Final = re.compile(
    r"^\W*(?:(?:i'?m|i am) (?:so |very |really )?(?:sorry|afraid)[^.!?]{0,40}?(?:but )?)?"
    r"(?:as an? (?:ai|language model)[^.!?]*|i (?:can(?:no|')t|can not|am (?:not )?unable to|won'?t be able to) "
    r"(?:help(?! \w+ing)|assist|provide|answer|respond|discuss|continue|comply|fulfil|engage)[^.!?]*)",
    re.I,
)
_PLACEHOLDERS: Final = frozenset(
    """na null none nil undefined nan therapist assistant counsellor counselor response reply ai bot""".split()
)
_ERRORS: Final = (("error",), ("server", "error"), ("internal", "error"), ("internal", "server", "error"))
_WITHOUT_VOWEL: Final = ("nhs", "cbt", "dbt")


def fault_of(text: str, *, refusals: bool = False) -> str | None:
    """The reason why a reply cannot be read as a therapist's turn; None for one that can.

    Args:
        refusals: A refusal counts as readable.
    """
    if not text.strip():
        return "empty reply"
    if _is_data(text):
        return "data instead of words (JSON)"
    if not is_english(text):
        return "not English"
    if not refusals and _REFUSAL.match(text):
        return "refusal"
    return None


def is_wordless(text: str) -> bool:
    """There is no letter in it."""
    return not any(c.isalpha() for c in text)


def is_refusal(text: str) -> bool:
    """Whether a reply only says that the model cannot or will not answer."""
    return bool(_REFUSAL.match(text))


def is_no_turn(text: str) -> bool:
    """Nothing that a therapist could have said: a sound, a placeholder, an error, noise, data, another language."""
    said = words(text)
    if fault_of(text, refusals=True) or _is_placeholder(text) or (len(said) < 2 and "?" not in text):
        return True
    if text.lstrip().startswith(("{", "<|")) or (len(said) >= 5 and len(set(said)) <= len(said) / 3):
        return True
    noise = [word for word in said if len(word) >= 3 and not _can_be_said(word)]
    return len(noise) >= max(1, len(said) / 3)


def _is_data(text: str) -> bool:
    bare = text.strip().removesuffix("```").rstrip()
    if bare.startswith("```"):
        bare = bare[3:].lstrip(ascii_letters).lstrip()
    ends = bare[:1] + bare[-1:]
    return ends == "{}" or (ends == "[]" and bare[1:].lstrip()[:1] in ("{", '"'))


def _is_placeholder(text: str) -> bool:
    """Something in brackets, an error message or a bare name of the speaker."""
    said, bare = words(text), text.strip(" \n\t.!?,;:…-\"'")
    bracketed = bare[:1] in ("[", "(", "<", "*") and bare[-1:] in ("]", ")", ">", "*")
    if bracketed and not any(sign in bare[1:-1] for sign in "])>"):
        return True
    named = "".join(said) if said == ("n", "a") else " ".join(said)
    return named in _PLACEHOLDERS or any(said[: len(one)] == one for one in _ERRORS)


def _can_be_said(word: str) -> bool:
    """Three letters without a vowel are noise."""
    return any(sign in "aeiouy" or sign.isdigit() for sign in word) or set(word) <= set("hm") or word in _WITHOUT_VOWEL

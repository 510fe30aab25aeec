"""Splits an utterance into sentences and words, finds wordings in a text, and says whether it can be read at all."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, Final

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)]*\s+|\n+")
_WORD = re.compile(r"[a-zA-Z]+(?:['’][a-zA-Z]+)*|\d+")
_NUMBER = re.compile(r"(?<![\d.])(\d{1,3})(?:\.\d+)?(?!\d)")
_LONGEST_READ = 4_000
SURE_OF_LANGUAGE: Final = 0.9
"""Probability from which the identifier is believed that a text is in another language."""

_FUNCTION_WORDS = frozenset(
    """a about after all am an and any are as at be been but by can could did do does don't for from had has have he
    her him his how i i'm if in into is it it's its just like me my no not of on one or our out really she so some
    something sometimes still than that that's the their them then there they this to up us was way we well were what
    when where which who why will with would yeah yes you your you're okay ok hmm""".split()
)
STOP_WORDS = _FUNCTION_WORDS | frozenset(
    """also back been being came come even ever every feel feels felt get gets getting go goes going gone got happen
    happened happens i've i'd i'll keep know last let made make makes many maybe more most much myself never now other
    over own people said say says see thing things think thinking thought time told too very want wanted went while
    you'd you've you'll yourself""".split()
)


@lru_cache(maxsize=20_000)
def sentences(text: str) -> tuple[str, ...]:
    """Sentences in order, without surrounding space; only the first 4,000 characters are read."""
    return tuple(part.strip() for part in _SENTENCE_END.split(text[:_LONGEST_READ]) if part and part.strip())


@lru_cache(maxsize=20_000)
def words(text: str) -> tuple[str, ...]:
    """Lower-case word tokens of the first 4,000 characters, apostrophes straightened."""
    return tuple(match.group().lower().replace("’", "'") for match in _WORD.finditer(text[:_LONGEST_READ]))


@lru_cache(maxsize=20_000)
def content_words(text: str) -> frozenset[str]:
    """Words that carry matter, with a crude singular form."""
    return frozenset(_singular(word) for word in words(text) if word not in STOP_WORDS and len(word) > 2)


def content_words_of(texts: Iterable[str]) -> frozenset[str]:
    """`content_words` of all texts together, each read by itself: the first 4,000 characters of each."""
    return frozenset().union(*map(content_words, texts))


def stands_in(text: str, wording: str, *, whole: bool = True) -> bool:
    """Whether a wording stands in a text at the beginning of a word; letter case is the caller's.

    Args:
        text: The text.
        wording: A word, several, or a stem.
        whole: It must end with a word, too.
    """
    at = text.find(wording)
    while at >= 0:
        end = at + len(wording)
        if not _in_a_word(text[at - 1 : at]) and not (whole and _in_a_word(text[end : end + 1])):
            return True
        at = text.find(wording, at + 1)
    return False


def first_number(text: str) -> float | None:
    """The first number from 0 to 100 in a text, without what stands behind its point; None without one."""
    return next((float(m.group(1)) for m in _NUMBER.finditer(text) if float(m.group(1)) <= 100), None)


_BEFORE_A_FIGURE = frozenset(
    "is at about around roughly say maybe perhaps approximately nearly almost conviction belief".split()
)
_AFTER_A_FIGURE = ("%", "/", " %", " percent", " per cent", " out of", " of 100", " on ")


def stated_number(text: str) -> float | None:
    """The number from 0 to 100 that a text gives as its answer: it opens or ends it, or is said as a figure ('about
    70', '70 %').

    A digit within a code, a date or a count of something else is no answer; nor is anything where two figures differ.
    """
    said = text[:_LONGEST_READ].strip().strip("*_\"'“”()[] \n.!")
    found: set[float] = set()
    for match in _NUMBER.finditer(said):
        before, after = said[: match.start()], said[match.end() :]
        if before.rstrip().endswith((" of", " to", "/")) and match.group(1) == "100":
            continue
        if _in_a_word(before[-1:]) or before[-1:] in ("-", "/") or _in_a_word(after[:1]) or float(match.group(1)) > 100:
            continue
        if not before.strip("*_:≈~ "):
            return float(match.group(1))
        last = words(before)[-1:]
        if (
            not after
            or after.startswith(_AFTER_A_FIGURE)
            or (last and last[0] in _BEFORE_A_FIGURE)
            or before.rstrip()[-1:] == ":"
        ):
            found.add(float(match.group(1)))
    return found.pop() if len(found) == 1 else None


def _in_a_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def opened_large(text: str) -> str:
    """The text with a large first letter and the rest as it is."""
    return text[:1].upper() + text[1:]


def slug(text: str, joint: str = "_") -> str:
    """Runs of plain letters and digits, joined: a name that can stand in a column or a path."""
    return joint.join("".join(sign if sign.isascii() and sign.isalnum() else " " for sign in text).split())


def _singular(word: str) -> str:
    word = word.removesuffix("'s")
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word


def unsaid(wordings: Sequence[str], texts: Collection[str]) -> list[str]:
    """The wordings that none of the texts holds, in their order."""
    return [wording for wording in wordings if not any(wording in text for text in texts)]


@cache
def _identifier() -> Any:
    """Loaded where few of the words are common English ones; it takes a quarter of a second."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_pickled_model(MODEL_FILE, norm_probs=True)


def in_another_language(text: str) -> bool:
    """Few words of the text are common English ones, and a language identifier is sure of another language.

    Short lines without such words ("Nothing comes to mind right off.") are English to it.
    """
    if is_readable_english(text):
        return False
    language, chance = _identifier().classify(text)
    return bool(language != "en" and chance >= SURE_OF_LANGUAGE)


def is_english(text: str) -> bool:
    """The text has words, and no language identifier is sure that they are of another language."""
    return bool(words(text)) and not in_another_language(text)


def is_readable_english(text: str) -> bool:
    """False for an empty turn, one without words, or one with hardly any English function word."""
    tokens = words(text)
    if not tokens:
        return False
    if len(tokens) < 4:
        return True
    return sum(token in STOP_WORDS for token in tokens) / len(tokens) >= 0.2

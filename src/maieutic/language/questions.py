"""Where an utterance asks, by its marks: which sentences end in a question, and which join several; how people ask
whether anybody is in danger other than by suicide, one pattern for every reader of therapist turns.

Grammar only: whether a question is open, leads or advises is for `maieutic.reading` to judge."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

_AUXILIARIES: Final = "do does did are is was were have has had can could will would should may might am".split()
_WH: Final = "what how why who whose whom which where when".split()
_SUBJECTS: Final = "you your it that this the he she they there we i".split()
_VERBS: Final = "happened made went else".split()
_OPENERS: Final = frozenset("and so but well okay ok now then right hm or also".split())
_PREPOSITIONS: Final = frozenset("in at on to from for of with by".split())
_OFFERING: Final = frozenset("had might may whom".split())
"""What opens a condition ("had I asked you, what …") or an offer with another beside it ("might it be anger, or is it
…")."""
_QUOTES: Final = " \"'“”‘’*_"


def _any(words: list[str]) -> str:
    return "|".join(words)


_JOINT: Final = re.compile(
    rf"(?:[,;]|\band|\bor)\s+(?:and\s+|or\s+|also\s+)?"
    rf"(?=(?:{_any(_AUXILIARIES)})\s(?:{_any(_SUBJECTS)})\b|(?:{_any(_WH)})\s(?:{_any(_AUXILIARIES + _VERBS)})\b)",
    re.I,
)


_PLACED: Final = rf"(?:(?:{_any(sorted(_PREPOSITIONS))})\s)?(?:{_any(_WH)})(?:'s)?\b|since when\b"
_JOINED_BY: Final = re.compile(
    rf"(?:,|\band|\bor)\s+(?:and\s+|or\s+)?(?:{_PLACED}|(?:{_any(_AUXILIARIES)})\s(?:{_any(_SUBJECTS)})\b)", re.I
)


def joined(sentence: str) -> int:
    """Questions that a sentence may join, by question words and verbs behind "and", "or" and commas; what stands before
    the first and asks nothing, such as a subordinate clause, is none."""
    found = [one.start() for one in _JOINED_BY.finditer(sentence) if one.start() > 0]
    return len(found) + _asks(sentence[: found[0]]) if found else 1


def parted(sentence: str) -> tuple[str, ...]:
    """The questions of a sentence as `joined` counts them; the sentence itself where it joins none."""
    cuts = [one.start() for one in _JOINED_BY.finditer(sentence) if one.start() > 0]
    if cuts and not _asks(sentence[: cuts[0]]):
        cuts = cuts[1:]
    return tuple(sentence[a:b].strip() for a, b in pairwise([0, *cuts, len(sentence)]))


def ends_as_question(sentence: str) -> bool:
    """The sentence ends in a question mark, whatever closes after it."""
    return sentence.rstrip(_QUOTES + ")").endswith("?")


def parts_of(sentence: str) -> tuple[str, ...]:
    """The questions joined in one sentence; what stands before the first of them, such as a subordinate clause, belongs
    to it."""
    parts, start = [], 0
    for joint in _JOINT.finditer(sentence):
        if _asks(sentence[start : joint.start()]):
            parts.append(sentence[start : joint.start()].strip())
            start = joint.end()
    return (*parts, sentence[start:].strip())


def opening(text: str) -> tuple[str, ...]:
    """The words of a text in lower case from the first that is no "and so", "well", "okay"."""
    tokens = [token.strip(".,!?" + _QUOTES) for token in text.lower().replace("’", "'").split()]
    while tokens and tokens[0] in _OPENERS:
        tokens = tokens[1:]
    return tuple(tokens)


def opens_with_verb(text: str) -> bool:
    """A verb stands first, as in a question that wants a yes or a no."""
    return bool(tokens := opening(text)) and tokens[0].replace("n't", "") in _AUXILIARIES


def _asks(part: str) -> bool:
    """The last clause opens as a question does: with a verb before its subject, or a question word that no subject
    follows."""
    tokens = opening(re.split(r"[,;:–—]\s", part)[-1])
    if len(tokens) < 2:
        return False
    first, second = (token.replace("n't", "").split("'")[0] for token in tokens[:2])
    if first in _PREPOSITIONS:
        return second in _WH
    if first in _OFFERING:
        return False
    if first in ("when", "where"):
        return second in _AUXILIARIES
    return first in _WH or first in _AUXILIARIES


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

"""Compares what a model made of a decided utterance with what was decided: role, content, additions, facts let out.

It is no filter of a therapist and no measure of a session: `maieutic validate patients --voice` judges leaks by runs of
words and fidelity by sentence vectors, which this does not use. Blind to: a change of meaning that keeps words and
negation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from maieutic.domain.case import Style
from maieutic.domain.state import Act
from maieutic.language.sentences import content_words, sentences, words

AS_WRITTEN = frozenset(
    {
        Act.RISK_DISCLOSURE,
        Act.RISK_ANSWER,
        Act.RISK_HINT,
        Act.RISK_DENIAL,
        Act.NOT_UNDERSTOOD,
        Act.LEAVE,
        Act.CONVICTION,
    }
)
"""Acts that no model words: danger, numbers, and what ends or stops the talk."""
LONGEST: dict[Style, int] = {"plain": 60, "upset": 40, "verbose": 100, "reserved": 40, "tangent": 70, "pleasing": 60}
"""Words of a turn at most, by style. *Assumption.*"""
KEPT = 0.4
"""Least share of the decided content words that a wording keeps. *Assumption.*"""
ADDED = 0.75
"""Most new content words of a wording, as a share of the decided ones. *Assumption.*"""
ADDED_AT_LEAST = 5
"""New content words that are always allowed, so that a short sentence can be worded freely. *Assumption.*"""
_THERAPIST_TALK = (
    "how does that make you feel",
    "it sounds like you",
    "have you considered",
    "you should",
    "as an ai",
    "as a therapist",
    "language model",
)
_SHOWN = re.compile(
    r"\b(?:therapist|patient|client)(?: (?:said|says|asked))?\s*:|\bthe therapist (?:said|says|asked)\b"
    r"|\bhere(?:'s| is) (?:the|a|my|your) (?:text|sentence|version|response|answer|rewrit\w+)\b|\bown words\b"
    r"|^\W*(?:the )?(?:words?|text|answer|response)\s*:|\bmisunderstanding\b|\bi can(?:no|')t (?:assist|help) with\b",
    re.I,
)
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b", re.I)
_IDIOM = re.compile(r"\b(?:you know|you see|thank you|if you like|mind you|between you and me)\b", re.I)
_NO = re.compile(
    r"\b(?:no|not|never|nothing|nobody|none|nowhere|neither|nor|cannot|hardly|without)\b|n't\b|n’t\b", re.I
)
_MANY_YOU = 1


def fault(
    text: str,
    decided: str,
    *,
    longest: int,
    heard: str = "",
    withheld: Iterable[frozenset[str]] = (),
    known: str = "",
) -> str | None:
    """What is wrong with a model's wording of a decided utterance, or None; completes "the wording ...".

    Args:
        text: The wording.
        decided: What was to be said.
        longest: Words at most, unless twice the decided sentence is longer.
        heard: The therapist's last turn.
        withheld: Content words of topics that belong to facts which are not to be said now.
        known: What was said before, whose words add nothing.
    """
    wrong = misspoken(text, decided, longest=longest, heard=heard)
    if wrong is not None:
        return wrong
    matter, named, old = content_words(decided), content_words(text), content_words(known)
    if matter and len(matter & named) / len(matter) < KEPT:
        return "leaves out what was to be said"
    if len(named - matter - old) > max(ADDED_AT_LEAST, ADDED * len(matter)):
        return "adds to what was to be said"
    if any(topic <= named and not topic <= matter | content_words(heard) | old for topic in withheld):
        return "lets out a fact that was to be kept"
    return _of_role(text, decided)


def misspoken(text: str, decided: str, *, longest: int, heard: str = "") -> str | None:
    """What is wrong with a wording whatever it tells: length, a therapist's or a machine's talk, repetition."""
    said = words(text)
    if len(said) < 2:
        return "is empty"
    if len(said) > max(longest, 2 * len(words(decided))):
        return "is too long"
    if any(phrase in text.lower() for phrase in _THERAPIST_TALK):
        return "talks like a therapist"
    if _SHOWN.search(text) and not _SHOWN.search(decided):
        return "shows its instructions"
    if set(_long(heard)) & set(_long(text)) - set(_long(decided)):
        return "repeats the therapist"
    if any(count > 1 for count in Counter(_long(text)).values()):
        return "says the same twice"
    return None


def _of_role(text: str, decided: str) -> str | None:
    if "?" in text and "?" not in decided:
        return "asks where nothing was to be asked"
    if _count(text) > _count(decided) + _MANY_YOU:
        return "speaks of the therapist instead of the patient"
    if bool(_NO.search(text)) is not bool(_NO.search(decided)):
        return "turns a no round"
    return None


def _count(text: str) -> int:
    return len(_YOU.findall(_IDIOM.sub(" ", text)))


def _long(text: str) -> list[str]:
    """The sentences of four words or more, without marks."""
    return [" ".join(tokens) for tokens in map(words, sentences(text)) if len(tokens) >= 4]

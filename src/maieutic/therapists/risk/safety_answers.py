"""What a patient turn says to a question about safety, and whether it takes up the hand-over."""

from __future__ import annotations

from maieutic.language.questions import asks_whether_safe
from maieutic.language.sentences import sentences, words
from maieutic.therapists.hearing import heard

_NO = frozenset({"no", "nope", "nah", "never"})
_YES = frozenset({"yes", "yeah", "yep", "sometimes", "maybe", "often"})
_TAKEN_UP = _YES | {"ok", "okay", "alright", "thanks", "thank"}
_BEFORE_IT = frozenset({"oh", "god", "look", "well", "honestly", "um", "er", "hm"})
SHORT_YES = 6
"""Words of a reply up to which the head for answers may hear a yes without the word. *Assumption.*"""
OF_SAFETY = frozenset({"safe", "unsafe", "danger"})
_NEGATIONS = frozenset({"no", "not", "never", "nobody", "hardly", "cannot"})


def said_safe(question: str, answer: str) -> bool | None:
    """Whether an answer to a question about safety says that nobody is in danger; None where it says neither.

    Plain words go before yes and no, whose meaning hangs on whether danger or safety was asked about.
    """
    said = _answers(answer)
    if "unsafe" in said:
        return False
    if "safe" in said:
        return True
    good = asks_whether_safe(question)
    if {"denies", "affirms"} <= said:
        return None
    if "denies" in said:
        return not good
    return good if "affirms" in said else None


def in_plain_words(answer: str) -> bool:
    """An answer to a question about safety begins or ends with a yes, or names danger or safety; without any of these,
    "I was frightened" may be what was being told before."""
    spoken = words(answer)
    ends = {next((word for word in spoken if word not in _BEFORE_IT), ""), *spoken[-1:]}
    return bool(_YES & ends or OF_SAFETY & set(spoken))


def _answers(text: str) -> frozenset[str]:
    """What an answer says of danger: plain words by themselves, the rest by the head, sentence by sentence."""
    found = {heard("answer", sentence) for sentence in sentences(text)} - {None, "other", "safe"}
    first = next((word for word in words(text) if word not in _BEFORE_IT), "")
    # A plain yes or no in front is the answer; a later sentence that reads like the other tells something else.
    found = found - {"affirms"} | {"denies"} if first in _NO else found
    found = found - {"denies"} | {"affirms"} if first in _YES else found
    for sentence in sentences(text):
        spoken = set(words(sentence))
        denied = bool(spoken & _NEGATIONS) or any(word.endswith("n't") for word in spoken)
        if "safe" in spoken:
            # "No, I'm safe" denies the danger that was asked about.
            not_safe = bool(set(words(sentence)[1:]) & _NEGATIONS) or (denied and first not in _NO)
            found.add("unsafe" if not_safe else "safe")
        if "danger" in spoken:
            found.add("safe" if denied else "unsafe")
        found |= {"unsafe"} if "unsafe" in spoken else {"safe"} if "nothing like that" in sentence.lower() else set()
    return frozenset(one for one in found if one)


def agreed(text: str) -> bool:
    """The patient begins with a plain yes or a thank you."""
    return bool(_TAKEN_UP & set(words(text)[:1]))


def affirms(text: str) -> bool:
    """A plain yes stands at the beginning or the end of a reply, or it is short and affirms what was asked: "About 85,
    maybe" and what tells of something else are none."""
    spoken = words(text)
    if any(map(str.isdigit, text)):
        return False
    short = len(spoken) <= SHORT_YES and any(heard("answer", part) == "affirms" for part in sentences(text))
    return short or bool(_YES & {*spoken[:1], *spoken[-1:]})

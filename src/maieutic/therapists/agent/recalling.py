"""A patient who asks what they told is answered from their own words, or told honestly that it is not there."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from maieutic.domain.episode import Session
from maieutic.language.sentences import STOP_WORDS, content_words, sentences, words
from maieutic.therapists.agent.nearness import nearness
from maieutic.therapists.agent.steps import Step

NEAR_ENOUGH: Final = 0.40
"""Nearness of a question and a sentence from which the sentence is given as its answer; set on own-written examples."""
SHARED_WORD: Final = 0.15
"""What each telling word in common adds to the cosine, for two words at most."""
MOST_TOLD: Final = 5
LONGEST: Final = 26
LONGEST_OF_MANY: Final = 16
"""Words of a sentence given back, alone and among others."""
_REMIND: Final = re.compile(r"^(?:\w+,? )?(?:please,? |just )*(?:remind me|tell me again)\b", re.I)
_REMEMBER: Final = re.compile(
    r"\b(?:(?:do|can|could|would|did|don't|didn't|will) you (?:(?:still|even|actually|happen to|really|ever) )*(?:remember|recall)\b"
    r"|remind me\b|tell me again\b|(?:have you|you(?:'ve| have)?) (?:already )?forgot\w*\b|you (?:do )?remember\b"
    r"|did i (?:(?:ever|already|not) )*(?:tell you|say|mention))",
    re.I,
)
_TOLD: Final = re.compile(
    r"\bi(?:'ve| have| had)? (?:just |already |once )?told you\b|\bi did (?:tell you|mention)\b|\bi(?:'ve| have) mentioned (?:it|that|this|him|her|them)\b",
    re.I,
)
_MINE: Final = re.compile(r"\b(?:i|i'm|i've|i'd|my|our|we)\b", re.I)
_FACT_OF_MINE: Final = re.compile(
    r"\b(?:what|which|who|when|where|how (?:many|much|old|long|far))\b.*\b(?:my|our)\b", re.I
)
_NO_FACT: Final = re.compile(
    r"\b(?:going to|will|would|should|supposed|can|could|might|may|think|mean|worth|point|if)\b|'ll\b", re.I
)
"""A question with one of these asks for a view, not for what was told."""
_RECAP: Final = re.compile(
    r"(?:^|\b(?:can|could|would|will) (?:you|we) |\bplease,? |\blet's )(?:(?:please|just|briefly|perhaps|maybe) )*"
    r"(?:sum (?:(?:it|this|that|things|everything|me) )?(?:all )?up\b|summari[sz]e\b|recap\b|give me (?:a )?(?:\w+ )?(?:summary|recap)\b)"
    r"(?! (?:my|the|a) (?:week|day|month|year|life)\b)"
    r"|\bwhat have i (?:told you|said to you)\b|\bwhat do you know about me\b"
    r"|\bwhat have you (?:heard|gathered|understood|got) (?:so far|from me|about me)\b|\btell me what you(?:'ve| have)? (?:heard|understood|gathered)\b",
    re.I,
)
_PARTICULAR: Final = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][a-z]{2,}\b|\b\d+\b")
_FRAME: Final = re.compile(
    r"\b(?:do|can|could|would|did|don't|didn't|will|you|still|even|remember|recall|remind|me|again|tell|told|said|say|mention\w*|i|i've|have|had|what|about|by the way|earlier|before|already|actually|know|forgotten|forgot)\b|'s\b|n't\b",
    re.I,
)


def asked_back(session: Session) -> tuple[Step, str | None, str] | None:
    """(step, what to give back, reason) where the last patient turn asks what was told before; None where it does not.

    What to give back is the patient's own sentence, or None where nothing that was said is near enough.
    """
    *before, last = session.by("patient") or (None,)
    if last is None or not before:
        return None
    told = [s for turn in before for s in sentences(turn.text) if not _asks(s) and len(words(s)) > 2]
    for sentence in sentences(last.text):
        if _RECAP.search(sentence):
            return Step.RECAP, _telling(told), "the patient asks for what was told so far"
        if _asks_for_it(sentence, last.text):
            return Step.RECALL, _nearest(sentence, told), "the patient asks what they told; their own words answer"
    return None


def _asks(sentence: str) -> bool:
    return "?" in sentence[-3:]


def _asks_for_it(sentence: str, turn: str) -> bool:
    if _REMIND.search(sentence) or (_asks(sentence) and _REMEMBER.search(sentence)):
        return _MINE.search(_REMEMBER.sub(" ", sentence, count=1)) is not None
    fact = _asks(sentence) and _FACT_OF_MINE.search(sentence) and not _NO_FACT.search(sentence)
    return bool(fact) and _TOLD.search(turn) is not None


def _nearest(question: str, told: list[str]) -> str | None:
    asked = [token for token in words(_FRAME.sub(" ", question)) if token not in STOP_WORDS]
    if not told or not asked:
        return None
    whole, about = " ".join(words(_FRAME.sub(" ", question))), " ".join(asked)
    own = content_words(about)
    shared = np.array([min(2, len(own & content_words(sentence))) for sentence in told], dtype=float)
    near = nearness([whole, about], told).max(axis=0) + SHARED_WORD * shared
    best = int(np.argmax(near))
    return f"“{_short(told[best], LONGEST)}”" if near[best] >= NEAR_ENOUGH else None


def _telling(told: list[str]) -> str | None:
    """The sentences that say most, in the order in which they were said; names and numbers count twice more."""
    fitting = list(dict.fromkeys(_short(sentence, LONGEST_OF_MANY) for sentence in told if len(words(sentence)) >= 4))
    weight = {s: len(content_words(s)) + 2 * len(_PARTICULAR.findall(s)) for s in fitting}
    most = sorted(fitting, key=lambda sentence: -weight[sentence])[:MOST_TOLD]
    return "; ".join(f"“{sentence}”" for sentence in fitting if sentence in most) or None


def _short(sentence: str, longest: int) -> str:
    """A sentence; of one that is too long, its part up to the last comma that fits, or its first words."""
    kept = sentence.strip(' "“”')
    while len(words(kept)) > longest and "," in kept:
        kept = kept.rpartition(",")[0]
    if len(words(kept)) > longest:
        kept = f"{' '.join(kept.split()[:longest])}…"
    return kept.rstrip(" .!,;")


__all__ = ["asked_back"]

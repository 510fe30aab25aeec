"""A lexicon of feelings in nine groups, and where an utterance attributes one to the listener.

Groups follow the nine emotions of PATIENT-Ψ's diagram (Wang et al., EMNLP 2024); the word lists are our own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from maieutic.domain.case import EMOTION_GROUPS
from maieutic.language.sentences import sentences

LEXICON: Mapping[str, tuple[str, ...]] = {
    "sad": (
        "sad", "sadness", "down", "low", "lonely", "loneliness", "miserable", "depressed", "empty", "hopeless", "unhappy", "grief",
        "heartbroken", "heavy", "gloomy", "tearful", "numb", "bleak", "despair", "alone", "flat",
    ),
    "anxious": (
        "anxious", "anxiety", "worried", "worry", "worries", "afraid", "scared", "fearful", "fear", "nervous", "tense", "panicky",
        "panic", "terrified", "frightened", "dread", "on edge", "uneasy", "stressed", "overwhelmed", "apprehensive", "restless",
    ),
    "angry": (
        "angry", "anger", "furious", "irritated", "annoyed", "mad", "rage", "resentful", "resentment", "frustrated", "frustration",
        "bitter", "fuming", "livid", "cross", "indignant",
    ),
    "ashamed": (
        "ashamed", "shame", "embarrassed", "embarrassing", "humiliated", "humiliating", "mortified", "exposed", "small", "ridiculous",
        "inadequate", "foolish",
    ),
    "disappointed": ("disappointed", "disappointment", "let down", "disillusioned", "discouraged", "deflated"),
    "jealous": ("jealous", "jealousy", "envious", "envy"),
    "guilty": ("guilty", "guilt", "remorse", "remorseful", "regretful", "to blame", "selfish"),
    "hurt": ("hurt", "wounded", "rejected", "left out", "unwanted", "betrayed", "abandoned", "pained", "stung"),
    "suspicious": ("suspicious", "suspicion", "mistrustful", "distrustful", "distrust", "wary", "paranoid"),
}  # fmt: skip
assert set(LEXICON) == set(EMOTION_GROUPS)

_GROUP_OF = {word: group for group, terms in LEXICON.items() for word in terms}
_TERMS = "|".join(sorted((re.escape(word) for word in _GROUP_OF), key=len, reverse=True))
_ANY = re.compile(rf"\b({_TERMS})\b", re.I)
_ATTRIBUTION = re.compile(
    r"\byou(?:'re| are| were| must be| must have been| must feel| feel| felt| seem| sound| look| have been| get| got|'ve been|r)\b"
    r"(?:\s+(?:feel|feeling|so|very|really|quite|a bit|rather|pretty|just|also|still|both|deeply|terribly|like|that|being|been|and|even|more|such|some|of|a|lot))*"
    rf"\s+({_TERMS})\b|\bhow (?:\w+ )?({_TERMS}) (?:that|it|this|he|she|they|you)\b|\b(?:left|leaves|leave|made|makes|make) you (?:feel |feeling |so |very |really |quite )*({_TERMS})\b|\b(?:your|that|this|the|a lot of|so much|such)\s+(?:\w+\s)?({_TERMS})\b"
    rf"|\b(?:feeling|being)\s+(?:so |very |really |that |quite |rather |also |still )*({_TERMS})\b|^(?:so|then|right|mm|yes|ah),?\s+({_TERMS})\b"
    rf"|\b({_TERMS})\s+(?:is|was|comes across|stays with|stayed with)\b|\byou (?:say|said|name|named|mention|mentioned|call it|called it),?\s+({_TERMS})\b",
    re.I,
)
_TENTATIVE = re.compile(
    r"\b(?:i wonder|perhaps|maybe|might|could it be|it sounds|sounds (?:like|as)|it seems|seems (?:like|as)|i imagine|i guess|i'm hearing|if i (?:hear|understand)|"
    r"is that right|have i got|or am i|i hear)\b|\?",
    re.I,
)
_OWN = re.compile(r"\b(?:i|me|my|i'm|i've|i'd)\b", re.I)


@dataclass(frozen=True, slots=True)
class Attribution:
    """A feeling attributed to the listener; `tentative` when offered as a guess or a question."""

    group: str
    word: str
    tentative: bool


@lru_cache(maxsize=20_000)
def feelings_in(text: str) -> frozenset[str]:
    """The emotion groups named anywhere in a text."""
    return frozenset(_GROUP_OF[match.group(1).lower()] for match in _ANY.finditer(text[:4_000]))


@lru_cache(maxsize=20_000)
def disclosed_feelings(text: str) -> frozenset[str]:
    """The emotion groups named in sentences in which the speaker talks about themselves."""
    return frozenset(group for s in sentences(text) if _OWN.search(s) for group in feelings_in(s))


@lru_cache(maxsize=20_000)
def attributions(text: str) -> tuple[Attribution, ...]:
    """Feelings that an utterance attributes to the listener ("you feel …", "that hurt you carry")."""
    found: list[Attribution] = []
    for sentence in sentences(text):
        for match in _ATTRIBUTION.finditer(sentence):
            word = next(group for group in match.groups() if group).lower()
            found.append(Attribution(_GROUP_OF[word], word, bool(_TENTATIVE.search(sentence))))
    return tuple(found)

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
_FEELS = r"(?:be|been|feel|felt|be feeling|have been|have felt|have been feeling|be left)"
_SOFTLY = r"(?:\s+(?:a bit|a little|somewhat|rather|quite|very|really|so|also|still|even|perhaps|possibly|maybe|well|feeling|being|just))*"
# Words that mean a feeling and hardly anything else; in a guess nothing else shows that a feeling is meant.
_PLAIN = "|".join(
    "sad sadness lonely loneliness miserable depressed hopeless unhappy grief anxious anxiety worried afraid scared fearful fear nervous "
    "tense frightened dread uneasy overwhelmed angry anger furious irritated annoyed rage resentful resentment frustrated frustration "
    "ashamed shame embarrassed humiliated mortified disappointed disappointment discouraged jealous jealousy envious envy guilty guilt "
    "hurt rejected betrayed abandoned suspicious suspicion mistrustful wary".split()
)
_GUESS = re.compile(
    rf"\byou\s+(?:might|may|could|must|would|will|can)(?:\s+(?:well|also|perhaps|possibly|still|just)|,[^,]*,)*\s+{_FEELS}{_SOFTLY}\s+({_TERMS})\b"
    rf"|\b(?:were|are|might|could|may|did|do|had|have)\s+you{_SOFTLY}(?:\s+{_FEELS})?{_SOFTLY}\s+({_PLAIN})\b"
    rf"|\b(?:guess(?:ing)?|hunch|wondering about|comes to (?:me|mind)|try a word|word for it|perhaps|maybe|possibly|could it be|it might be|it may be)\b"
    rf"(?:[\s,:]+(?:\w|['’])+){{0,5}}?[\s,:;]+({_PLAIN})\b"
    rf"|\b({_PLAIN})(?:,?\s+(?:maybe|perhaps))?[\s,]+(?:be anywhere|anywhere|come(?:s)? (?:near|close)|would head|be near|be close|close)\b"
    rf"|\b(?:would|will)\s+be\s+({_PLAIN})\b|\b(?:felt|feel)\s+({_PLAIN});\s+does\b"
    rf"|\b(?:name it|the feeling|you put it as|word you chose (?:was|is)|on your own showing|there you are|i'm hearing|feel as|sounds|seems)[,:]?{_SOFTLY}\s+({_PLAIN})\b"
    rf"|[:;]\s+({_PLAIN})(?:\?|,\s+(?:maybe|perhaps))",
    re.I,
)
_OF_OTHERS = re.compile(r"\b(?:he|she|they|him|her|them|his|their)(?:'s|'re)?\b", re.I)
_OF_ONESELF = re.compile(rf"\b(?:i'm|i am|i was|i feel|i felt|makes me|made me)\b[^,;.]*\b(?:{_PLAIN})\b", re.I)
_TENTATIVE = re.compile(
    r"\b(?:i wonder|perhaps|maybe|might|could it be|sounds|it seems|seems (?:like|as)|i imagine|i guess|i'm hearing|if i (?:hear|understand)|"
    r"is that right|have i got|or am i|i hear|guess(?:ing)?|hunch|comes to (?:me|mind)|wondering|"
    r"correct me|put me right|i may be wrong)\b|\?",
    re.I,
)
_SOFT = re.compile(r"\b(?:may|could|would|possibly)\b", re.I)
"""What makes a guess of a form that is one already; in a plain claim ("so angry you could scream") it softens nothing."""
_NAMING = re.compile(
    r"^\W*(?:(?:well|oh|hm|yes|no|um|er|so),?\s+)*(?:(?:it|that|there)(?:'s| is| was|'d be)|mostly|just|mainly|a kind of|a sort of|plain|pure|only)\b"
    rf"(?:\s+(?:a|an|the|that|this|some|such|mostly|mainly|just|only|lot|lots|kind|sort|bit|of|more|like|plain|pure|real|old|great|deep))*\s+({_PLAIN})\b"
    rf"|^\W*({_PLAIN})\b(?=\W*$|,?\s+(?:mostly|mainly|i suppose|i'd say|i guess))",
    re.I,
)
"""A feeling given as an answer: "It's the guilt, mostly."."""
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
    """The emotion groups named in sentences in which the speaker talks about themselves, or says what "it" was."""
    found = {group for s in sentences(text) if _OWN.search(s) for group in feelings_in(s)}
    return frozenset(
        found | {_GROUP_OF[(m.group(1) or m.group(2)).lower()] for s in sentences(text) for m in _NAMING.finditer(s)}
    )


@lru_cache(maxsize=20_000)
def attributions(text: str) -> tuple[Attribution, ...]:
    """Feelings that an utterance attributes to the listener ("you feel …", "that hurt you carry")."""
    found: list[Attribution] = []
    for sentence in sentences(text):
        seen: set[str] = set()
        for pattern in (_ATTRIBUTION, _GUESS):
            if pattern is _GUESS and (_OF_ONESELF.search(sentence) or _OF_OTHERS.search(sentence)):
                continue
            for match in pattern.finditer(sentence):
                word = next(group for group in match.groups() if group).lower()
                if word not in seen:
                    seen.add(word)
                    soft = _TENTATIVE.search(sentence) or (pattern is _GUESS and _SOFT.search(sentence))
                    found.append(Attribution(_GROUP_OF[word], word, bool(soft)))
    return tuple(found)

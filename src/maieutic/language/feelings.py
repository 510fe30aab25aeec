"""A lexicon of feelings in nine groups: which are named, and which a speaker tells of themselves.

Groups follow the nine emotions of PATIENT-Ψ's diagram (Wang et al., EMNLP 2024); the word lists are our own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from maieutic.domain.case import EMOTION_GROUPS
from maieutic.language.sentences import sentences, words

LEXICON: Mapping[str, tuple[str, ...]] = {
    group: tuple(" ".join(terms.split()).split(", "))
    for group, terms in {
        "sad": """sad, sadness, down, low, lonely, loneliness, miserable, depressed, empty, hopeless, unhappy, grief,
        heartbroken, heavy, gloomy, tearful, numb, bleak, despair, alone, flat""",
        "anxious": """anxious, anxiety, worried, worry, worries, afraid, scared, fearful, fear, nervous, tense, panicky,
        panic, terrified, frightened, dread, on edge, uneasy, stressed, overwhelmed, apprehensive, restless""",
        "angry": """angry, anger, furious, irritated, annoyed, mad, rage, resentful, resentment, frustrated,
        frustration, bitter, fuming, livid, cross, indignant""",
        "ashamed": """ashamed, shame, embarrassed, embarrassing, humiliated, humiliating, mortified, exposed, small,
        ridiculous, inadequate, foolish""",
        "disappointed": "disappointed, disappointment, let down, disillusioned, discouraged, deflated",
        "jealous": "jealous, jealousy, envious, envy",
        "guilty": "guilty, guilt, remorse, remorseful, regretful, to blame, selfish",
        "hurt": "hurt, wounded, rejected, left out, unwanted, betrayed, abandoned, pained, stung",
        "suspicious": "suspicious, suspicion, mistrustful, distrustful, distrust, wary, paranoid",
    }.items()
}
assert set(LEXICON) == set(EMOTION_GROUPS)

_GROUP_OF = {word: group for group, terms in LEXICON.items() for word in terms}
_TERMS = "|".join(sorted((re.escape(word) for word in _GROUP_OF), key=len, reverse=True))
_ANY = re.compile(rf"\b({_TERMS})\b", re.I)
PLAIN = frozenset(
    """sad sadness lonely loneliness miserable depressed hopeless unhappy grief anxious anxiety worried
    afraid scared fearful fear nervous tense frightened dread uneasy overwhelmed angry anger furious
    irritated annoyed rage resentful resentment frustrated frustration ashamed shame embarrassed
    humiliated mortified disappointed disappointment discouraged jealous jealousy envious envy guilty
    guilt hurt rejected betrayed abandoned suspicious suspicion mistrustful wary""".split()
)
"""Words that mean a feeling and hardly anything else; in an answer of few words nothing else shows that one is
meant."""
_INTERJECTIONS = frozenset("well oh hm yes no um er so".split())
_NAMING = frozenset("it it's that that's there there's mostly just mainly plain pure only".split())
_FILLING = _NAMING | frozenset(
    "is was it'd there'd be a an the this some such lot lots kind sort bit of more like real old great deep".split()
)
_HEDGES = frozenset("mostly mainly i".split())
_OWN = frozenset("i me my i'm i've i'd i'll".split())


@lru_cache(maxsize=20_000)
def feelings_in(text: str) -> frozenset[str]:
    """The emotion groups named anywhere in a text."""
    return frozenset(_GROUP_OF[match.group(1).lower()] for match in _ANY.finditer(text[:4_000]))


def named_feelings(sentence: str) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Each feeling that a sentence names, in order: its group, the word, and the words before it."""
    return tuple(
        (_GROUP_OF[match.group(1).lower()], match.group(1).lower(), words(sentence[: match.start()]))
        for match in _ANY.finditer(sentence)
    )


@lru_cache(maxsize=20_000)
def disclosed_feelings(text: str) -> frozenset[str]:
    """The emotion groups named in sentences in which the speaker talks about themselves, or says what "it" was."""
    found: set[str] = set()
    for sentence in sentences(text):
        if not _OWN.isdisjoint(words(sentence)):
            found |= feelings_in(sentence)
        else:
            found |= _given_as_answer(sentence)
    return frozenset(found)


def _given_as_answer(sentence: str) -> set[str]:
    """A feeling given as an answer: "It's the guilt, mostly."."""
    for group, word, before in named_feelings(sentence):
        if word not in PLAIN:
            continue
        led = list(before)
        while led and led[0] in _INTERJECTIONS:
            led = led[1:]
        after = words(sentence)[len(before) + 1 :]
        opens = led[:1] == ["a"] or (bool(led) and led[0] in _NAMING)
        if (opens and _FILLING.issuperset(led)) or (not before and (not after or after[0] in _HEDGES)):
            return {group}
    return set()

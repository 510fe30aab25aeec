"""Scores what is said to a person, or about them, on four scales from 0 to 1, by a head and sentence vectors; no model
is asked.

The same rubric reads a single answer and the turns of a whole session, so that the two can be set side by side.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final

from maieutic.language.feelings import feelings_in
from maieutic.language.sentences import content_words, sentences, stands_in, words
from maieutic.reading.bag import sentence_row
from maieutic.reading.head import load
from maieutic.reading.minilm import shared_minilm

SCALES: Final = ("empathy", "validation", "cognition", "emotion")
_NEAR, _FAIR = 0.45, 0.35  # cosines at which a sentence says the same thought, or half of it
_PENALTY = 0.5
DOES: Final = ("grants", "gives_back", "cures", "own_story", "signs", "none")
"""What a sentence of an answer does: says that the reaction makes sense; gives back; advises, comforts, disputes or
makes light; tells of oneself; agrees with the harsh conclusion; none of these."""

_NOUNS: Final = {
    "embarrassment": "ashamed",
    "humiliation": "ashamed",
    "inadequacy": "ashamed",
    "worthlessness": "ashamed",
    "rejection": "hurt",
    "exclusion": "hurt",
    "abandonment": "hurt",
    "betrayal": "hurt",
    "sorrow": "sad",
    "hopelessness": "sad",
    "emptiness": "sad",
    "regret": "guilty",
    "unease": "anxious",
    "nervousness": "anxious",
    "apprehension": "anxious",
    "insecurity": "anxious",
    "irritation": "angry",
    "injustice": "angry",
    "disillusionment": "disappointed",
}
_OWN: Final = {
    "she's": "I'm",
    "he's": "I'm",
    "they're": "I'm",
    "you're": "I'm",
    "she": "I",
    "he": "I",
    "you": "I",
    "her": "my",
    "his": "my",
    "your": "my",
    "him": "me",
    "himself": "myself",
    "herself": "myself",
}
"""Words about a person as that person would say them."""
_ASSENT: Final = ("and", "right", "yes", "agree", "true", "because", "that")
_PLACES: Final = frozenset({"down", "low", "flat", "small", "alone", "cross", "heavy", "mad", "stung"})


def empathy(text: str, said: str, feelings: Collection[str]) -> float:
    """How far a reply shows that the person was understood, 0 to 1.

    Mean of three: names a feeling that fits; takes up at least two of the person's words; gives back instead of asking
    or telling only. Half a point off each for a cure (advice, comfort, dispute, making light) and for talk about
    oneself.
    """
    fits = bool(_named(text) & set(feelings))
    back = fits or bool(does(text) & {"gives_back", "grants"})
    return _less(text, (fits + _takes_up(text, said) + back) / 3)


def validation(
    text: str, said: str, feelings: Collection[str], grounds: Collection[str] = (), signed: Collection[str] = ()
) -> float:
    """How far a reply says that the reaction makes sense, without signing its conclusion, 0 to 1.

    Mean of two: acknowledges (1 by saying that it makes sense or naming a feeling that fits, 0.5 by giving back only),
    and links it with what happened (a ground, or two of the person's words). 0 where it signs the harsh conclusion;
    half a point off as for empathy.

    Args:
        grounds: Stems of what makes the reaction understandable; none to go by the person's own words.
        signed: Phrases that agree with the harsh conclusion.
    """
    flat = " ".join(text.lower().replace("’", "'").split())
    if any(_agrees(flat, phrase) for phrase in signed):
        return 0.0
    done = does(text)
    if "signs" in done:
        return 0.0
    grants = 1.0 if "grants" in done or _named(text) & set(feelings) else 0.5 * ("gives_back" in done)
    linked = _takes_up(text, said) or any(stands_in(flat, stem, whole=False) for stem in grounds)
    return _less(text, (grants + linked) / 2)


def cognition(text: str, thoughts: Sequence[str], foils: Sequence[str]) -> float:
    """How far a text names the thought that is behind it, 0 to 1.

    1 where a sentence lies at a cosine of 0.45 or more to an expected one and nearer to it than to any foil; 0.5 from
    0.35; half of that for advice or comfort beside it.
    """
    best = max((_nearness(one, tuple(thoughts), tuple(foils)) for one in _clauses(text)), default=0.0)
    near = 1.0 if best >= _NEAR else 0.5 if best >= _FAIR else 0.0
    return near / 2 if "cures" in does(text) else near


def emotion(text: str, feelings: Collection[str]) -> float:
    """How well the feelings that a text names are those to be expected, 0 to 1: F1, two right ones being enough."""
    return overlap(_named(text, everywhere=True), feelings)


def overlap(named: Collection[str], expected: Collection[str]) -> float:
    """F1 of named groups against expected ones, where two right ones count as all; 0 when nothing fits."""
    hits = len(set(named) & set(expected))
    if not hits:
        return 0.0
    precision, recall = hits / len(set(named)), min(1.0, hits / min(2, len(set(expected))))
    return 2 * precision * recall / (precision + recall)


def says_thought(text: str, thought: str) -> bool:
    """Whether a sentence of the text lies near a thought."""
    return max((_nearness(one, (thought,), ()) for one in _clauses(text)), default=0.0) >= _NEAR


def _less(text: str, score: float) -> float:
    done = does(text)
    return max(0.0, score - _PENALTY * ("cures" in done) - _PENALTY * ("own_story" in done))


@lru_cache(maxsize=20_000)
def does(text: str) -> frozenset[str]:
    """What the sentences of a text do, of `DOES`, each where its head is sure."""
    head = load("gap/weights/single_vs_session.npz", "answers")
    parts = [part for part in sentences(text) if words(part)]
    return frozenset[str]().union(*(head.counted(sentence_row(part, head.places)) for part in parts))


def _named(text: str, *, everywhere: bool = False) -> frozenset[str]:
    """Feeling groups named; words that are also places or sizes do not count in a list of feelings."""
    flat = text.lower()
    nouns = {group for noun, group in _NOUNS.items() if stands_in(flat, noun)}
    if everywhere:
        flat = " ".join(word for word in flat.split() if word.strip(".,;:!?") not in _PLACES)
    return feelings_in(flat) | nouns


def _agrees(flat: str, phrase: str) -> bool:
    """Whether the phrase begins a clause, or follows a word of assent."""
    befores = [before.split() for before in flat.split(phrase)[:-1]]
    return any(not spoken or spoken[-1][-1] in ".!?,;" or spoken[-1] in _ASSENT for spoken in befores)


def _takes_up(text: str, said: str) -> bool:
    return len(content_words(text) & content_words(said)) >= 2


def _clauses(text: str) -> list[str]:
    """Sentences, and what stands in quotation marks or behind 'that', each at least two words long."""
    found: list[str] = []
    for sentence in sentences(text):
        found += [
            sentence,
            *re.findall(r"[\"“‘]([^\"”’]{6,160})[\"”’]", sentence),
            *re.split(r"\bthat\b|[:;,]| and ", sentence),
        ]
    return [one for one in dict.fromkeys(found) if len(words(one)) >= 2]


@lru_cache(maxsize=4_000)
def _nearness(clause: str, thoughts: tuple[str, ...], foils: tuple[str, ...]) -> float:
    """The cosine to the nearest expected thought; 0 where a foil is nearer."""
    vectors = shared_minilm()([_first_person(clause), *thoughts, *foils])
    cosines = vectors[1:] @ vectors[0]
    expected = float(cosines[: len(thoughts)].max())
    foil = float(cosines[len(thoughts) :].max()) if foils else -1.0
    return expected if expected > foil else 0.0


def _first_person(clause: str) -> str:
    """What is said of a person as they would say it, roughly, so that it can be held against a thought."""
    return " ".join(_OWN.get(word.lower(), word) for word in clause.split())

"""Scores what is said to a person, or about them, on four scales from 0 to 1, by rules and sentence vectors; no model is asked.

The same rubric reads a single answer and the turns of a whole session, so that the two can be set side by side.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final

from maieutic.coding.rules import code_text
from maieutic.domain.codes import Move
from maieutic.language.feelings import feelings_in
from maieutic.language.sentences import content_words, sentences, words
from maieutic.models.embedding import shared_minilm

SCALES: Final = ("empathy", "validation", "cognition", "emotion")
_NEAR, _FAIR = 0.45, 0.35  # cosines at which a sentence says the same thought, or half of it
_PENALTY = 0.5

_SENSE: Final = re.compile(
    r"\b(?:makes? (?:\w+ )?sense|understandabl[ey]|(?:little|no|small) wonder|not surprising|of course|(?:any|some)(?:one|body) (?:would|might|could|who)|who wouldn't|(?:most|many) people would|natural(?:ly)?"
    r"|i (?:can )?(?:understand|see) (?:why|how|that)|given (?:what|that|how|all|everything)|after (?:all|what|\w+ years|everything|that)|it fits that|(?<!no )reason (?:to|why|for)|when (?:you|one|somebody) (?:\w+ )?(?:care|love|matter)|because (?:you|it|she|he|they))\b",
    re.I,
)
_SELF: Final = re.compile(
    r"\b(?:i know (?:exactly )?(?:how|what) (?:you|it|that)|i(?:'ve| have) (?:been there|felt|had|gone through)|(?:same|something similar) happened to me|when i was|i (?:once|also|too)\b|my (?:own )?(?:mother|father|mum|dad|wife|husband|son|daughter|boss|friend))\b",
    re.I,
)
_DISMISS: Final = re.compile(
    r"\b(?:at least|could be worse|others have|other people have|don't (?:worry|be silly|dwell|think (?:about|so much)|take it)|cheer up|get over|move on|look on the bright|no big deal|overreact\w*|too sensitive|it(?:'s| is) (?:only|just) a|calm down|snap out|positive|no reason to|shouldn't feel)\b",
    re.I,
)
_THOUGHT_FORM: Final = re.compile(
    r"\bthink\w*|\bthought\w*|\bbeliev\w*|\btell(?:s|ing)? (?:him|her|them|my)sel\w+|\bassum\w*|\bmind\b|\bthat (?:i|he|she|they|nobody|no one|everyone|people|something|the|we|it)\b|\b(?:i'm|i am|i've|i have|i can't|i'll|i will|i should|they'll|they|nobody|no one|everyone|she|he) ",
    re.I,
)
_NOUNS: Final = {
    "embarrassment": "ashamed", "humiliation": "ashamed", "inadequacy": "ashamed", "worthlessness": "ashamed", "rejection": "hurt",
    "exclusion": "hurt", "abandonment": "hurt", "betrayal": "hurt", "sorrow": "sad", "hopelessness": "sad", "emptiness": "sad",
    "regret": "guilty", "unease": "anxious", "nervousness": "anxious", "apprehension": "anxious", "insecurity": "anxious",
    "irritation": "angry", "injustice": "angry", "disillusionment": "disappointed",
}  # fmt: skip
_PLACES: Final = frozenset({"down", "low", "flat", "small", "alone", "cross", "heavy", "mad", "stung"})


def empathy(text: str, said: str, feelings: Collection[str]) -> float:
    """How far a reply shows that the person was understood, 0 to 1.

    Mean of three: names a feeling that fits; takes up at least two of the person's words; gives back instead of asking or
    telling only. Half a point off each for a cure (advice, comfort, dispute, making light) and for talk about oneself.
    """
    code = code_text(text, said).moves
    fits = bool(_named(text) & set(feelings))
    back = fits or Move.REFLECTION in code or Move.SUMMARY in code
    return _less(text, said, (fits + _takes_up(text, said) + back) / 3)


def validation(
    text: str, said: str, feelings: Collection[str], grounds: Collection[str] = (), signed: Collection[str] = ()
) -> float:
    """How far a reply says that the reaction makes sense, without signing its conclusion, 0 to 1.

    Mean of two: acknowledges (1 by saying that it makes sense or naming a feeling that fits, 0.5 by giving back only), and
    links it with what happened (a ground, or two of the person's words). 0 where it signs the harsh conclusion; half a
    point off as for empathy.

    Args:
        grounds: Stems of what makes the reaction understandable; none to go by the person's own words.
        signed: Phrases that agree with the harsh conclusion.
    """  # fmt: skip
    flat = " ".join(text.lower().replace("’", "'").split())
    if any(
        re.search(rf"(?:^|[.!?,;] ?|\b(?:and|right|yes|agree|true|because|that) ){re.escape(phrase)}", flat)
        for phrase in signed
    ):
        return 0.0
    code = code_text(text, said).moves
    grants = 1.0 if _SENSE.search(text) or _named(text) & set(feelings) else 0.5 * (Move.REFLECTION in code)
    linked = _takes_up(text, said) or any(re.search(rf"\b{re.escape(stem)}", flat) for stem in grounds)
    return _less(text, said, (grants + linked) / 2)


def cognition(text: str, thoughts: Sequence[str], foils: Sequence[str]) -> float:
    """How far a text names the thought that is behind it, 0 to 1.

    1 where a sentence says a thought and lies at a cosine of 0.45 or more to an expected one and nearer to it than to any
    foil; 0.5 from 0.35 or without the form of a thought; half of that for advice in its place.
    """
    best = max((_nearness(one, tuple(thoughts), tuple(foils)) for one in _clauses(text)), default=0.0)
    near = 1.0 if best >= _NEAR else 0.5 if best >= _FAIR else 0.0
    formed = near if _THOUGHT_FORM.search(text) else near / 2
    return formed / 2 if Move.ADVICE in code_text(text).moves else formed


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


def _less(text: str, said: str, score: float) -> float:
    code = code_text(text, said).moves
    cured = bool({Move.ADVICE, Move.REASSURANCE, Move.CHALLENGE} & set(code)) or bool(_DISMISS.search(text))
    return max(0.0, score - _PENALTY * cured - _PENALTY * bool(_SELF.search(text)))


def _named(text: str, *, everywhere: bool = False) -> frozenset[str]:
    """Feeling groups named; words that are also places or sizes do not count in a list of feelings."""
    flat = text.lower()
    nouns = {group for noun, group in _NOUNS.items() if re.search(rf"\b{noun}\b", flat)}
    if everywhere:
        flat = re.sub(rf"\b(?:{'|'.join(sorted(_PLACES))})\b", " ", flat)
    return feelings_in(flat) | nouns


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
    bare = re.sub(
        r"^\W*(?:(?:s?he|they|the person|this person|the client|the patient|you) (?:\w+ )?(?:thinks?|believes?|feels?|assumes?|fears?|worr\w+|is (?:probably |likely )?(?:thinking|telling \w+))|probably|maybe|perhaps)\W+(?:that )?",
        "",
        clause,
        flags=re.I,
    )
    for pattern, own in (
        (r"\b(?:she|he|they|you)(?:'s| is|'re| are)\b", "I am"),
        (r"\b(?:she|he|you)\b", "I"),
        (r"\b(?:her|his|your)\b", "my"),
    ):
        bare = re.sub(pattern, own, bare, flags=re.I)
    return bare or clause


__all__ = ["SCALES", "cognition", "emotion", "empathy", "overlap", "says_thought", "validation"]

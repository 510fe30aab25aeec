"""What a reply to an ambiguous remark looks like in numbers: the form of its questions, and which reading it is near."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.gap.items import packaged
from maieutic.gap.reply_likeness import Floats, form_of, is_asked, likeness, pieces, to_you, vectors
from maieutic.language.sentences import content_words, sentences

_CLARIFIES: Final = re.compile(
    r"\b(?:(?:do|did) (?:you|she|he|they) mean|can i check|(?:what|who|whom|which|how|where) (?:do|did|would) you mean|mean (?:by|when you|that|the first|one|it)|in what (?:sense|way)|which (?:of (?:the|those|these)|one|way|do you|is it|was it)"
    r"|who (?:was|is|were|had) (?:it|the one)|(?:am|was) i (?:right|hearing|understanding)|can (?:you|we) be (?:more )?(?:clear|specific)|(?:not|n't) (?:quite |sure |certain )*(?:sure |clear |certain |tell )(?:whether|which|if|who|what|i)"
    r"|help me (?:understand|be clear|get)|when you say|say (?:a (?:little|bit) )?more about (?:what|which|who)|could (?:mean|be) (?:two|either|different|more)|either .{3,80}\bor\b|is (?:it|that|this) (?:more )?(?:that|because|a) .{3,90}\bor\b)",
    re.I | re.S,
)
_UNSURE: Final = re.compile(r"(?:\bnot|n't) (?:quite |yet |at all )*(?:sure|clear|certain|tell|follow)", re.I)
_WHO: Final = re.compile(r"^(?:and |so |then |but )*who(?:m|se)?\b(?! else)", re.I)
_SIDE_BY_SIDE: Final = re.compile(
    r"(?:^|[:;,–—]\s*)(?:and |so |then |but )*(?:is|are|was|were|do|does|did|has|have|in the sense|closer to|more)\b.{3,140}\bor\b",
    re.I | re.S,
)
_WHICH_ONE: Final = re.compile(
    r"\b(?:since|about|with|from) (?:what|whom|which)\b|\bwhat (?:does|did) .{2,40} (?:look like|mean)\b|\bwhat (?:is|was) (?:the |this |that )?['\"‘“]",
    re.I,
)
_OR: Final = re.compile(r"\bor\b", re.I)
_MEANS: Final = re.compile(
    r"\b(?:(?:do|did|would|are|were) (?:you|she|he|they) (?:mean|saying|talking)|(?:you|he|she|they) mean\b|mean(?:s|t)? (?:by|when|that|with|it)|(?:what|which|how|in what) (?:sense|way)|as in\b|when you say|by ['\"‘“]|what exactly|what (?:does|do|is|are|was) (?:['\"‘“]|that|it|the)|how (?:should|am|do|can|shall) i (?:to )?(?:take|hear|read|understand)|which (?:way|one|of|part|is|was)|(?:is|was) (?:it|that|this) (?:more )?(?:a|as|the|that|because|good|out|about)?|spell (?:it|that) out|more than one way|(?:couple|two|several|different|both|either) (?:of )?(?:ways?|things|meanings))",
    re.I,
)
_CHECKS: Final = re.compile(
    r"\b(?:(?:check|clear|unclear|clarif\w+|make sure|sure|certain|be careful|be precise|precise|straight|assume|guess|misunderstand|get (?:this|it|that|you) right|got (?:this|it|that|you) right|follow|lost|confused|help me|understood|tell (?:if|whether|from))\b|hang on|hold on)",
    re.I,
)
_WHICH_PERSON: Final = re.compile(r"\b(?:who|whom|whose|which (?:one|of))\b(?! else)", re.I)
_QUOTES: Final = re.compile(r"['\"‘“]\w[^'\"]{1,20}['\"’”]")
_GOES_ON: Final = (
    "What was that like for you?",
    "What happened next?",
    "How did you feel?",
    "What went through your mind?",
    "Tell me more about it.",
    "How long has this been going on?",
    "It sounds very hard.",
    "Thank you for telling me.",
    "Where would you like to begin?",
    "What did they say?",
)
_ASKS_MEANING: Final = (
    "Do you mean one thing or the other?",
    "What do you mean by that word?",
    "I'm not sure which of the two you mean.",
    "Who do you mean by he or she?",
    "Is that good or bad for you?",
    "Which one is it?",
    "In what sense?",
)


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Words with two intended readings and a third that they cannot have.

    Attributes:
        readings: What each reading is, in words. about: What a reply speaks of that has taken it, part by part.
        cues: Words that often show which of the two a reply has taken.
    """

    id: str
    kind: str
    said: str
    readings: tuple[str, str]
    about: tuple[tuple[str, ...], tuple[str, ...]]
    cues: tuple[re.Pattern[str], re.Pattern[str]]
    foil: str


@lru_cache(maxsize=1)
def ambiguities() -> tuple[Ambiguous, ...]:
    """The packaged items, in their order."""
    return tuple(
        Ambiguous(
            i["id"], i["kind"], i["said"], (one["means"], other["means"]),
            (_listed(one["about"]), _listed(other["about"])), (cue(one["cues"]), cue(other["cues"])), i["foil"],
        )
        for i in packaged("ambiguity") for one, other in [i["readings"]]
    )  # fmt: skip


def cue(pattern: str) -> re.Pattern[str]:
    """An item's cue words at the start of a word."""
    return re.compile(rf"\b(?:{pattern})", re.I | re.S)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


def _near(texts: tuple[str, ...] | list[str], item: Ambiguous, which: int) -> Floats:
    """How near each text is to a reading: to its description, and to the two parts of it that are nearest. (texts,)"""
    if not texts:
        return np.zeros(1)
    parts = item.about[which]
    to = likeness(vectors(texts), vectors([to_you(item.readings[which]), ", ".join(parts), *parts]))
    return np.asarray(0.5 * to[:, :2].max(axis=1) + 0.5 * np.sort(to, axis=1)[:, -2:].mean(axis=1))


def _own_words(item: Ambiguous, which: int) -> list[str]:
    """Words of one reading that neither the other nor the remark has."""
    words = [content_words(f"{item.readings[n]} {' '.join(item.about[n])}") for n in (which, 1 - which)]
    return sorted(words[0] - words[1] - content_words(item.said))


def numbers_of(reply: str, item: Ambiguous) -> dict[str, float]:
    """What rules and likenesses say of a reply."""
    spoken = sentences(reply)
    asked = [s for s in spoken if is_asked(s)]
    told = [s for s in spoken if not is_asked(s)]
    known = content_words(item.said)
    found = _forms(spoken, asked, item, known) | _nearness(reply, asked, told, item)
    hit = [bool(c.search(reply)) for c in item.cues]
    found |= {"both_cues": all(hit), "one_cue": hit[0] != hit[1], "no_question": not asked}
    words = vectors(sorted(content_words(reply) - known))
    alike = [likeness(words, vectors(_own_words(item, n))).max(axis=1) for n in (0, 1)]
    ahead = [float((alike[n] - alike[1 - n]).max()) for n in (0, 1)]
    found |= {"words_ahead": max(ahead), "words_behind": min(ahead)}
    found |= {"words_near": max(float(a.max()) for a in alike), "words_of_both": min(float(a.max()) for a in alike)}
    return found | {f"kind_{kind}": item.kind == kind for kind in ("reference", "stance", "scope")}


def _forms(spoken: tuple[str, ...], asked: list[str], item: Ambiguous, known: frozenset[str]) -> dict[str, float]:
    """General forms of questions after what is meant."""
    all_said = vectors(spoken)
    to_meaning = likeness(all_said, vectors(_ASKS_MEANING))
    echoes = [len(content_words(s) & known) / max(1, len(content_words(s))) for s in asked]
    return {
        "clarifies": any(_SIDE_BY_SIDE.search(s) or _CLARIFIES.search(s) or _WHICH_ONE.search(s) for s in asked),
        "unsure": any(_CLARIFIES.search(s) for s in spoken if _UNSURE.search(s)),
        "means": any(_MEANS.search(s) for s in asked),
        "checks": any(_CHECKS.search(s) for s in spoken),
        "person": any(_WHICH_PERSON.search(s) for s in asked),
        "who": item.kind == "reference" and any(_WHO.search(s) for s in asked),
        "or": any(_OR.search(s) for s in asked),
        "quotes": any(_QUOTES.search(s) for s in spoken),
        "goes_on": float(likeness(all_said, vectors(_GOES_ON)).max()),
        "asks_meaning": float(to_meaning.max()),
        "asks_meaning_widely": float(np.sort(to_meaning.max(axis=0))[-3:].mean()),
        "echo": max(echoes, default=0.0),
    }


def _nearness(reply: str, asked: list[str], told: list[str], item: Ambiguous) -> dict[str, float]:
    """How near the reply, its sentences and the two sides of an "or" come to each reading."""
    parts = pieces(reply)
    near = [_near(parts, item, n) for n in (0, 1)]
    whole = [float(_near((reply,), item, n)[0]) for n in (0, 1)]
    to_said = likeness(vectors(parts), vectors([item.said]))[:, 0]
    choices = [s for s in asked if _OR.search(s)]
    both = np.minimum(_near(choices, item, 0), _near(choices, item, 1))
    apart = 0.0
    for sentence in choices:
        sides = _OR.split(sentence)
        left, right = (float(_near((s,), item, 0)[0] - _near((s,), item, 1)[0]) for s in (sides[0], sides[-1]))
        apart = max(apart, abs(left - right) if left * right < 0 else 0.0)
    return {
        "or_near_both": float(both.max()),
        "or_sets_apart": apart,
        "leans": float(np.abs(near[0] - near[1]).max()),
        "told_leans": float(np.abs(_near(told, item, 0) - _near(told, item, 1)).max()),
        "asked_leans": float(np.abs(_near(asked, item, 0) - _near(asked, item, 1)).max()),
        "near": max(float(n.max()) for n in near),
        "nearer_than_said": max(float((n - to_said).max()) for n in near),
        "whole_leans": abs(whole[0] - whole[1]),
        "whole_near": max(whole),
    }


def seen(reply: str, item: Ambiguous) -> Floats:
    """What the head reads: the numbers, and the reply's form."""
    known = content_words(" ".join((item.said, *item.about[0], *item.about[1])))
    return np.concatenate([list(map(float, numbers_of(reply, item).values())), form_of(reply, known)])


__all__ = ["Ambiguous", "ambiguities", "cue", "numbers_of", "seen"]

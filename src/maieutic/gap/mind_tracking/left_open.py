"""What replies to words that leave something open look like in numbers: to an ambiguous remark, and to "A, so B".

What their sentences do, which reading of a remark they are near, and how near they come to what joins A and B.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.gap.items import packaged, yardsticks
from maieutic.gap.replies import bare, is_asked, likeness, pieces, to_you, vectors, weighed
from maieutic.language.sentences import content_words, sentences, words
from maieutic.reading.head import Floats

_REMARKS: Final = yardsticks("ambiguity")


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Words with two intended readings and a third that they cannot have.

    Attributes:
        readings: What each reading is, in words. about: What a reply speaks of that has taken it, part by part.
    """

    id: str
    kind: str
    said: str
    readings: tuple[str, str]
    about: tuple[tuple[str, ...], tuple[str, ...]]
    foil: str


@lru_cache(maxsize=1)
def ambiguities() -> tuple[Ambiguous, ...]:
    """The packaged items, in their order."""
    return tuple(
        Ambiguous(
            i["id"],
            i["kind"],
            i["said"],
            (one["means"], other["means"]),
            (_listed(one["about"]), _listed(other["about"])),
            i["foil"],
        )
        for i in packaged("ambiguity")
        for one, other in [i["readings"]]
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


def _offers(sentence: str) -> bool:
    return "or" in words(sentence)


def _near(texts: tuple[str, ...] | list[str], item: Ambiguous, which: int) -> Floats:
    """How near each text is to a reading: to its description, and to the two parts of it that are nearest. (texts,)"""
    if not texts:
        return np.zeros(1)
    parts = item.about[which]
    to = likeness(vectors(texts), vectors([to_you(item.readings[which]), ", ".join(parts), *parts]))
    return np.asarray(0.5 * to[:, :2].max(axis=1) + 0.5 * np.sort(to, axis=1)[:, -2:].mean(axis=1))


def _own_words(item: Ambiguous, which: int) -> list[str]:
    """Words of one reading that neither the other nor the remark has."""
    both = [content_words(f"{item.readings[n]} {' '.join(item.about[n])}") for n in (which, 1 - which)]
    return sorted(both[0] - both[1] - content_words(item.said))


def remark_numbers(reply: str, item: Ambiguous) -> dict[str, float]:
    """What likenesses say of a reply, and how its questions are built."""
    spoken = sentences(reply)
    asked = [s for s in spoken if is_asked(s)]
    told = [s for s in spoken if not is_asked(s)]
    known = content_words(item.said)
    found = _forms(spoken, asked, known) | _remark_nearness(reply, asked, told, item)
    found |= {"no_question": not asked}
    matter = vectors(sorted(content_words(reply) - known))
    alike = [likeness(matter, vectors(_own_words(item, n))).max(axis=1) for n in (0, 1)]
    ahead = [float((alike[n] - alike[1 - n]).max()) for n in (0, 1)]
    found |= {"words_ahead": max(ahead), "words_behind": min(ahead)}
    found |= {"words_near": max(float(a.max()) for a in alike), "words_of_both": min(float(a.max()) for a in alike)}
    return found | {f"kind_{kind}": item.kind == kind for kind in ("reference", "stance", "scope")}


def _forms(spoken: tuple[str, ...], asked: list[str], known: frozenset[str]) -> dict[str, float]:
    """How like the sentences are to questions after what is meant, and how much of the remark the questions take up."""
    all_said = vectors(spoken)
    to_meaning = likeness(all_said, vectors(_REMARKS["asks_meaning"]))
    echoes = [len(content_words(s) & known) / max(1, len(content_words(s))) for s in asked]
    return {
        "or": any(_offers(s) for s in asked),
        "goes_on": float(likeness(all_said, vectors(_REMARKS["goes_on"])).max()),
        "asks_meaning": float(to_meaning.max()),
        "asks_meaning_widely": float(np.sort(to_meaning.max(axis=0))[-3:].mean()),
        "echo": max(echoes, default=0.0),
    }


def _remark_nearness(reply: str, asked: list[str], told: list[str], item: Ambiguous) -> dict[str, float]:
    """How near the reply, its sentences and the two sides of an "or" come to each reading."""
    parts = pieces(reply)
    near = [_near(parts, item, n) for n in (0, 1)]
    whole = [float(_near((reply,), item, n)[0]) for n in (0, 1)]
    to_said = likeness(vectors(parts), vectors([item.said]))[:, 0]
    choices = [s for s in asked if _offers(s)]
    both = np.minimum(_near(choices, item, 0), _near(choices, item, 1))
    apart = 0.0
    for sentence in choices:
        sides = sentence.split(" or ")
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


def seen_of_remark(reply: str, item: Ambiguous) -> Floats:
    """What the head reads: the numbers, what the sentences do, and the reply's form."""
    known = content_words(" ".join((item.said, *item.about[0], *item.about[1])))
    return weighed(remark_numbers(reply, item), reply, known)


_ARGUMENTS: Final = yardsticks("warrants")


@dataclass(frozen=True, slots=True)
class Argument:
    """ "A, so B": the words, the content words of both parts, and what joins them."""

    id: str
    kind: str
    said: str
    a: frozenset[str]
    b: frozenset[str]
    warrant: str

    @property
    def sides(self) -> tuple[str, str]:
        """A and B, as said to the patient."""
        fact, _, conclusion = self.said.rpartition(", so ")
        return to_you(fact), to_you(conclusion.rstrip("."))


@lru_cache(maxsize=1)
def arguments() -> tuple[Argument, ...]:
    """The packaged items, in their order."""
    return tuple(
        Argument(i["id"], i["kind"], i["said"], content_words(i["a"]), content_words(i["b"]), i["warrant"])
        for i in packaged("warrants")
    )


def argument_numbers(reply: str, item: Argument) -> dict[str, float]:
    """Which sides a reply speaks of, how many questions it asks, and what likenesses say of it."""
    held = [content_words(s) for s in sentences(reply)]
    found: dict[str, float] = {
        "questions": sum(map(is_asked, sentences(reply)[:3])),
        "both_sides": any(words & item.a and words & item.b for words in held),
        "fact_words": any(words & item.a for words in held),
        "conclusion_words": any(words & item.b for words in held),
    }
    return found | _argument_nearness(reply, item)


def _argument_nearness(reply: str, item: Argument) -> dict[str, float]:
    """How near sentences and words come to the warrant, to both sides, and to questions that join them."""
    said, parts = vectors(sentences(reply)), vectors(pieces(reply))
    fact, conclusion = item.sides
    to_warrant = likeness(parts, vectors([item.warrant, to_you(item.warrant)])).max(axis=1)
    to_sides = likeness(parts, vectors([fact, conclusion]))
    known = _known(item)
    form = vectors([bare(s, known) for s in sentences(reply)])
    asks, other = likeness(form, vectors(_ARGUMENTS["asks_link"])), likeness(form, vectors(_ARGUMENTS["asks_else"]))
    joined, apart = (
        likeness(said, vectors([t.format(a=fact, b=conclusion) for t in some])).max(axis=1)
        for some in (_ARGUMENTS["linking"], _ARGUMENTS["otherwise"])
    )
    words = vectors(sorted(content_words(reply)))
    sides = [float(likeness(words, vectors(sorted(side))).max()) for side in (item.a, item.b)]
    unsaid = likeness(words, vectors(sorted(content_words(item.warrant) - content_words(item.said)))).max(axis=0)
    return {
        "warrant": float(to_warrant.max()),
        "warrant_over_sides": float((to_warrant - to_sides.max(axis=1)).max()),
        "fact": float(to_sides[:, 0].max()),
        "conclusion": float(to_sides[:, -1].max()),
        "fact_and_conclusion": float(to_sides.min(axis=1).max()),
        "joins": float((joined - apart).max()),
        "asks_link": float((asks.max(axis=1) - other.max(axis=1)).max()),
        "asks_link_widely": float((np.sort(asks)[:, -3:].mean(axis=1) - np.sort(other)[:, -3:].mean(axis=1)).max()),
        "like_fact": sides[0],
        "like_conclusion": sides[1],
        "like_both": min(sides),
        "like_unsaid": float(np.sort(unsaid)[-2:].mean()),
    }


def _known(item: Argument) -> frozenset[str]:
    return content_words(item.said) | item.a | item.b | content_words(item.warrant)


def seen_of_argument(reply: str, item: Argument) -> Floats:
    """What the head reads: the numbers, what the sentences do, and the reply's form."""
    return weighed(argument_numbers(reply, item), reply, _known(item))

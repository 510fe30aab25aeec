"""What a reply to an ambiguous remark looks like in numbers: what its sentences do, and which reading it is near."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.gap.items import packaged
from maieutic.gap.reply_likeness import Floats, form_of, is_asked, likeness, pieces, to_you, vectors
from maieutic.language.sentences import content_words, sentences, words

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


def numbers_of(reply: str, item: Ambiguous) -> dict[str, float]:
    """What likenesses say of a reply, and how its questions are built."""
    spoken = sentences(reply)
    asked = [s for s in spoken if is_asked(s)]
    told = [s for s in spoken if not is_asked(s)]
    known = content_words(item.said)
    found = _forms(spoken, asked, known) | _nearness(reply, asked, told, item)
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
    to_meaning = likeness(all_said, vectors(_ASKS_MEANING))
    echoes = [len(content_words(s) & known) / max(1, len(content_words(s))) for s in asked]
    return {
        "or": any(_offers(s) for s in asked),
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


def seen(reply: str, item: Ambiguous) -> Floats:
    """What the head reads: the numbers, what the sentences do, and the reply's form."""
    known = content_words(" ".join((item.said, *item.about[0], *item.about[1])))
    return np.concatenate([list(map(float, numbers_of(reply, item).values())), form_of(reply, known)])

"""What a reply to "A, so B" looks like in numbers: what it does, and how near it comes to what joins the two."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.gap.items import packaged
from maieutic.gap.reply_likeness import Floats, bare, form_of, is_asked, likeness, pieces, to_you, vectors
from maieutic.language.sentences import content_words, sentences

_ASKS_LINK: Final = (
    "How do you get from one to the other?",
    "What does that mean to you?",
    "What does it say about you?",
    "What is the rule behind that?",
    "Does one always mean the other?",
    "What makes it a sign of that?",
    "In your mind, one follows from the other.",
    "How does the one prove the other?",
    "Why would that have to mean that?",
)
_ASKS_ELSE: Final = (
    "What happened next?",
    "How did that feel?",
    "What could you do about it?",
    "How long has it been like this?",
    "What did they say?",
    "That sounds very hard.",
    "You could try something else.",
    "Who was there?",
    "Have you talked to anyone about it?",
    "I'm sure that isn't true.",
    "What evidence is there for that?",
)
_LINKING: Final = (
    "How does it follow from {a} that {b}?",
    "What does it say about you that {a}?",
    "Does {a} always mean that {b}?",
    "What makes you go from {a} to {b}?",
)
_OTHERWISE: Final = (
    "What happened when {a}?",
    "I'm sure it is not true that {b}.",
    "How did you feel when {a}?",
    "What can you do about it now that {a}?",
    "How long have you thought that {b}?",
)


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


def numbers_of(reply: str, item: Argument) -> dict[str, float]:
    """Which sides a reply speaks of, how many questions it asks, and what likenesses say of it."""
    held = [content_words(s) for s in sentences(reply)]
    found: dict[str, float] = {
        "questions": sum(map(is_asked, sentences(reply)[:3])),
        "both_sides": any(words & item.a and words & item.b for words in held),
        "fact_words": any(words & item.a for words in held),
        "conclusion_words": any(words & item.b for words in held),
    }
    return found | _nearness(reply, item)


def _nearness(reply: str, item: Argument) -> dict[str, float]:
    """How near sentences and words come to the warrant, to both sides, and to questions that join them."""
    said, parts = vectors(sentences(reply)), vectors(pieces(reply))
    fact, conclusion = item.sides
    to_warrant = likeness(parts, vectors([item.warrant, to_you(item.warrant)])).max(axis=1)
    to_sides = likeness(parts, vectors([fact, conclusion]))
    known = _known(item)
    form = vectors([bare(s, known) for s in sentences(reply)])
    asks, other = likeness(form, vectors(_ASKS_LINK)), likeness(form, vectors(_ASKS_ELSE))
    joined, apart = (
        likeness(said, vectors([t.format(a=fact, b=conclusion) for t in some])).max(axis=1)
        for some in (_LINKING, _OTHERWISE)
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


def seen(reply: str, item: Argument) -> Floats:
    """What the head reads: the numbers, what the sentences do, and the reply's form."""
    return np.concatenate([list(map(float, numbers_of(reply, item).values())), form_of(reply, _known(item))])

"""The facts of one situation as their words are met in a turn: what states one, what names one, and what general talk
is like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.case import Evidence, Situation
from maieutic.language.sentences import STOP_WORDS, content_words
from maieutic.protocols import Embedder
from maieutic.reading.minilm import MiniLM, kept_vectors

Vectors = NDArray[np.float32]

GENERIC = (
    "How does that make you feel?",
    "Can you tell me more about that?",
    "What do you think about that?",
    "What happened next?",
    "Why do you think that is?",
    "What would you like to talk about today?",
    "How long have you felt this way?",
    "What evidence do you have for that thought?",
    "What evidence is there against that thought?",
    "What would you say to a friend who thought this way?",
    "Is there another way of looking at it?",
    "What is the worst that could happen?",
    "Has there been a time when things went differently?",
    "What does this say about you as a person?",
    "What could you do about it this week?",
    "Where does this belief come from?",
    "What does that suggest to you?",
    "Who in your life could support you?",
    "Does that remind you of anything?",
    "What else comes to mind?",
)
"""General talk: what names no piece of any life."""

WIDE = (
    "What speaks against that thought?",
    "Has there been a time when it was different?",
    "What have you noticed that doesn't quite fit with it?",
    "When was it less true?",
    "Who knows you well and might see this differently?",
    "What has happened in all these years that a person like that could not have had?",
    "Is there anything, however small, that points the other way?",
    "What would put a question mark behind that?",
    "Which experiences go against what you say about yourself?",
    "What have you managed that the thought leaves out?",
    "Where in your life has the opposite been true?",
    "What in the last weeks does not belong in that picture?",
    "If you were mistaken about this, where would the signs of it be?",
    "What would somebody who disagrees with the thought point to?",
)
"""Own-written invitations of experience against the thought in general."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact.

    Attributes:
        name: Its id.
        told: Vectors of the ways it can be stated, (wordings + 1, d).
        keyphrases: What a turn must name to name it, a set of words each.
        matter: All content words of it.
    """

    name: str
    told: Vectors
    keyphrases: tuple[frozenset[str], ...]
    matter: frozenset[str]

    @classmethod
    def of(cls, evidence: Evidence, vectors: Mapping[str, Vectors]) -> Fact:
        texts = (evidence.fact, *evidence.said, *evidence.topics, *evidence.asks)
        return cls(
            evidence.id,
            np.stack([vectors[text] for text in (evidence.fact, *evidence.said)]),
            tuple(words for words in map(keyphrase, evidence.topics) if words),
            frozenset().union(*map(content_words, texts)),
        )


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a situation beside wide questions and general talk, as vectors, (n, d)."""

    facts: tuple[Fact, ...]
    generic: Vectors
    wide: Vectors

    @classmethod
    def of(cls, situation: Situation, embed: Embedder) -> Facts:
        """Encode a situation once; by the shared encoder once on a machine."""
        told = [text for evidence in situation.evidence for text in (evidence.fact, *evidence.said)]
        every = [*told, *GENERIC, *WIDE]
        vectors = kept_vectors(embed.name, every, embed) if isinstance(embed, MiniLM) else embed(every)
        by_text = dict(zip(every, vectors, strict=True))
        generic, wide = (np.stack([by_text[text] for text in texts]) for texts in (GENERIC, WIDE))
        return cls(tuple(Fact.of(one, by_text) for one in situation.evidence), generic, wide)


def keyphrase(topic: str) -> frozenset[str]:
    """The content words of a topic: what a turn must name to name it."""
    return frozenset(word for word in content_words(topic) if word not in STOP_WORDS)

"""The facts of one situation as their words are met in a turn: what states one, what names one, and what general talk
is like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.case import Evidence, Situation
from maieutic.language.sentences import STOP_WORDS, content_words
from maieutic.patients.prototypes import GENERIC, WIDE
from maieutic.protocols import Embedder
from maieutic.reading.kept import kept_vectors
from maieutic.reading.minilm import MiniLM

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact.

    Attributes:
        name: Its id.
        told: Vectors of the ways it can be stated, (wordings + 1, d).
        handles: What a turn must name to name it, a set of words each.
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
            tuple(words for words in map(handle, evidence.topics) if words),
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


def handle(topic: str) -> frozenset[str]:
    """The content words of a topic: what a turn must name to name it."""
    return frozenset(word for word in content_words(topic) if word not in STOP_WORDS)

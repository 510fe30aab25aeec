"""What a coder of published schemes takes and gives: utterances of one dialogue in, one coding for each out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from maieutic.coding.book import Scheme
from maieutic.transcripts.utterance import SPEAKERS, Utterance

__all__ = ["SPEAKERS", "Coding", "FacetCoding", "SchemeCoder", "Utterance"]


@dataclass(frozen=True, slots=True)
class FacetCoding:
    """The value of one facet of an utterance.

    Attributes:
        value: Id of the likeliest value.
        probabilities: Probability by value id; empty where a rule decides.
    """

    value: str
    probabilities: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Coding:
    """The code of one utterance.

    Attributes:
        predicted: Label ids, the likeliest first; exactly one where the scheme is not multi-label, never empty.
        probabilities: Probability by label id, in code-book order.
        abstain: True when the coder is among its least certain cases, or the utterance holds no word it can read.
        facets: Further codes by facet id; only those that apply to the speaker.
        quote: The words that a judge named as evidence, found in the utterance; None for coders that quote nothing.
    """

    predicted: tuple[str, ...]
    probabilities: Mapping[str, float]
    abstain: bool
    facets: Mapping[str, FacetCoding] = field(default_factory=dict)
    quote: str | None = None


class SchemeCoder(Protocol):
    """Codes the utterances of one session under one published scheme.

    Attributes:
        name: How the coder is named in tables and manifests, for example 'embedded:accurate'.
        scheme: The code book it follows.
    """

    @property
    def name(self) -> str: ...

    @property
    def scheme(self) -> Scheme: ...

    def predict(self, dialogue: Sequence[Utterance]) -> list[Coding]:
        """One coding for each utterance, in order. Raises `InputError` for an unknown speaker."""
        ...

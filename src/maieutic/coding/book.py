"""What a code book is, its labels, its facets and where it comes from; and what a coder of one takes and gives:
utterances of one dialogue in, one coding for each out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from maieutic.language.sentences import slug
from maieutic.reading.yaml_text import packaged_yaml
from maieutic.transcripts.utterance import Utterance


@dataclass(frozen=True, slots=True)
class Label:
    """One code of a scheme.

    Attributes:
        id: The label string that the scheme's own data set uses; what `predicted` holds.
        name: A readable name.
        definition: When the code fits, in our own words.
        examples: Own-written utterances that carry the code.
    """

    id: str
    name: str
    definition: str
    examples: tuple[str, ...] = ()

    @property
    def column(self) -> str:
        """The label in lower snake case, as in the column `p_<label>`."""
        return slug(self.id.lower())


@dataclass(frozen=True, slots=True)
class Facet:
    """A second question that a scheme asks of an utterance, with one answer; column `predicted_<facet>`.

    Attributes:
        id: Name of the facet.
        name: A readable name.
        definition: What is asked, in our own words.
        speaker: Of whose utterances it is asked.
        values: The possible answers; their probabilities stand in `p_<facet>_<value>`.
    """

    id: str
    name: str
    definition: str
    speaker: str
    values: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Scheme:
    """A behaviour-coding scheme.

    Attributes:
        id: Name for `--scheme`.
        name: Name in the literature.
        therapist: Codes of therapist utterances.
        client: Codes of client utterances; empty where the scheme codes none.
        multi_label: Whether one utterance may carry several codes.
        source: The paper that defines it.
        departures: Where the packaged use differs from the paper.
        facets: Further questions asked of an utterance.
        pairs: Whether an utterance is read with the one before it instead of with its whole dialogue.
        local_weights: True where the data's licence keeps fitted weights out of the package; the recipe builds them.
    """

    id: str
    name: str
    therapist: tuple[Label, ...]
    client: tuple[Label, ...]
    multi_label: bool
    source: str
    departures: str
    facets: tuple[Facet, ...] = ()
    pairs: bool = False
    local_weights: bool = False

    def labels(self, speaker: str) -> tuple[Label, ...]:
        """The codes of 'therapist' or 'client' utterances."""
        return {"therapist": self.therapist, "client": self.client}[speaker]


def read_book(name: str) -> Scheme:
    """The packaged code book of that file name."""
    return book_of(packaged_yaml("coding", "schemes", f"{name}.yaml"))


def book_of(told: Mapping[str, Any]) -> Scheme:
    """The code book that a YAML text tells; one without codes of the therapist's has a code for each value of its
    facets."""
    facets = tuple(Facet(**{**one, "values": _labels(one["values"])}) for one in told.get("facets", ()))
    of_facets = tuple(
        Label(f"{facet.id}={value.id}", f"{facet.name}: {value.name.lower()}", value.definition, value.examples)
        for facet in facets
        for value in facet.values
    )
    therapist = _labels(told["therapist"]) if "therapist" in told else of_facets
    return Scheme(**{**told, "therapist": therapist, "client": _labels(told["client"]), "facets": facets})


def _labels(rows: Iterable[Mapping[str, Any]]) -> tuple[Label, ...]:
    return tuple(Label(**{**row, "examples": tuple(row.get("examples", ()))}) for row in rows)


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

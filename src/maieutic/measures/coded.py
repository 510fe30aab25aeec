"""A transcript whose turns carry codes, as measures read it, and the packaged coder that puts them there."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, Protocol

from maieutic.errors import InputError
from maieutic.protocols import Embedder
from maieutic.transcripts.utterance import Role, Transcript, Utterance

Tier = Literal["fast", "accurate"]

THERAPIST_LABELS = ("question", "reflection", "therapist_input", "other")
IN_WORDS = dict(
    zip(THERAPIST_LABELS, ("a question", "a reflection", "advice or information", "something else"), strict=True)
)
CLIENT_LABELS = ("change", "neutral", "sustain")
LABELS = (*THERAPIST_LABELS, *CLIENT_LABELS)
FURTHER = ("bolt", "socratic")


@dataclass(frozen=True, slots=True)
class CodedTurn:
    """One turn with its code.

    Attributes:
        said: The utterance.
        label: AnnoMI label, or None where no code is at hand.
        probabilities: Probability by label; empty where there is no code.
        sure: The coder did not call itself unsure. Unsure codes count in rates all the same: leaving them out would
            shift the rates towards labels that are easy to tell.
        codes: Codes under further schemes by scheme id, for example 'bolt'. A scheme that is not a key was not coded;
            an empty tuple says that the coder found no code it would stand by.
        form: Probability that the turn's question is open, of a file with codes; None where it says nothing.
    """

    said: Utterance
    label: str | None
    probabilities: Mapping[str, float]
    sure: bool = True
    codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    form: float | None = None

    @property
    def index(self) -> int:
        """Position in the source."""
        return self.said.index

    @property
    def speaker(self) -> Role:
        """'therapist' or 'client'."""
        return self.said.speaker

    @property
    def text(self) -> str:
        """What was said."""
        return self.said.text

    @property
    def words(self) -> int:
        """Number of whitespace-separated tokens."""
        return self.said.words


@dataclass(frozen=True, slots=True, eq=False)
class CodedTranscript:
    """A transcript in scope whose turns carry codes; equal to itself alone, so that what is kept of it need not compare
    what was said.

    Attributes:
        transcript: What was read.
        turns: Its turns with their codes, in order.
        embedder: Sentence vectors for the measures that need them; None leaves those measures out, since they are slow.
    """

    transcript: Transcript
    turns: tuple[CodedTurn, ...]
    embedder: Embedder | None = None

    def by(self, speaker: Role) -> tuple[CodedTurn, ...]:
        """The turns of one speaker."""
        return tuple(turn for turn in self.turns if turn.speaker == speaker)

    def coded(self, speaker: Role) -> tuple[CodedTurn, ...]:
        """The turns of one speaker that have a code."""
        return tuple(turn for turn in self.turns if turn.speaker == speaker and turn.label is not None)

    def pairs(self, leader: Role, follower: Role) -> Iterator[tuple[CodedTurn, CodedTurn]]:
        """Turns of one speaker that the other's follows at once, with it."""
        for said, reply in pairwise(self.turns):
            if said.speaker == leader and reply.speaker == follower:
                yield said, reply

    def under(self, scheme: str, speaker: Role) -> tuple[CodedTurn, ...]:
        """The turns of one speaker that were coded under a further scheme, also those without a code."""
        return tuple(turn for turn in self.turns if turn.speaker == speaker and scheme in turn.codes)


def uncoded(transcript: Transcript, embedder: Embedder | None = None) -> CodedTranscript:
    """What was said, for measures that read the words alone."""
    return CodedTranscript(transcript, tuple(CodedTurn(said, None, {}) for said in transcript.utterances), embedder)


class Prediction(Protocol):
    """What a coder says about one turn."""

    @property
    def predicted(self) -> tuple[str, ...]: ...
    @property
    def probabilities(self) -> Mapping[str, float]: ...
    @property
    def abstain(self) -> bool: ...


Predict = Callable[[Transcript], Sequence[Prediction]]
"""Codes the utterances of one transcript, in order."""


@dataclass(frozen=True, slots=True)
class ManyCodes:
    """What the packaged coders say about one turn: AnnoMI's label, and codes of further schemes.

    Attributes:
        predicted: AnnoMI's label.
        probabilities: Probability by AnnoMI label.
        abstain: The AnnoMI coder calls itself unsure.
        codes: Codes by further scheme; empty where that coder abstains, as its scheme's 'unknown' would be.
    """

    predicted: tuple[str, ...]
    probabilities: Mapping[str, float]
    abstain: bool
    codes: Mapping[str, tuple[str, ...]]


def packaged_coder(tier: Tier = "fast") -> Predict:
    """The coder for AnnoMI's labels that comes with the package, and codes under the further schemes it has coders for.

    Args:
        tier: 'accurate' or 'fast', of the AnnoMI coder; the further schemes are coded fast.
    """
    from maieutic.coding.embedded import EmbeddedCoder

    coder = EmbeddedCoder("annomi", tier, hears=True)  # the measures hear every sentence anyway
    # The accurate coder reads each utterance once more for every further scheme, which would triple the time.
    further = further_coder("fast")

    def predict(transcript: Transcript) -> Sequence[Prediction]:
        codings = coder.predict(transcript.utterances)
        return [
            ManyCodes(coding.predicted, coding.probabilities, coding.abstain, codes)
            for coding, codes in zip(codings, further(transcript), strict=True)
        ]

    return predict


Further = Callable[[Transcript], Sequence[Mapping[str, tuple[str, ...]]]]
"""Codes the utterances of one transcript under schemes other than AnnoMI's, in order."""


def further_coder(tier: Tier = "fast") -> Further:
    """Codes under the schemes beside AnnoMI's; a scheme without weights is left out, and measures on it are missing.

    Args:
        tier: 'accurate' or 'fast'.
    """
    from maieutic.coding.embedded import EmbeddedCoder

    coders: dict[str, Any] = {}
    for scheme in FURTHER:
        # Not every scheme has weights in the package; a session is scored all the same.
        with contextlib.suppress(InputError):
            coders[scheme] = EmbeddedCoder(scheme, tier)

    def code(transcript: Transcript) -> Sequence[Mapping[str, tuple[str, ...]]]:
        found = {scheme: coder.predict(transcript.utterances) for scheme, coder in coders.items()}
        return [
            {scheme: () if codings[at].abstain else codings[at].predicted for scheme, codings in found.items()}
            for at in range(len(transcript.utterances))
        ]

    return code


def code_transcript(transcript: Transcript, predict: Predict) -> CodedTranscript:
    """A transcript with the coder's labels."""
    turns = (
        CodedTurn(
            said,
            p.predicted[0] if p.predicted else None,
            p.probabilities,
            not p.abstain,
            p.codes if isinstance(p, ManyCodes) else {},
        )
        for said, p in zip(transcript.utterances, predict(transcript), strict=True)
    )
    return CodedTranscript(transcript, tuple(turns))


MIN_CODED = 3


class Placed(Protocol):
    """Anything with a position in its session."""

    @property
    def index(self) -> int: ...


def indices(turns: Iterable[Placed]) -> tuple[int, ...]:
    """Positions of turns in their source."""
    return tuple(turn.index for turn in turns)


def too_few(turns: Sequence[CodedTurn]) -> str:
    """Why a rate is missing when fewer than three turns are coded."""
    return f"{len(turns)} coded therapist turns; at least {MIN_CODED} are needed"


def bolt_turns(coded: CodedTranscript, speaker: str) -> tuple[CodedTurn, ...]:
    """The turns of one speaker that carry at least one BOLT code."""
    return tuple(turn for turn in coded.turns if turn.speaker == speaker and turn.codes.get("bolt"))

"""What was said (Session) and what was hidden (Episode), with typed endings and scores; and what a therapist is asked
outside the dialogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Literal, NamedTuple

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.codes import TurnCode
from maieutic.domain.randomness import derive
from maieutic.domain.state import CognitiveState

Speaker = Literal["therapist", "patient"]
EndingKind = Literal["completed", "turn_limit", "handed_over", "patient_left", "failed"]


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a dialogue is over; `reason` is given for every failure."""

    kind: EndingKind
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Model calls behind a turn; token counts are None where the model does not report them."""

    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None

    def __add__(self, more: Usage) -> Usage:
        """Calls and tokens together; a token count that one of them lacks is not known for both."""
        if not self.calls:
            return more
        if not more.calls:
            return self
        both = ((self.input_tokens, more.input_tokens), (self.output_tokens, more.output_tokens))
        into, out = (None if a is None or b is None else a + b for a, b in both)
        return Usage(self.calls + more.calls, into, out)


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance.

    Attributes:
        speaker: 'therapist' or 'patient'.
        text: What was said, in plain words.
        ending: Set when the speaker ends the session with this turn.
        trace: The speaker's private reasons; never reaches the other side.
        usage: Model calls this turn cost.
        original: What the speaker wrote, where it was made plain; None where that is `text`.
    """

    speaker: Speaker
    text: str
    ending: Ending | None = None
    trace: Mapping[str, Any] | None = None
    usage: Usage | None = None
    original: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Session:
    """What was said so far, in order.

    Attributes:
        turns: The utterances; the patient opens.
        seed: Opaque number from which speakers derive their generators; it names no case and no patient.
    """

    turns: tuple[Turn, ...] = ()
    seed: int = 0

    def __add__(self, turn: Turn) -> Session:
        return Session((*self.turns, turn), self.seed)

    def __len__(self) -> int:
        return len(self.turns)

    def by(self, speaker: Speaker) -> tuple[Turn, ...]:
        """The turns of one speaker."""
        return tuple(turn for turn in self.turns if turn.speaker == speaker)

    def last(self, speaker: Speaker) -> Turn | None:
        """The latest turn of one speaker, or None."""
        return next((turn for turn in reversed(self.turns) if turn.speaker == speaker), None)

    def heard_by(self, speaker: Speaker) -> Session:
        """The session without the other side's traces."""
        if all(turn.trace is None or turn.speaker == speaker for turn in self.turns):
            return self
        kept = tuple(t if t.speaker == speaker or t.trace is None else replace(t, trace=None) for t in self.turns)
        return Session(kept, self.seed)

    def generator(self, role: str) -> Random:
        """A generator that depends on the session's seed, its length and the role only."""
        return derive(self.seed, role, len(self.turns))


class EpisodeKey(NamedTuple):
    """Names one episode within a run."""

    therapist: str
    case: str
    seed: int


@dataclass(frozen=True, slots=True)
class Episode:
    """A recorded simulated session with its hidden part.

    Attributes:
        key: (therapist, case, seed).
        session: What was said.
        states: The hidden states: before the first therapist turn, then after each; empty for a patient without a mind.
        codes: One code per therapist turn, None where no coder ran.
        appraisals: The patient's reading of each therapist turn, None where the patient has no mind.
        ending: Why it is over.
        provenance: What made it: ids, versions, split, privileges, whether the case is special.
    """

    key: EpisodeKey
    session: Session
    states: tuple[CognitiveState, ...]
    codes: tuple[TurnCode | None, ...]
    appraisals: tuple[Appraisal | None, ...]
    ending: Ending
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def therapist_turns(self) -> tuple[Turn, ...]:
        return self.session.by("therapist")

    @property
    def failed(self) -> bool:
        return self.ending.kind == "failed"


@dataclass(frozen=True, slots=True)
class Score:
    """The value of a measure on one episode or transcript.

    Attributes:
        measure: Id of the measure.
        value: The value, or None when it cannot be had.
        unit: Unit of the value.
        reason: Why the value is missing; None when it is not.
        evidence: Indices into `session.turns` that show it.
    """

    measure: str
    value: float | None
    unit: str
    reason: str | None = None
    evidence: tuple[int, ...] = ()


Form = Literal["text", "choice", "yes_no", "number"]


@dataclass(frozen=True, slots=True)
class Question:
    """One question about the session, the craft, or what the therapist would do.

    Attributes:
        id: Names the item, so that an answer can be found again.
        text: The question as it is put; options are part of it.
        form: What an answer should hold: free text, one letter of `options`, yes or no, or a number from 0 to 100.
        options: The choices of form 'choice', in the order of their letters.
        max_tokens: At most for the answer.
        about: What is asked for, for therapists that answer from a belief instead of from the words: one of 'thought',
            'belief', 'emotion', 'conviction', 'openness', 'next_move', or '' for anything else.
    """

    id: str
    text: str
    form: Form = "text"
    options: tuple[str, ...] = ()
    max_tokens: int = 160
    about: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The words of an answer, as they came; who asked reads them.

    Attributes:
        text: The answer.
        usage: Model calls it cost; None for none.
        original: What the model wrote, where it was made plain; None where that is `text`.
    """

    text: str
    usage: Usage | None = None
    original: str | None = None

"""The roles as Protocols: nobody has to inherit from this package to take part in a session."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal, Protocol, TypedDict, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.codes import TurnCode
from maieutic.domain.episode import Episode, Score, Session, Turn, Usage
from maieutic.domain.state import CognitiveState
from maieutic.errors import ModelRefused
from maieutic.reading.plain import without_reasoning


class Message(TypedDict):
    """One chat message for a model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said and what it cost.

    Attributes:
        text: The reply; what the model thought aloud in tags is taken off when the reply is made.
        usage: What it cost.
        original: The reply with what was thought aloud; None where there was nothing of it.

    Raises:
        ModelRefused: Nothing was said, only thought.
    """

    text: str
    usage: Usage
    original: str | None = None

    def __post_init__(self) -> None:
        spoken = without_reasoning(self.text)
        if not spoken and self.text:
            raise ModelRefused("the reply is all reasoning; it was cut off before the model said anything")
        if spoken != self.text:
            object.__setattr__(self, "original", self.text)
            object.__setattr__(self, "text", spoken)


@runtime_checkable
class LanguageModel(Protocol):
    """Answers a list of chat messages. Raises `ModelError` when there is no usable answer.

    Attributes:
        name: How the model is named in tables and manifests.
    """

    @property
    def name(self) -> str: ...

    async def generate(
        self, messages: Sequence[Message], *, seed: int, temperature: float = 0.7, max_tokens: int = 256
    ) -> Reply: ...

    async def close(self) -> None: ...


@runtime_checkable
class Embedder(Protocol):
    """Maps texts to unit vectors: (n,) → (n, d) float32."""

    @property
    def name(self) -> str: ...

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


@runtime_checkable
class Coder(Protocol):
    """Codes the last therapist turn of a session; may be async."""

    def code(self, session: Session) -> TurnCode | Awaitable[TurnCode]: ...


@runtime_checkable
class Therapist(Protocol):
    """Answers a session with the next turn, as a function of what was said and of `session.generator(...)`.

    Optional attributes: `needs`, a tuple with 'case' and perhaps 'state' for privileged therapists (before every turn
    the loop asks `informed(case=…, state=…)` for a therapist that knows them, and every result is marked); `absent`,
    True for the arm without a session; `answer(question, session)`, for questions outside the dialogue.
    """

    @property
    def name(self) -> str: ...

    async def respond(self, session: Session) -> Turn: ...


@runtime_checkable
class Patient(Protocol):
    """A simulated patient: a pure mind and a voice.

    A patient without a mind (a static prompt) returns None from `begin`; `transition` is then never called.
    """

    @property
    def name(self) -> str: ...

    def begin(self, rng: Random, carried: CognitiveState | None = None) -> CognitiveState | None: ...

    def comprehend(self, session: Session) -> Appraisal | Awaitable[Appraisal]: ...

    def transition(
        self, state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, rng: Random
    ) -> CognitiveState: ...

    async def speak(self, session: Session, state: CognitiveState | None, rng: Random) -> Turn: ...


@runtime_checkable
class Tracker(Protocol):
    """Folds what was said into a belief over the patient's mind."""

    def belief(self, session: Session) -> Mapping[str, Any]: ...


@runtime_checkable
class Measure(Protocol):
    """A function of one episode. Attributes: `id`, `unit`, `hidden` (True when it needs the hidden states)."""

    @property
    def id(self) -> str: ...

    @property
    def unit(self) -> str: ...

    @property
    def hidden(self) -> bool: ...

    def __call__(self, episode: Episode) -> Score: ...

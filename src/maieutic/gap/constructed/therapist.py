"""A competent therapist whose turns and answers are replaced by a failing behaviour as often as its strength says."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Literal

from maieutic.domain.episode import Answer, Question, Session, Turn
from maieutic.domain.randomness import derive
from maieutic.gap.constructed.answers import answered, wrongly_answered
from maieutic.gap.constructed.moments import grave, keyed
from maieutic.therapists.socratic import SocraticTherapist

CONTROL = "competent"
Implementation = Literal["a", "b"]


@lru_cache(maxsize=1)
def competent() -> SocraticTherapist:
    """The agent that needs no model; one for all, since its tracker remembers every talk it has heard."""
    return SocraticTherapist()


@dataclass(frozen=True, slots=True)
class Scene:
    """The moment at which a failing turn is made.

    Attributes:
        session: What was said. rng: Draws of this turn only.
    """

    session: Session
    rng: Random

    @property
    def number(self) -> int:
        """Number of the therapist turn that comes, 1-based."""
        return len(self.session.by("therapist")) + 1

    @property
    def heard(self) -> str:
        """The patient's last words; empty before any."""
        last = self.session.last("patient")
        return last.text if last is not None else ""

    @property
    def told(self) -> tuple[str, ...]:
        """All that the patient said, in order."""
        return tuple(turn.text for turn in self.session.by("patient"))

    async def control(self) -> Turn:
        """What the control would say here."""
        known = keyed(self.session)
        if known is not None:
            return Turn("therapist", known)
        return await competent().respond(self.session)

    def fresh(self, lines: Sequence[str]) -> str:
        """A line not said yet, in an order of the session's own; any when all were said."""
        order = list(lines)
        derive(self.session.seed, "constructed lines").shuffle(order)
        said = {turn.text for turn in self.session.by("therapist")}
        return next((line for line in order if not any(line in one for one in said)), order[self.number % len(order)])


Reply = Callable[[Scene], Awaitable[str | None]]
"""Makes a failing turn; None where there is nothing to fail at, and the control speaks."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question outside the dialogue at which an answer may fail.

    Attributes:
        question, session: What is asked, and where. right: The control's answer. rng: Draws of this answer only.
    """

    question: Question
    session: Session
    right: str
    rng: Random

    @property
    def wrong(self) -> str | None:
        """A wrong answer of the form that is asked for; None where none can be made."""
        return wrongly_answered(self.question, self.right, self.rng)


Reworks = Callable[[Asked], str | None]
"""Makes a failing answer; None where there is nothing to fail at, and the control's stands."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a constructed therapist fails.

    Attributes:
        reply: Its failing turns; None where it talks as the control does.
        answer: Its failing answers; None where it answers as the control does.
        careful: Where danger is told it speaks as the control does, so that it fails at its own thing only.
    """

    reply: Reply | None = None
    answer: Reworks | None = None
    careful: bool = True


@dataclass(frozen=True, slots=True)
class Constructed:
    """The control, failing at a share of its turns and answers.

    Attributes:
        failure: Name of the failure. strength: Share of turns and answers that fail, 0–1.
    """

    failure: str
    strength: float
    implementation: Implementation
    manner: Manner

    @property
    def name(self) -> str:
        """Such as 'flatterer/a/0.5'."""
        return self.failure if self.failure == CONTROL else f"{self.failure}/{self.implementation}/{self.strength:g}"

    async def respond(self, session: Session) -> Turn:
        """The next turn; whether it fails depends on the session's seed and length only."""
        rng = session.generator(f"constructed {self.failure}")
        scene = Scene(session, rng)
        fails = self.manner.reply is not None and rng.random() < self.strength
        if fails and not (self.manner.careful and grave(scene.heard)):
            assert self.manner.reply is not None
            text = await self.manner.reply(scene)
            if text is not None:
                return Turn("therapist", text)
        turn = await scene.control()
        return replace(turn, usage=None)

    async def answer(self, question: Question, session: Session) -> Answer:
        """The control's answer, or a failing one as often as the strength says."""
        right = answered(question, session)
        rng = derive(session.seed, "constructed answer", self.failure, question.id, len(session))
        if self.manner.answer is not None and rng.random() < self.strength:
            failing = self.manner.answer(Asked(question, session, right, rng))
            if failing is not None:
                return Answer(failing)
        return Answer(right)

"""The patient of the second world: its ear, mind and voice joined to the protocol."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, Final, cast

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.case import Case
from maieutic.domain.codes import TurnCode
from maieutic.domain.episode import Session, Turn
from maieutic.domain.state import Act, CognitiveState, Intent
from maieutic.protocols import Embedder
from maieutic.registry import patient
from maieutic.second_world.ear import Ear
from maieutic.second_world.mind import Mind
from maieutic.second_world.voice import Voice

NAME: Final = "second_world"


class SecondWorldPatient:
    """One person of the second world; `case` is for therapists that may see it."""

    name = NAME

    def __init__(self, case: Case, situation: str, embed: Embedder) -> None:
        self.case = case
        chosen = case.situation(situation)
        self.mind, self.voice = Mind(case, chosen), Voice(case, chosen)
        self._parts, self._ear = (chosen, embed), cast(Ear | None, None)

    def _hearing(self) -> Ear:
        """The ear, made when somebody first speaks: an arm without a session needs none."""
        if self._ear is None:
            self._ear = Ear(self.case, *self._parts)
        return self._ear

    def begin(self, rng: Random, carried: CognitiveState | None = None) -> CognitiveState:
        """The mind that the session begins with; one that was carried over keeps what it took in."""
        if carried is None:
            return self.mind.begin(rng)
        rested = tuple(replace(one, turn=-9) for one in carried.voiced)
        return replace(carried, turn=0, intent=Intent(Act.OPEN), reactance=0.0, voiced=rested)

    def comprehend(self, session: Session) -> Appraisal:
        """How the last turn is taken."""
        return self._hearing()(session)

    def transition(
        self, state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, rng: Random
    ) -> CognitiveState:
        """The mind after the turn; a coder's view of it plays no part."""
        return self.mind.step(state, appraisal, rng)

    def left_alone(self, state: CognitiveState, rng: Random) -> CognitiveState:
        """The mind after a turn's time without a session."""
        return self.mind.alone(state, rng)

    async def speak(self, session: Session, state: CognitiveState | None, rng: Random) -> Turn:
        """The words for what the mind decided."""
        assert state is not None
        kinds = [one.kind for one in self._hearing().heard(session)] if session.turns else []
        before = [turn.text for turn in session.by("patient")]
        return Turn("patient", self.voice(state, kinds, before, rng))


@patient(NAME)
def make(case: Case, situation: str, *, embed: Embedder, **parts: Any) -> SecondWorldPatient:
    """A patient of the second world."""
    return SecondWorldPatient(case, situation, embed)


__all__ = ["NAME", "SecondWorldPatient"]

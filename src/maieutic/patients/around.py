"""What the simulated patients with a model for a mouth or for ears leave to the patient inside."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.case import Case
from maieutic.domain.codes import TurnCode
from maieutic.domain.state import CognitiveState
from maieutic.patients.simulated import SimulatedPatient


@dataclass(frozen=True, slots=True)
class PatientWrapper:
    """A patient whose mind is that of a `SimulatedPatient`; a subclass changes how it hears or speaks."""

    inner: SimulatedPatient

    @property
    def case(self) -> Case:
        return self.inner.case

    def begin(self, rng: Random, carried: CognitiveState | None = None) -> CognitiveState:
        return self.inner.begin(rng, carried)

    def transition(
        self, state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, rng: Random
    ) -> CognitiveState:
        return self.inner.transition(state, code, appraisal, rng)

    def left_alone(self, state: CognitiveState, rng: Random) -> CognitiveState:
        return self.inner.left_alone(state, rng)

"""The simulated patient: comprehension, dynamics and a voice around one case and one situation."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.case import Case
from maieutic.domain.codes import TurnCode
from maieutic.domain.episode import Ending, Session, Turn
from maieutic.domain.state import CognitiveState
from maieutic.patients.comprehension import Comprehension
from maieutic.patients.dynamics import Mind, left_alone, transition
from maieutic.patients.intent import spoken, with_intent
from maieutic.patients.kernel import PRIOR, STANDARD, Kernel, Population, carry_over, first_state
from maieutic.patients.template_voice import say
from maieutic.protocols import Embedder
from maieutic.registry import patient


@dataclass(frozen=True, slots=True)
class SimulatedPatient:
    """A patient with an explicit mind, voiced from the case's own phrasings.

    What it models: conviction that falls only through self-produced evidence, openness, reactance, alliance, distress,
    disclosure, styles, graded risk, leaving, gaps in knowledge, intrusions, what is kept between sessions. What it does
    not: non-verbal signs, diagnosis, change between sessions other than by an agreed experiment.
    """

    mind: Mind
    comprehension: Comprehension
    prior: Population = PRIOR
    name: str = "simulated"

    @classmethod
    def of(
        cls, case: Case, situation: str, *, embed: Embedder, kernel: Kernel = STANDARD, prior: Population = PRIOR
    ) -> SimulatedPatient:
        """Build the patient for one situation of a case, in a world of its own where `kernel` or `prior` say so."""
        chosen = case.situation(situation)
        return cls(Mind(case, chosen, kernel), Comprehension.of(case, chosen, embed), prior)

    @property
    def case(self) -> Case:
        return self.mind.case

    def begin(self, rng: Random, carried: CognitiveState | None = None) -> CognitiveState:
        """The first state; after an earlier session (`carried`) 30–70 % of its fall in conviction is kept."""
        fresh = first_state(self.mind.case, self.mind.situation, rng, self.prior)
        return fresh if carried is None else carry_over(fresh, carried, rng, self.mind.situation.experiment)

    def comprehend(self, session: Session) -> Appraisal:
        """The patient's own reading of the last therapist turn."""
        return self.comprehension(session)

    def transition(
        self, state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, rng: Random
    ) -> CognitiveState:
        """The next state with its next intent; pure."""
        return with_intent(self.mind, state, transition(self.mind, state, code, appraisal, rng), code, appraisal, rng)

    def left_alone(self, state: CognitiveState, rng: Random) -> CognitiveState:
        """A turn's worth of time without a session."""
        return left_alone(state, rng, self.mind.kernel)

    async def speak(self, session: Session, state: CognitiveState | None, rng: Random) -> Turn:
        """Word what the mind decided; ends the session when the patient leaves."""
        assert state is not None
        text = say(self.mind.case, self.mind.situation, session, state, rng)
        told = spoken(state.intent)
        ending = Ending("patient_left", "the patient ended the session") if state.left else None
        return Turn("patient", text, ending, trace={"told": list(told)} if told else None)


@patient("simulated")
def make_simulated(case: Case, situation: str, *, embed: Embedder) -> SimulatedPatient:
    """The simulated patient with the template voice for one situation of a case."""
    return SimulatedPatient.of(case, situation, embed=embed)

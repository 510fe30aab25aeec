"""The simulated patient with a language model for ears: the same mind and mouth, the turn is read by the model."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.case import Case
from maieutic.domain.episode import Session, Turn, Usage
from maieutic.domain.state import CognitiveState
from maieutic.patients.around import PatientWrapper
from maieutic.patients.llm_comprehension import LLMComprehension
from maieutic.patients.simulated import SimulatedPatient
from maieutic.protocols import Embedder, LanguageModel
from maieutic.registry import patient


@dataclass(frozen=True, slots=True)
class ModelReadPatient(PatientWrapper):
    """`SimulatedPatient` whose turns are read by `LLMComprehension`.

    Who read a turn stands in `Appraisal.by` and, with the cost of reading it, in the patient's answer (`trace`, `usage`);
    neither reaches the therapist.
    """

    reading: LLMComprehension
    _heard: dict[tuple[int, int], tuple[str | None, Usage]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        return f"{self.inner.name}+llm:{self.reading.model.name}"

    async def comprehend(self, session: Session) -> Appraisal:
        """The model's reading of the last therapist turn, or the embedded one; never raises for a model that fails."""
        appraisal, spent = await self.reading.read(session)
        self._heard[session.seed, len(session)] = appraisal.by, spent
        return appraisal

    async def speak(self, session: Session, state: CognitiveState | None, rng: Random) -> Turn:
        """What the simulated patient says, with who read the turn and what that cost."""
        said = await self.inner.speak(session, state, rng)
        by, spent = self._heard.pop((session.seed, len(session)), (None, Usage()))
        if by is None:
            return said
        usage = (said.usage or Usage()) + spent
        return replace(said, usage=usage if usage.calls else None, trace={**(said.trace or {}), "comprehension": by})


@patient("simulated+llm")
def make_model_read(case: Case, situation: str, *, embed: Embedder, model: LanguageModel) -> ModelReadPatient:
    """The simulated patient for one situation of a case, its turns read by the model."""
    inner = SimulatedPatient.of(case, situation, embed=embed)
    return ModelReadPatient(inner, LLMComprehension(case, inner.comprehension, model))


make_model_read.needs_model = True  # type: ignore[attr-defined]

"""The simulated patient with a language model for ear and mouth: two requests a turn, the mind decides between them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.case import Case
from maieutic.domain.episode import Session, Turn, Usage
from maieutic.domain.state import CognitiveState
from maieutic.errors import ModelError
from maieutic.patients.around import PatientWrapper
from maieutic.patients.simulated import SimulatedPatient
from maieutic.patients.worded.ear import Ear, Heard
from maieutic.patients.worded.mouth import Mouth
from maieutic.patients.wording import AS_WRITTEN
from maieutic.protocols import Embedder, LanguageModel
from maieutic.registry import patient


@dataclass(frozen=True, slots=True)
class WordedPatient(PatientWrapper):
    """A `SimulatedPatient` who hears and speaks through a model.

    A model that fails, or keeps giving what cannot be used, ends the dialogue as failed, with the reason. With
    `falls_back` the embedded ear or the template speaks in its place. Either way it stands in the patient's trace,
    which no therapist sees, with the replies' faults.
    """

    ear: Ear
    mouth: Mouth
    falls_back: bool = False
    _heard: dict[tuple[int, tuple[str, ...]], list[Heard]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        return f"{self.inner.name}+llm{'-or-embedded' if self.falls_back else ''}:{self.ear.model.name}"

    async def comprehend(self, session: Session) -> Appraisal:
        """The model's reading of the last therapist turn. Raises `ModelError` unless the patient falls back."""
        try:
            heard = await self.ear(session)
        except ModelError as error:
            if not self.falls_back:
                raise
            heard = Heard(replace(self.inner.comprehension(session), by=f"embedded, because {error}"))
        self._heard.setdefault(_place(session), []).append(heard)
        return heard.appraisal

    async def speak(self, session: Session, state: CognitiveState | None, rng: Random) -> Turn:
        """The decision in the model's words; the opening, danger and numbers as they are written."""
        decided = await self.inner.speak(session, state, rng)
        assert state is not None
        heard = self._taken(session)
        trace = {**(decided.trace or {}), **_of_ear(heard)}
        spent = heard.usage if heard else Usage()
        if state.intent.act in AS_WRITTEN or session.last("therapist") is None:
            return replace(decided, trace=trace or None, usage=spent if spent.calls else None)
        trace["decided"] = decided.text
        try:
            said = await self.mouth(session, state, decided.text, heard)
        except ModelError as error:
            if not self.falls_back:
                raise
            trace["voice"] = f"template, because {error}"
            return replace(decided, trace=trace, usage=spent if spent.calls else None)
        trace |= {"voice": "model"} | ({"canon": list(said.canon)} if said.canon else {})
        trace |= {"refused": list(said.refused)} if said.refused else {}
        return replace(decided, text=said.text, trace=trace, usage=spent + said.usage)

    def _taken(self, session: Session) -> Heard | None:
        """What `comprehend` heard of this very session; arms that share a patient may stand at the same words."""
        waiting = self._heard.get(_place(session), [])
        heard = waiting.pop() if waiting else None
        if not waiting:
            self._heard.pop(_place(session), None)
        return heard


def _place(session: Session) -> tuple[int, tuple[str, ...]]:
    return session.seed, tuple(turn.text for turn in session.turns)


def _of_ear(heard: Heard | None) -> dict[str, object]:
    """What of hearing is kept in the trace."""
    if heard is None:
        return {}
    named = heard.named
    found: dict[str, object] = {"comprehension": heard.appraisal.by}
    if named is not None:
        found["named"] = {"type": named.form or "none", "about": named.item or "none", "quote": named.quote}
    if heard.refused:
        found["misheard"] = list(heard.refused)
    return found


def _made(case: Case, situation: str, embed: Embedder, model: LanguageModel, *, falls_back: bool) -> WordedPatient:
    inner = SimulatedPatient.of(case, situation, embed=embed)
    ear = Ear(case, inner.comprehension, model)
    return WordedPatient(inner, ear, Mouth(case, inner.mind.situation, embed, model), falls_back)


@patient("simulated+llm")
def make_worded(case: Case, situation: str, *, embed: Embedder, model: LanguageModel) -> WordedPatient:
    """The simulated patient of one situation, heard and worded by the model; a failing model fails the dialogue."""
    return _made(case, situation, embed, model, falls_back=False)


@patient("simulated+llm-or-embedded")
def make_worded_or_embedded(case: Case, situation: str, *, embed: Embedder, model: LanguageModel) -> WordedPatient:
    """The same; where the model fails, the embedded ear or the template stands in, and the trace says so."""
    return _made(case, situation, embed, model, falls_back=True)


make_worded.needs_model = True  # type: ignore[attr-defined]
make_worded_or_embedded.needs_model = True  # type: ignore[attr-defined]

"""A patient that is a language model with a static profile in its prompt and no mind: the form PATIENT-Ψ published.

Kept as another world to compare with (Wang et al., EMNLP 2024); wording of the prompt is our own. What it does not
model: any hidden state, so every measure that needs one is missing for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.case import Case
from maieutic.domain.codes import TurnCode
from maieutic.domain.episode import Session, Turn
from maieutic.domain.state import CognitiveState
from maieutic.prompts import prompt
from maieutic.protocols import Embedder, LanguageModel, Message
from maieutic.registry import patient


@dataclass(frozen=True, slots=True)
class StaticPromptPatient:
    """Profile in the system prompt, the session as chat; nothing is decided anywhere but in the model."""

    case: Case
    system: str
    model: LanguageModel

    @property
    def name(self) -> str:
        return f"static:{self.model.name}"

    def begin(self, rng: Random, carried: CognitiveState | None = None) -> CognitiveState | None:
        """No mind, no state."""
        return None

    def comprehend(self, session: Session) -> Appraisal:
        raise TypeError("a patient without a mind reads nothing; the loop must not ask it to")

    def transition(
        self, state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, rng: Random
    ) -> CognitiveState:
        raise TypeError("a patient without a mind has no transition; the loop must not ask for one")

    async def speak(self, session: Session, state: CognitiveState | None, rng: Random) -> Turn:
        """Ask the model for the patient's next words. Raises `ModelError`."""
        messages: list[Message] = [{"role": "system", "content": self.system}, {"role": "user", "content": "Hello."}]
        for turn in session.turns:
            messages.append({"role": "assistant" if turn.speaker == "patient" else "user", "content": turn.text})
        reply = await self.model.generate(messages, seed=rng.getrandbits(31))
        return Turn("patient", reply.text, usage=reply.usage, original=reply.original)


@patient("static")
def make_static(case: Case, situation: str, *, embed: Embedder, model: LanguageModel) -> StaticPromptPatient:
    """The static-prompt patient for one situation of a case."""
    chosen = case.situation(situation)
    person, beliefs = case.person, case.intermediate_beliefs
    profile = {
        "name": person.name,
        "age": person.age,
        "work": person.work,
        "household": person.household,
        "history": case.history,
        "core_beliefs": " ".join(b.statement for b in case.core_beliefs),
        "intermediate_beliefs": " ".join((*beliefs.attitudes, *beliefs.rules, *beliefs.assumptions)),
        "coping": " ".join(case.coping),
        "happened": chosen.happened,
        "thought": chosen.automatic_thought,
        "emotions": ", ".join(e.group for e in chosen.emotions),
        "behaviour": chosen.behaviour,
        "style": case.style,
    }
    return StaticPromptPatient(case, prompt("patient_static").text.format(**profile), model)


make_static.needs_model = True  # type: ignore[attr-defined]

"""The simulated patient with a language model for a mouth: the mind decides the content, the model only words it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.case import Case
from maieutic.domain.episode import Session, Turn, Usage
from maieutic.domain.state import CognitiveState
from maieutic.errors import ModelError
from maieutic.language.sentences import words
from maieutic.patients.around import PatientWrapper
from maieutic.patients.facts import handle
from maieutic.patients.simulated import SimulatedPatient
from maieutic.patients.wording import AS_WRITTEN, LONGEST, fault
from maieutic.prompts import prompt
from maieutic.protocols import Embedder, LanguageModel, Message
from maieutic.reading.plain import plain
from maieutic.registry import patient

_MAX_TOKENS = 120


@dataclass(frozen=True, slots=True)
class VoicedPatient(PatientWrapper):
    """The same mind as `SimulatedPatient`, worded by a model.

    What the model is given: the therapist's last turn, the sentence the template voice would say, the style. What is
    checked is in `wording.fault`: length, role, content kept, nothing added, no other fact let out. After `attempts`
    faulty drafts, or when the model fails, the template's sentence is said as it is. Risk and numbers are never
    reworded. The turn's trace says who worded it (`voice`), and what was wrong with each draft refused (`refused`).
    """

    model: LanguageModel
    attempts: int = 2

    @property
    def name(self) -> str:
        return f"voiced:{self.model.name}"

    def comprehend(self, session: Session) -> Appraisal:
        return self.inner.comprehend(session)

    async def speak(self, session: Session, state: CognitiveState | None, rng: Random) -> Turn:
        """The template's utterance, reworded by the model when the wording keeps what was decided."""
        decided = await self.inner.speak(session, state, rng)
        assert state is not None
        if state.intent.act in AS_WRITTEN:
            return decided
        spent, refused = Usage(), list[str]()
        last = session.last("therapist")
        heard, withheld = last.text if last else "", self._withheld(state)
        for _ in range(self.attempts):
            try:
                reply = await self.model.generate(
                    self._messages(session, decided.text),
                    seed=rng.getrandbits(31),
                    temperature=0.7,
                    max_tokens=min(_MAX_TOKENS, 24 + 3 * len(words(decided.text))),
                )
            except ModelError as error:
                why = f"template, because the model failed: {error}"
                return replace(decided, usage=spent if spent.calls else None, trace=_trace(why, refused))
            spent = spent + reply.usage
            text = reply.text.strip().strip('"')
            longest = LONGEST[self.case.style]
            problem = fault(plain(text).text, decided.text, longest=longest, heard=heard, withheld=withheld)
            if problem is None:
                trace = {**_trace("model", refused), "decided": decided.text}
                return replace(decided, text=text, usage=spent, trace=trace)
            refused.append(problem)
        return replace(decided, usage=spent, trace=_trace(f"template, because the wording {refused[-1]}", refused))

    def _withheld(self, state: CognitiveState) -> tuple[frozenset[str], ...]:
        """Handles of the facts that are neither voiced nor to be said now."""
        open_now = {v.evidence for v in state.voiced} | {state.intent.evidence}
        facts = [e for e in self.inner.mind.situation.evidence if e.id not in open_now]
        return tuple(h for e in facts for h in map(handle, e.topics) if h)

    def _messages(self, session: Session, decided: str) -> list[Message]:
        last = session.last("therapist")
        heard = last.text if last else "(the session begins)"
        ask = f"The therapist said: {heard}\n\nSay this, in your own words and nothing else: {decided}"
        return [
            {
                "role": "system",
                "content": prompt("patient_voice").text.format(name=self.case.person.name, style=self.case.style),
            },
            {"role": "user", "content": ask},
        ]


def _trace(voice: str, refused: list[str]) -> dict[str, object]:
    return {"voice": voice, "refused": list(refused)} if refused else {"voice": voice}


@patient("voiced")
def make_voiced(case: Case, situation: str, *, embed: Embedder, model: LanguageModel) -> VoicedPatient:
    """The voiced patient for one situation of a case."""
    return VoicedPatient(SimulatedPatient.of(case, situation, embed=embed), model)


make_voiced.needs_model = True  # type: ignore[attr-defined]

"""The simulated patient with a language model for a mouth: the mind decides the content, the model only words it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.case import Case
from maieutic.domain.codes import TurnCode
from maieutic.domain.episode import Session, Turn, Usage
from maieutic.domain.state import Act, CognitiveState
from maieutic.errors import ModelError
from maieutic.language.sentences import content_words, words
from maieutic.patients.simulated import SimulatedPatient
from maieutic.prompts import prompt
from maieutic.protocols import Embedder, LanguageModel, Message
from maieutic.registry import patient

_LONGEST = {"plain": 60, "upset": 40, "verbose": 100, "reserved": 40, "tangent": 70, "pleasing": 60}
_FIXED = frozenset({Act.RISK_DISCLOSURE, Act.RISK_HINT, Act.RISK_DENIAL, Act.NOT_UNDERSTOOD, Act.LEAVE, Act.CONVICTION})
_THERAPIST_TALK = (
    "how does that make you feel",
    "it sounds like you",
    "have you considered",
    "you should",
    "as an ai",
    "as a therapist",
)


@dataclass(frozen=True, slots=True)
class VoicedPatient:
    """The same mind as `SimulatedPatient`, worded by a model.

    What the model is given: the sentence the template voice would say, the style, the length. What is checked: length,
    role (no therapist talk), content (the decided sentence's matter is kept). After `attempts` failures, or when the
    model fails, the template's sentence is said as it is. Risk and numbers are never reworded.
    """

    inner: SimulatedPatient
    model: LanguageModel
    attempts: int = 2

    @property
    def name(self) -> str:
        return f"voiced:{self.model.name}"

    @property
    def case(self) -> Case:
        return self.inner.case

    def begin(self, rng: Random, carried: CognitiveState | None = None) -> CognitiveState:
        return self.inner.begin(rng, carried)

    def comprehend(self, session: Session) -> Appraisal:
        return self.inner.comprehend(session)

    def transition(
        self, state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, rng: Random
    ) -> CognitiveState:
        return self.inner.transition(state, code, appraisal, rng)

    def left_alone(self, state: CognitiveState, rng: Random) -> CognitiveState:
        return self.inner.left_alone(state, rng)

    async def speak(self, session: Session, state: CognitiveState | None, rng: Random) -> Turn:
        """The template's utterance, reworded by the model when the wording keeps what was decided."""
        decided = await self.inner.speak(session, state, rng)
        assert state is not None
        if state.intent.act in _FIXED:
            return decided
        spent = Usage()
        for _ in range(self.attempts):
            try:
                reply = await self.model.generate(
                    self._messages(session, decided.text), seed=rng.getrandbits(31), temperature=0.7, max_tokens=120
                )
            except ModelError as error:
                why = f"template, because the model failed: {error}"
                return replace(decided, usage=spent if spent.calls else None, trace={"voice": why})
            spent = _sum(spent, reply.usage)
            text = reply.text.strip().strip('"')
            problem = fault(text, decided.text, longest=_LONGEST[self.case.style])
            if problem is None:
                return replace(decided, text=text, usage=spent, trace={"voice": "model", "decided": decided.text})
        return replace(decided, usage=spent, trace={"voice": f"template, because the wording {problem}"})

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


def _sum(before: Usage, now: Usage) -> Usage:
    """Calls and tokens together; a token count that one of them lacks is not known for both."""
    if not before.calls:
        return now
    both = ((before.input_tokens, now.input_tokens), (before.output_tokens, now.output_tokens))
    into, out = (None if a is None or b is None else a + b for a, b in both)
    return Usage(before.calls + now.calls, into, out)


def fault(text: str, decided: str, *, longest: int) -> str | None:
    """What is wrong with a model's wording of a decided utterance, or None."""
    said = words(text)
    if len(said) < 2:
        return "is empty"
    if len(said) > max(longest, 2 * len(words(decided))):
        return "is too long"
    if any(phrase in text.lower() for phrase in _THERAPIST_TALK):
        return "talks like a therapist"
    matter = content_words(decided)
    if matter and len(matter & content_words(text)) / len(matter) < 0.4:
        return "leaves out what was to be said"
    return None


@patient("voiced")
def make_voiced(case: Case, situation: str, *, embed: Embedder, model: LanguageModel) -> VoicedPatient:
    """The voiced patient for one situation of a case."""
    return VoicedPatient(SimulatedPatient.of(case, situation, embed=embed), model)


make_voiced.needs_model = True  # type: ignore[attr-defined]

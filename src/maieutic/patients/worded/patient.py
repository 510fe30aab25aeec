"""Simulated patients with a language model for a mouth, or for ear and mouth: the mind decides the content as ever, the
model only words it, or hears and words it in two requests a turn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from random import Random

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.case import Case
from maieutic.domain.codes import TurnCode
from maieutic.domain.episode import Session, Turn, Usage
from maieutic.domain.state import CognitiveState
from maieutic.errors import ModelError
from maieutic.language.sentences import words
from maieutic.patients.facts import keyphrase
from maieutic.patients.simulated import SimulatedPatient
from maieutic.patients.worded.ear import Ear, Heard
from maieutic.patients.worded.mouth import AS_WRITTEN, MAX_WORDS, Mouth, fault
from maieutic.prompts import prompt
from maieutic.protocols import Embedder, LanguageModel, Message
from maieutic.reading.plain import plain
from maieutic.registry import patient


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
            longest = MAX_WORDS[self.case.style]
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
        return tuple(h for e in facts for h in map(keyphrase, e.topics) if h)

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

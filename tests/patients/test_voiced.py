"""The patient with a model for a mouth: good wording passes, anything else falls back to the template."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

import pytest

from maieutic.dialogue import converse
from maieutic.domain.appraisal import Appraisal
from maieutic.domain.case import Case
from maieutic.domain.episode import Session, Turn, Usage
from maieutic.domain.state import Act, CognitiveState, Intent
from maieutic.errors import ModelError
from maieutic.library import get_case
from maieutic.models.scripted import ScriptedModel
from maieutic.patients.kernel import first_state
from maieutic.patients.worded.patient import VoicedPatient
from maieutic.protocols import Message, Reply
from talks import Speaker, make_patient, make_talk, session_of

SESSION = session_of("It's the job centre again.", "What happened there?")


@dataclass
class Counting:
    """A model with one answer for each call, in order; an exception in the list is raised."""

    answers: Sequence[str | Exception]
    usage: Usage = field(default_factory=lambda: Usage(1, 20, 10))
    name: str = "counting"
    calls: int = 0

    async def generate(
        self, messages: Sequence[Message], *, seed: int, temperature: float = 0.7, max_tokens: int = 256
    ) -> Reply:
        answer = self.answers[min(self.calls, len(self.answers) - 1)]
        self.calls += 1
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer, self.usage)

    async def close(self) -> None: ...


def state_with(act: Act, case: Case | None = None, evidence: str | None = None) -> CognitiveState:
    chosen = case or get_case("gethin")
    return replace(first_state(chosen, chosen.situations[0], Random(0)), intent=Intent(act, evidence))


def speak(model: object, act: Act = Act.DETAIL, case: Case | None = None) -> tuple[Turn, Turn]:
    """What the voiced patient says, and what the template would have said."""
    inner = make_patient(case or "gethin")
    patient = VoicedPatient(inner, model)  # type: ignore[arg-type]
    state = state_with(act, case)
    return (
        asyncio.run(patient.speak(SESSION, state, Random(5))),
        asyncio.run(inner.speak(SESSION, state, Random(5))),
    )


def echo(change: Callable[[str], str]) -> ScriptedModel:
    """A model that says the decided sentence with a change."""
    return ScriptedModel(lambda messages, seed: change(messages[-1]["content"].split("nothing else: ")[-1]))


def test_a_good_wording_passes() -> None:
    said, decided = speak(echo(lambda text: f'"Well, you see, {text}"'))
    assert said.text == f"Well, you see, {decided.text}"
    assert said.trace == {"voice": "model", "decided": decided.text}
    assert said.usage == Usage(1)


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("", "is empty"),
        ('""', "is empty"),
        ("Bananas are yellow and the moon is far away.", "leaves out"),
        ("How does that make you feel? It sounds like you were sad.", "talks like a therapist"),
        ("word " * 400, "is too long"),
        ("很抱歉，我不明白。", "is empty"),
    ],
)
def test_a_bad_wording_is_tried_again_and_then_the_template_speaks(answer: str, problem: str) -> None:
    model = Counting([answer])
    said, decided = speak(model)
    assert said.text == decided.text
    assert problem in str(said.trace)
    assert model.calls == 2
    assert said.usage == Usage(2, 40, 20)


def test_a_second_wording_can_be_good_and_the_first_is_recorded() -> None:
    _, decided = speak(Counting([""]))
    model = Counting(["", f"Hm. {decided.text}"])
    said, _ = speak(model)
    assert said.trace == {"voice": "model", "refused": ["is empty"], "decided": decided.text}
    assert said.text == f"Hm. {decided.text}"
    assert said.usage == Usage(2, 40, 20)
    assert model.calls == 2


def test_a_model_error_falls_back_and_keeps_what_was_spent() -> None:
    said, decided = speak(Counting([ModelError("gone")]))
    assert said.text == decided.text
    assert "gone" in str(said.trace)
    assert said.usage is None
    said, _ = speak(Counting(["", ModelError("gone")]))
    assert said.usage == Usage(1, 20, 10)


def test_unknown_token_counts_stay_unknown() -> None:
    said, _ = speak(Counting([""], usage=Usage(1)))
    assert said.usage == Usage(2, None, None)


@pytest.mark.parametrize("act", [Act.RISK_DISCLOSURE, Act.RISK_HINT, Act.RISK_DENIAL, Act.LEAVE, Act.CONVICTION])
@pytest.mark.parametrize("case", ["hester", "gethin"])
def test_risk_and_numbers_are_never_reworded(act: Act, case: str) -> None:
    model = Counting(["anything else"])
    said, decided = speak(model, act, get_case(case))
    assert said == decided
    assert model.calls == 0


def test_the_voice_never_changes_the_mind() -> None:
    # The therapist's turns hang on the turn's number only; ears that hear the therapist alone leave the voice to differ.
    patient = make_patient()

    def alone(session: Session) -> Appraisal:
        return patient.comprehension(Session(session.by("therapist")))

    plain = replace(patient, comprehension=alone)  # type: ignore[arg-type]
    for model in (echo(lambda text: f"Well, {text}"), Counting(["How does that make you feel?"])):
        voiced = VoicedPatient(plain, model)  # type: ignore[arg-type]
        one = asyncio.run(converse(make_talk(Speaker(), plain, turns=5)))
        two = asyncio.run(converse(make_talk(Speaker(), voiced, turns=5)))
        assert one.states == two.states


def test_the_model_is_not_told_what_the_patient_keeps_to_itself() -> None:
    seen: list[str] = []

    def listen(messages: Sequence[Message], seed: int) -> str:
        seen.append(" ".join(m["content"] for m in messages))
        return ""

    speak(ScriptedModel(listen), Act.DEFLECT)
    case = get_case("gethin")
    assert seen
    for fact in case.situations[0].evidence:
        assert not any(fact.fact in text or fact.id in text for text in seen)


def test_every_refused_draft_is_recorded_when_the_template_speaks() -> None:
    said, decided = speak(Counting(["", "As a therapist I hear you."]))
    assert said.text == decided.text
    assert said.trace == {
        "voice": "template, because the wording talks like a therapist",
        "refused": ["is empty", "talks like a therapist"],
    }


def test_a_draft_that_lets_out_another_fact_is_refused() -> None:
    fact = get_case("gethin").situations[0].evidence[0]
    said, decided = speak(echo(lambda text: f"{text} {fact.topics[0]}."))
    assert said.text == decided.text
    assert "lets out a fact" in str(said.trace)
    told, words = speak(echo(lambda text: f"Hm. {text}"))
    assert told.text == f"Hm. {words.text}"

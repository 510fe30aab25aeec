"""The MindVoyager gate: what opens when, from the session alone, and that nothing masked is said before."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from maieutic.dialogue import converse
from maieutic.domain.appraisal import Appraisal, FeelingClaim, Slot
from maieutic.domain.case import Case, Situation
from maieutic.domain.episode import Episode, Session, Turn
from maieutic.errors import ModelError
from maieutic.library import get_case
from maieutic.models.scripted import ScriptedModel
from maieutic.patients.published import (
    VISIBLE,
    Gate,
    MindVoyagerPatient,
    Ratings,
    make_mindvoyager,
    rate_depth,
    rate_rapport,
)
from maieutic.registry import load_measures, resolve
from talks import Speaker, WordHashes, make_talk, session_of

EMBED = WordHashes()
DEEP = "What does that say about you?"
FLAT = "What happened next?"


def inner(case: Case, situation: Situation) -> tuple[str, ...]:
    """Everything that belongs to the inner diagram: the thought, the beliefs and where they come from."""
    beliefs = case.intermediate_beliefs
    stated = (*(b.statement for b in case.core_beliefs), *beliefs.attitudes, *beliefs.rules, *beliefs.assumptions)
    return (*case.phrasings.thought[situation.id], *case.phrasings.background, *stated)


def patient_of(case: Case | str = "gethin", model: Any = None, **changes: Any) -> MindVoyagerPatient:
    chosen = get_case(case) if isinstance(case, str) else case
    return make_mindvoyager(chosen.model_copy(update=changes), chosen.situations[0].id, embed=EMBED, model=model)


def with_metacognition(level: str, model: Any = None) -> MindVoyagerPatient:
    """A case whose id draws the wanted trait."""
    return patient_of(model=model, id=next(p.case.id for p in drawn() if p.metacognition == level))


def drawn() -> Iterator[MindVoyagerPatient]:
    """Forty patients of one case that only their ids tell apart; they hear nothing, so that they cost nothing."""
    case = get_case("gethin")
    for number in range(40):
        own = case.model_copy(update={"id": f"made-up-{number}"})
        yield MindVoyagerPatient(own, own.situations[0], lambda _: Appraisal())


def talk(*said: str) -> Session:
    """The patient opens; neutral answers between the therapist's turns."""
    turns = ["It's the job centre again."]
    for text in said:
        turns += [text, "Hm."]
    return session_of(*turns[:-1])


def play(patient: MindVoyagerPatient, turns: Sequence[str], count: int = 8) -> Episode:
    return asyncio.run(converse(make_talk(Speaker(turns=turns), patient, turns=count)))


def test_it_is_registered_with_and_without_a_model() -> None:
    make, model = resolve("patient", "mindvoyager")
    assert make is make_mindvoyager
    assert model is None
    assert resolve("patient", "mindvoyager:scripted")[1] is not None
    assert patient_of(model=ScriptedModel(lambda m, s: "")).name == "mindvoyager:scripted"


def test_traits_are_drawn_from_the_case_and_both_occur() -> None:
    assert patient_of().metacognition == patient_of().metacognition
    assert len({(one.openness, one.metacognition) for one in drawn()}) == 4


@pytest.mark.parametrize(("severity", "count"), [("mild", 3), ("moderate", 2), ("severe", 1)])
def test_experiences_visible_from_the_start(severity: str, count: int) -> None:
    assert VISIBLE[severity] == count
    assert patient_of(severity=severity).gate(talk(FLAT)) == Gate(count)


@pytest.mark.parametrize(("level", "turn"), [("high", 1), ("low", 2)])
def test_a_deep_question_unmasks_the_diagram_when_it_is_looked_at(level: str, turn: int) -> None:
    patient = with_metacognition(level)
    assert not patient.gate(talk(FLAT, FLAT, FLAT, FLAT)).diagram
    for number in (1, 2):
        gate = patient.gate(talk(*[DEEP] * number))
        assert gate.diagram is (number >= turn)
        assert ("diagram" in gate.now) is (number == turn)
    assert patient.gate(talk(DEEP, DEEP, FLAT, FLAT)).diagram, "what is unmasked stays so"


def rated(*ratings: Ratings) -> Session:
    """A session whose patient turns hold a model's ratings."""
    turns = [Turn("patient", "So.")]
    for rating in ratings:
        trace = {"rapport": rating.rapport, "depth": rating.depth}
        turns += [Turn("therapist", "Hm?"), Turn("patient", "Well.", trace=trace)]
    return Session(tuple(turns))


def test_rapport_opens_one_experience_every_fourth_turn() -> None:
    patient = patient_of(model=ScriptedModel(lambda m, s: ""))
    start = VISIBLE[patient.case.severity]
    warm, cool = Ratings(rapport=4), Ratings(rapport=3)
    assert patient.gate(rated(warm, warm, warm)).experiences == start
    assert patient.gate(rated(warm, warm, warm, warm)).experiences == start + 1
    assert patient.gate(rated(warm, warm, warm, cool)).experiences == start
    assert patient.gate(rated(*[warm] * 8)).experiences == start + 2
    assert patient.gate(rated(*[warm] * 80)).experiences == len(patient.experiences)


def test_rules_for_rapport() -> None:
    fit, bare = Appraisal(fit=0.9), Appraisal(questions=1, open=True)
    assert rate_rapport([]) == 1
    assert rate_rapport([bare] * 4) == 3
    assert rate_rapport([fit] * 4) >= 4
    wrong = Appraisal(claims=(FeelingClaim("angry", False, False, False),))
    for fault in (Appraisal(questions=1, leading=True), Appraisal(questions=3), wrong, Appraisal(told=("a",))):
        assert rate_rapport([fault] * 4) < 3
    assert rate_rapport([Appraisal(understood=False)]) == 1
    assert all(1 <= rate_rapport([Appraisal(fit=f / 10, questions=n)]) <= 5 for f in range(11) for n in range(4))


@pytest.mark.parametrize(
    ("reading", "depth"),
    [
        (Appraisal(), 1),
        (Appraisal(questions=1, open=True, leading=True, asks=(Slot.THOUGHT,)), 1),
        (Appraisal(understood=False, questions=1, open=True), 1),
        (Appraisal(questions=1, asks=(Slot.THOUGHT,)), 2),
        (Appraisal(questions=2, open=True, asks=(Slot.SUPPORT,)), 2),
        (Appraisal(questions=1, open=True, asks=(Slot.SITUATION,)), 3),
        (Appraisal(questions=1, open=True, asks=(Slot.THOUGHT,)), 4),
        (Appraisal(questions=1, open=True, wide=True), 4),
        (Appraisal(questions=1, open=True, asks=(Slot.SUPPORT,), fit=0.5), 5),
    ],
)
def test_rules_for_depth(reading: Appraisal, depth: int) -> None:
    assert rate_depth(reading) == depth


@pytest.mark.parametrize(
    "case",
    ["gethin", *(pytest.param(n, marks=pytest.mark.slow) for n in ("nilani", "hester", "ifeoma", "nurse-in-charge"))],
)
@pytest.mark.parametrize(
    "turns", [(FLAT, "You should cheer up."), (DEEP, "Where does that come from?", FLAT), (FLAT, FLAT, DEEP)]
)
def test_masked_material_is_never_said_before_it_is_unmasked(case: str, turns: tuple[str, ...]) -> None:
    patient = patient_of(case)
    session = play(patient, turns, 12).session
    for end in range(1, len(session) + 1, 2):
        text = session.turns[end - 1].text
        heard = Session(session.turns[: end - 1], session.seed)
        gate = patient.gate(heard)
        shut = [e for e in patient.situation.evidence if e.id not in patient.experiences[: gate.experiences]]
        assert not any(said in text for e in shut for said in e.said), text
        if not gate.diagram:
            assert not any(phrase in text for phrase in inner(patient.case, patient.situation)), text


def test_unmasking_is_heard_at_once() -> None:
    patient = with_metacognition("high")
    said = play(patient, [DEEP], 1).session.turns[-1].text
    assert any(phrase in said for phrase in patient.case.phrasings.thought[patient.situation.id])
    assert any(b.statement in said for b in patient.case.core_beliefs)


def test_a_question_about_danger_is_answered_whatever_the_gate() -> None:
    patient = patient_of("hester")
    said = play(patient, ["Do you have thoughts of killing yourself?"], 1).session.turns[-1].text
    assert patient.case.risk.level == "none" or said in patient.case.risk.disclosures


def test_measures_of_conviction_are_missing_not_zero() -> None:
    episode = play(patient_of(), [DEEP, FLAT])
    assert episode.states == ()
    assert set(episode.codes) == {None}
    for measure in load_measures():
        if measure.hidden:
            score = measure(episode)
            assert score.value is None, measure.id
            assert score.missing if hasattr(score, "missing") else score.reason


def test_the_same_session_gives_the_same_words() -> None:
    assert play(patient_of(), [DEEP, FLAT]).session == play(patient_of(), [DEEP, FLAT]).session


@dataclass
class Rater:
    """A model that gives one answer and keeps what it was shown."""

    answer: str
    calls: int = 0
    shown: str = ""

    def model(self) -> ScriptedModel:
        def reply(messages: Sequence[Any], seed: int) -> str:
            self.calls += 1
            self.shown = messages[-1]["content"]
            return self.answer

        return ScriptedModel(reply)


def test_a_model_rates_only_when_a_look_is_due_and_the_trace_keeps_it() -> None:
    rater = Rater("rapport: 5\ndepth: 5")
    patient = with_metacognition("low", rater.model())
    episode = play(patient, [FLAT], 4)
    assert rater.calls == 2
    traces = [t.trace or {} for t in episode.session.by("patient")][1:]
    assert [t["depth"] for t in traces] == [None, 5, None, 5]
    assert [t["rapport"] for t in traces] == [None, None, None, 5]
    assert patient.gate(episode.session) == patient.gate(Session(episode.session.turns, 9))
    assert patient.gate(episode.session).experiences == VISIBLE[patient.case.severity] + 1
    assert patient.gate(episode.session).diagram
    assert FLAT in rater.shown


@pytest.mark.parametrize("answer", ["", "a 5 I'd say", "rapport: 9\ndepth: 7", "depth: 45"])
def test_ratings_that_cannot_be_read_leave_the_gate_shut(answer: str) -> None:
    rater = Rater(answer)
    patient = with_metacognition("high", rater.model())
    turn = asyncio.run(patient.speak(talk(DEEP), None, Random(1)))
    assert rater.calls == 2
    assert turn.usage is not None
    assert turn.usage.calls == 2
    assert turn.trace is not None
    assert turn.trace["diagram"] is False
    assert turn.trace["depth"] is None


def test_a_model_that_fails_ends_the_dialogue_as_failed() -> None:
    def fail(messages: Sequence[Any], seed: int) -> str:
        raise ModelError("gone")

    episode = play(with_metacognition("high", ScriptedModel(fail)), [DEEP], 2)
    assert episode.ending.kind == "failed"

"""Patients of other kinds: who they are, what counts as success with them, and what is said of the order of arms."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from conduct_rows import played
from maieutic.domain.episode import Session, Turn
from maieutic.library import get_case
from maieutic.patients.published import MindVoyagerPatient
from maieutic.patients.simulated import SimulatedPatient
from maieutic.patients.worded.patient import VoicedPatient
from maieutic.registry import load_model
from maieutic.validation.agent.evidence import order_apart, order_kept, table, worlds
from maieutic.validation.agent.run import make_plan
from maieutic.validation.agent.sessions import (
    GATE,
    OTHER_ENCODER,
    CoderVectors,
    Task,
    opened,
    patient_for,
    play_all,
    worded,
)
from maieutic.worlds import STANDARD_WORLD, SimulatorConfig, patient_of

CASE = "gethin"


def test_every_kind_has_the_same_situation_in_play() -> None:
    case, usual = get_case(CASE), patient_of(get_case(CASE), 3, STANDARD_WORLD)
    gate = patient_for(case, 3, STANDARD_WORLD, "gate")
    voiced = patient_for(case, 3, STANDARD_WORLD, "voiced", load_model("scripted"))
    assert isinstance(gate, MindVoyagerPatient) and gate.situation == usual.mind.situation
    assert isinstance(voiced, VoicedPatient) and voiced.inner.mind == usual.mind
    assert isinstance(patient_for(case, 3, STANDARD_WORLD, "simulated"), SimulatedPatient)


def test_success_behind_the_gate_is_the_share_of_what_was_shut() -> None:
    gate = patient_for(get_case(CASE), 0, STANDARD_WORLD, "gate")
    assert isinstance(gate, MindVoyagerPatient)
    talk = Session((asyncio.run(gate.speak(Session((), 1), None, Random(1))),), 1)
    assert opened(gate, talk) == 0.0
    deep = "That sounds so heavy. Where do you think this idea about yourself comes from?"
    for _ in range(4):
        talk = talk + Turn("therapist", deep) + Turn("patient", "I don't know.")
    assert 0.0 < opened(gate, talk) <= 1.0


def test_the_share_that_a_model_worded_counts_all_turns() -> None:
    talk = Session((Turn("patient", "a", trace={"voice": "model"}), Turn("therapist", "b"), Turn("patient", "c")), 1)
    assert worded(talk) == 0.5
    assert worded(Session((Turn("patient", "a"),), 1)) is None


def test_the_other_encoder_gives_unit_vectors_of_another_size() -> None:
    vectors = CoderVectors()(["How did you feel?", "What happened then?"])
    assert vectors.shape == (2, 768)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert CoderVectors()([]).shape == (0, 768)


def test_behind_the_gate_orders_are_compared_without_an_arm_that_nobody_played() -> None:
    standard = played({"no_session": 0.0, "socratic": 30.0, "wide": 10.0, "padesky_script": 28.0})
    gate = [replace(r, world=GATE) for r in played({"socratic": 20.0, "wide": 40.0, "padesky_script": 30.0})]
    assert {(a, b) for a, b, _ in order_apart(gate, standard)} == {("socratic", "wide"), ("padesky_script", "wide")}
    assert {(a, b) for a, b, _ in order_kept(gate, standard)} == {("socratic", "wide"), ("padesky_script", "wide")}
    assert [one.holds for one in worlds(gate, standard) if one.asked] == [False]
    assert [one.unit for one in worlds(gate, standard)][1] == "percent of what was shut"
    assert table(gate) == []


def test_the_plan_has_the_other_kinds_and_a_voice_only_where_one_is_given() -> None:
    plan = make_plan("test", quick=False, seeds=2)
    assert {b.patient for b in plan.others} == {"simulated", "gate", "other encoder"}
    assert {OTHER_ENCODER, GATE} <= {b.world.name for b in plan.others}
    assert plan.voiced == ()
    voiced = make_plan("dev", quick=True, seeds=None, voice="scripted").voiced
    assert {b.voice for b in voiced} == {"scripted"} and {b.patient for b in voiced} == {"voiced"}
    # every arm of another world is played on its cases in the standard world too
    for batch in plan.others:
        there = {arm for one in plan.main if one.case == batch.case for arm in one.arms}
        assert set(batch.arms) <= there


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "voice"), [("gate", None), ("other encoder", None), ("voiced", "scripted")])
def test_every_kind_plays(kind: str, voice: str | None) -> None:
    batch = Task(CASE, ("socratic",), (0,), SimulatorConfig("w"), turns=6, patient=kind, voice=voice)  # type: ignore[arg-type]
    (one,) = play_all([batch], lambda _: None, workers=1)
    assert one.world == "w" and one.arm == "socratic"
    assert (one.worded is not None) == (kind == "voiced")

"""The simulated patient as a whole: what its first state is made of, and the arms set apart without any LLM."""

from __future__ import annotations

import asyncio
from random import Random
from statistics import mean

import pytest

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.case import Case
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.patients.simulated import SimulatedPatient
from maieutic.protocols import Patient
from maieutic.reading.minilm import MiniLM
from maieutic.registry import load_therapist, lookup
from talks import case_marks, make_patient

ARMS = ("oracle", "socratic", "padesky_script", "eliza", "flattery", "advice", "no_session")
Falls = dict[str, dict[tuple[str, int], float]]


@pytest.mark.parametrize("name", case_marks())
def test_the_first_state_hangs_on_the_generator_and_stays_near_the_case(name: str) -> None:
    patient = make_patient(name)
    states = [patient.begin(Random(seed)) for seed in range(60)]
    assert states[0] == patient.begin(Random(0))
    assert len({s.held for s in states}) > 30
    conviction = patient.mind.situation.conviction
    assert all(60.0 <= s.held <= 95.0 and s.stated == s.held for s in states)
    assert abs(mean(s.held for s in states) - conviction) < 4.0
    assert all(s.turn == 0 and s.disclosed == ("situation",) and not s.left for s in states)


def test_it_is_a_patient_and_its_maker_is_registered(embed: MiniLM, gethin: Case) -> None:
    made = lookup("patient", "simulated")(gethin, "school-trip", embed=embed)
    assert isinstance(made, Patient)
    assert made.mind.situation.id == "school-trip"


def test_time_alone_moves_the_held_conviction_by_noise_without_drift() -> None:
    patient = make_patient()
    moves = []
    for seed in range(300):
        state = first = patient.begin(Random(seed))
        for turn in range(20):
            state = patient.left_alone(state, Random(1000 * seed + turn))
        moves.append(state.held - first.held)
    assert abs(mean(moves)) < 0.3
    assert 0.3 < (sum(m * m for m in moves) / len(moves)) ** 0.5 < 2.0


def falls_of(chosen: list[Case], embed: MiniLM, seeds: int, turns: int = 20) -> Falls:
    """Fall of held conviction by arm and (case, seed), in whole sessions from text."""

    async def run() -> list[Episode]:
        episodes = []
        for case in chosen:
            patients = [SimulatedPatient.of(case, s.id, embed=embed) for s in case.situations]
            for arm in ARMS:
                for seed in range(seeds):
                    key = EpisodeKey(arm, case.id, seed)
                    patient = patients[seed % len(patients)]
                    talk = Conversation(load_therapist(arm), patient, RuleCoder(), turns, Streams(0, key))
                    episodes.append(await converse(talk))
        return episodes

    falls: Falls = {arm: {} for arm in ARMS}
    for e in asyncio.run(run()):
        falls[e.key.therapist][e.key.case, e.key.seed] = e.states[0].held - e.states[-1].held
    return falls


def effects(falls: Falls) -> dict[str, float]:
    """Mean paired fall beyond no session."""
    alone = falls["no_session"]
    return {arm: mean(own[k] - alone[k] for k in own) for arm, own in falls.items()}


def check_separation(falls: Falls) -> None:
    means = {arm: mean(own.values()) for arm, own in falls.items()}
    above = effects(falls)
    print({arm: round(value, 1) for arm, value in means.items()}, {arm: round(v, 1) for arm, v in above.items()})
    assert 20.0 <= means["oracle"] <= 45.0
    assert above["eliza"] <= 3.0
    assert above["flattery"] <= 3.0
    assert above["advice"] <= 0.0
    assert above["socratic"] >= max(above["eliza"], above["flattery"]) + 5.0
    assert above["oracle"] >= above["padesky_script"] + 5.0
    # The agent infers what the oracle is told, so it may come near, never past.
    assert above["oracle"] > above["socratic"]


@pytest.mark.full
def test_arms_set_themselves_apart_on_two_cases(cases: dict[str, Case], embed: MiniLM) -> None:
    check_separation(falls_of([cases["gethin"], cases["joel-salonga"]], embed, seeds=6))


@pytest.mark.full
def test_an_accurate_thought_is_left_alone_by_the_oracle_and_hardly_taken_by_anyone(
    cases: dict[str, Case], embed: MiniLM
) -> None:
    falls = falls_of([c for c in cases.values() if c.special == "accurate" and c.split == "dev"], embed, seeds=4)
    above = effects(falls)
    print({arm: round(value, 1) for arm, value in above.items()})
    assert abs(above["oracle"]) <= 1.0
    assert all(value <= 8.0 for value in above.values())

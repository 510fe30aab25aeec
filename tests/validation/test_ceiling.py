"""The search over turns without words: same patients and luck as the arms, no foresight, and better than its plain policy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from random import Random

import pytest

from maieutic.dialogue import Streams
from maieutic.domain.appraisal import Slot
from maieutic.domain.episode import EpisodeKey
from maieutic.domain.state import CognitiveState, Voiced
from maieutic.library import get_case
from maieutic.patients.dynamics import push_of, question_quality
from maieutic.patients.simulated import SimulatedPatient
from maieutic.validation.ceiling import (
    Pair,
    best_option,
    compare,
    main,
    options,
    plain_policy,
    rollout,
    search,
    share,
    table,
)
from maieutic.validation.sessions import Task, episodes_of
from maieutic.worlds import SimulatorConfig, patient_of


@cache
def met(case: str = "gethin", seed: int = 0) -> tuple[SimulatedPatient, Streams]:
    return patient_of(get_case(case), seed, SimulatorConfig()), Streams(0, EpisodeKey("search", case, seed))


def start(case: str = "gethin", seed: int = 0) -> tuple[SimulatedPatient, CognitiveState]:
    patient, streams = met(case, seed)
    return patient, patient.begin(streams.patient("begin", 0))


def names(patient: SimulatedPatient, state: CognitiveState) -> set[str]:
    return {option.name for option in options(patient.mind, state)}


def test_no_option_pushes_and_every_question_is_a_good_one() -> None:
    patient, state = start()
    for option in options(patient.mind, state):
        assert push_of(option.code, option.appraisal, state) == 0.0
        assert option.appraisal.fit == 1.0
        assert question_quality(option.appraisal, option.code) == float(option.appraisal.questions)
        assert not option.appraisal.told


def test_options_are_the_facts_that_have_not_come_up_and_what_can_be_done_with_those_that_have() -> None:
    patient, state = start()
    against = [e.id for e in patient.mind.situation.evidence if e.bearing == "against"]
    always = {"reflect", "feeling", "thought", "goal", "plan"}
    assert names(patient, state) == always | {f"ask {name}" for name in against}
    told = replace(state, voiced=(Voiced(against[0], "patient", 1, 0.9),))
    assert names(patient, told) == always | {f"ask {name}" for name in against[1:]} | {"weigh"}
    weighing = next(o for o in options(patient.mind, told) if o.name == "weigh")
    assert weighing.appraisal.summarised == (against[0],)
    assert weighing.appraisal.asks == (Slot.WEIGHING,)
    weighed = replace(told, weighed=(against[0],))
    assert names(patient, weighed) == always | {f"ask {name}" for name in against[1:]} | {"alternative"}


@pytest.mark.slow
def test_information_is_an_option_only_where_it_is_lacking() -> None:
    case = get_case("duarte-varela")
    for seed in range(6):
        patient = patient_of(case, seed, SimulatorConfig())
        state = patient.begin(Random(seed))
        lacking = patient.mind.situation.knowledge_gap is not None
        assert ("inform" in names(patient, state)) is lacking
        assert ("check back" in names(patient, replace(state, informed=0.5))) is lacking
        assert not {"inform", "check back"} & names(patient, replace(state, informed=1.0))


def test_the_plain_policy_opens_then_asks_then_weighs() -> None:
    patient, state = start()
    against = [e for e in patient.mind.situation.evidence if e.bearing == "against"]
    assert plain_policy(patient.mind, replace(state, openness=0.05)).name == "reflect"
    assert plain_policy(patient.mind, replace(state, openness=0.05, turn=18)).name.startswith("ask ")
    heaviest = max(e.weight for e in against)
    wide = plain_policy(patient.mind, replace(state, openness=0.97)).name
    assert patient.mind.fact(wide.removeprefix("ask ")).weight == heaviest
    some = replace(state, voiced=(Voiced(against[0].id, "patient", 1, 0.9),))
    assert plain_policy(patient.mind, replace(some, turn=19)).name == "weigh"
    every = replace(state, voiced=tuple(Voiced(e.id, "patient", 1, 0.9) for e in against))
    assert plain_policy(patient.mind, every).name == "weigh"


@pytest.mark.slow
def test_the_search_meets_the_patient_that_the_oracle_meets() -> None:
    for seed in range(3):
        patient, streams = met(seed=seed)
        states, taken = search(patient, streams, turns=2, rollouts=1)
        (episode,) = episodes_of(Task("gethin", ("oracle",), (seed,), turns=2))
        assert states[0] == episode.states[0]
        assert len(taken) == len(states) - 1 == 2


def test_the_same_session_is_searched_in_the_same_way() -> None:
    patient, streams = met()
    assert search(patient, streams, turns=4, rollouts=2) == search(patient, streams, turns=4, rollouts=2)


@dataclass(frozen=True, slots=True)
class OtherLuck(Streams):
    """The same session with other luck in the turns that are played."""

    def patient(self, purpose: str, turn: int) -> Random:
        return Streams.patient(self, purpose if turn == 0 else f"other {purpose}", turn)  # type: ignore[no-any-return]


def test_the_luck_of_the_played_turns_is_not_foreseen() -> None:
    patient, streams = met()
    there = OtherLuck(streams.run_seed, streams.key)
    (states, taken), (others, first) = (search(patient, s, turns=3, rollouts=2) for s in (streams, there))
    assert taken[0] == first[0]
    assert states[0] == others[0]
    assert states[1].held != others[1].held


def test_a_rollout_is_the_end_of_a_session_and_the_best_option_has_the_lowest() -> None:
    patient, state = start()
    ends = {o.name: rollout(patient, state, o, Random(5), turns=6) for o in options(patient.mind, state)}
    assert all(0.0 <= end <= 100.0 for end in ends.values())
    assert ends[best_option(patient, state, [5], turns=6).name] == min(ends.values())


@pytest.mark.slow
def test_search_takes_conviction_further_down_than_its_plain_policy() -> None:
    gains = []
    for seed in range(3):
        patient, streams = met("joel-salonga", seed)
        states, _ = search(patient, streams, rollouts=1)
        plain = states[0]
        while plain.turn < 20 and not plain.left:
            option = plain_policy(patient.mind, plain)
            plain = patient.transition(plain, option.code, option.appraisal, streams.patient("move", plain.turn + 1))
        gains.append(plain.held - states[-1].held)
    assert sum(gains) > 0.0


def test_sessions_are_paired_with_the_oracles() -> None:
    task = Task("gethin", ("oracle",), (0, 1), turns=3)
    pairs = list(compare(task))
    assert [(p.case, p.seed) for p in pairs] == [("gethin", 0), ("gethin", 1)]
    falls = [e.states[0].held - e.states[-1].held for e in episodes_of(task)]
    assert [p.oracle for p in pairs] == pytest.approx(falls, abs=1e-3)


def test_the_share_is_that_of_the_means() -> None:
    pairs = [Pair("a", 0, 40.0, 30.0), Pair("a", 1, 20.0, 20.0), Pair("b", 0, 0.0, 4.0)]
    assert share(pairs).estimate == pytest.approx(54.0 / 60.0)
    assert share([Pair("a", 0, 0.0, 4.0)]).estimate is None
    text = table(pairs)
    assert "3 sessions of 2 regular cases" in text
    assert "20.00" in text and "18.00" in text and "0.90" in text


@pytest.mark.slow
def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--split", "dev", "--cases", "1", "--seeds", "1"])
    assert "1 sessions of 1 regular cases" in capsys.readouterr().out

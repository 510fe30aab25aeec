"""The mind as a pure function: bounds, purity, what may lower conviction and what may not."""

from __future__ import annotations

import copy
import math
from dataclasses import fields, replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maieutic.domain.appraisal import Appraisal, FeelingClaim, Reach, Slot
from maieutic.domain.case import Case
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.state import Act, CognitiveState, Intent, Traits, Voiced
from maieutic.library import get_case
from maieutic.patients.dynamics import Mind, gate, left_alone, workable
from maieutic.patients.kernel import PRIOR, STANDARD, bounded, carry_over, draw_traits, first_state
from minds import AGAINST, ASK, CASE, FOR, MIND, appraisals, ask, codes, seeds, start, states, step, traits


@given(states, codes, appraisals, seeds)
def test_same_inputs_give_the_same_state_and_inputs_stay_as_they_were(
    state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, seed: int
) -> None:
    before = copy.deepcopy((state, code, appraisal))
    first = step(state, code, appraisal, seed)
    assert first == step(state, code, appraisal, seed)
    assert (state, code, appraisal) == before


@given(states, codes, appraisals, seeds)
def test_every_number_stays_in_its_range(
    state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, seed: int
) -> None:
    now = step(state, code, appraisal, seed)
    for name in ("held", "stated", "core", "distress"):
        assert 0.0 <= getattr(now, name) <= 100.0, name
    for name in ("goal", "task", "bond", "reactance", "insight", "alliance"):
        assert 0.0 <= getattr(now, name) <= 1.0, name
    assert 0.03 <= now.openness <= 0.97
    assert all(0.0 <= v.credit <= 1.0 for v in now.voiced)
    assert all(not isinstance(v, float) or math.isfinite(v) for v in (getattr(now, f.name) for f in fields(now)))
    assert now.turn == state.turn + 1
    assert len({v.evidence for v in now.voiced if v.by == "patient"}) == sum(v.by == "patient" for v in now.voiced)
    assert len(set(now.weighed)) == len(now.weighed)


@given(states, codes, appraisals, seeds)
def test_a_turn_brings_up_at_most_one_fact_and_only_a_question_does(
    state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, seed: int
) -> None:
    now = step(state, code, appraisal, seed)
    fresh = [v for v in now.voiced[len(state.voiced) :] if v.by == "patient"]
    assert len(fresh) <= 1
    if fresh:
        assert appraisal.questions > 0
        assert not appraisal.leading
        assert appraisal.understood


@given(states, codes, appraisals, seeds)
def test_conviction_never_falls_without_a_fact_voiced_or_weighed(
    state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, seed: int
) -> None:
    now = step(state, code, appraisal, seed)
    alone = left_alone(state, Random(seed))
    produced = [v for v in now.voiced[len(state.voiced) :] if v.by == "patient" and v.credit]
    if not produced and now.weighed == state.weighed:
        assert now.held >= alone.held - 1e-9


@given(states, codes, appraisals, seeds)
def test_conviction_never_falls_when_the_turn_is_not_understood(
    state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, seed: int
) -> None:
    lost = replace(appraisal, understood=False, questions=0, asks=())
    assert step(state, code, lost, seed).held >= left_alone(state, Random(seed)).held - 1e-9


@pytest.mark.parametrize("moves", [(Move.REFLECTION,), (Move.REFLECTION, Move.AFFIRMATION), (Move.AFFIRMATION,)])
@pytest.mark.parametrize("seed", range(4))
def test_warmth_alone_moves_conviction_by_the_noise_only(moves: tuple[Move, ...], seed: int) -> None:
    warm, alone = (first_state(CASE, MIND.situation, Random(seed)) for _ in range(2))
    code = TurnCode(dict.fromkeys(moves, 0.95), 20)
    kind = Appraisal(fit=1.0, claims=(FeelingClaim("sad", True, True, True),))
    opened = warm.openness
    for turn in range(60):
        warm = step(warm, code, kind, seed=turn)
        alone = left_alone(alone, Random(turn))
        assert warm.held == pytest.approx(alone.held, abs=1e-9)
    assert not any(v.credit for v in warm.voiced)  # what is told unasked speaks for the thought and moves nothing
    assert not {v.evidence for v in warm.voiced} & {e.id for e in AGAINST}
    assert warm.openness > opened + 0.2  # warmth has its own effect, so the test above is not about a dead input
    assert warm.distress < 60.0


@pytest.mark.parametrize(
    ("moves", "appraisal"),
    [
        ((Move.AFFIRMATION,), Appraisal()),
        ((Move.REASSURANCE,), Appraisal()),
        ((Move.ADVICE,), Appraisal()),
        ((Move.LECTURE, Move.INFORMATION), Appraisal()),
        ((Move.CHALLENGE,), Appraisal(questions=1, leading=True, reaches=(Reach("idris", 1.0),))),
        ((Move.OPEN_QUESTION,), Appraisal(questions=3, open=True, leading=True, asks=(Slot.WEIGHING,), wide=True)),
        ((Move.OTHER,), Appraisal(understood=False)),
    ],
    ids=["praise", "reassurance", "advice", "lecture", "leading", "stacked-leading", "not-understood"],
)
def test_pressure_and_praise_never_lower_conviction(moves: tuple[Move, ...], appraisal: Appraisal) -> None:
    known = appraisal if not appraisal.reaches else replace(appraisal, reaches=(Reach(AGAINST[0].id, 1.0),))
    state = start(openness=0.97, voiced=(Voiced(AGAINST[1].id, "patient", 1, 1.0),))
    for turn in range(30):
        now = step(state, TurnCode(dict.fromkeys(moves, 0.95), 60), known, seed=turn)
        assert now.held >= state.held - 1e-9
        assert now.weighed == ()
        state = now


def test_a_fitting_question_to_an_open_patient_lowers_conviction_by_the_stated_amount() -> None:
    fact = AGAINST[0]
    state = start(openness=0.9, distress=50.0)
    now = step(state, ASK, ask(fact.id))
    assert now.voiced == (Voiced(fact.id, "patient", 1, 1.0),)
    assert now.intent == Intent(Act.EVIDENCE, fact.id)
    assert now.held == pytest.approx(80.0 - STANDARD.on_voicing * 0.3 * fact.weight * 0.9 * 80.0)


def test_weighing_adds_the_rest_once() -> None:
    fact = AGAINST[0]
    voiced = start(openness=0.9, distress=50.0, voiced=(Voiced(fact.id, "patient", 0, 1.0),))
    weigh = Appraisal(questions=1, open=True, asks=(Slot.WEIGHING,))
    now = step(voiced, ASK, weigh)
    assert now.weighed == (fact.id,)
    assert now.held == pytest.approx(80.0 - (1.0 - STANDARD.on_voicing) * 0.3 * fact.weight * 0.9 * 80.0)
    again = step(now, ASK, weigh)
    assert again.held == pytest.approx(now.held)
    unnamed = step(replace(voiced, turn=5), ASK, weigh)
    assert now.held < unnamed.held < 80.0


def test_a_closed_question_counts_less_and_a_stacked_one_less_still() -> None:
    state = start(openness=0.95, distress=50.0)
    name = AGAINST[0].id
    held = [
        step(state, ASK, a).held
        for a in (ask(name), ask(name, open=False), ask(name, questions=3), ask(name, leading=True))
    ]
    assert held[0] < held[1] < held[2] < 80.0
    assert held[3] >= 80.0


def test_a_fact_for_the_thought_raises_conviction() -> None:
    state = start(openness=0.95, distress=50.0)
    assert step(state, ASK, ask(FOR[0].id)).held > 80.0


def test_a_told_fact_has_no_effect_and_gives_no_credit() -> None:
    state = start(openness=0.95)
    now = step(state, TurnCode({Move.INFORMATION: 0.95}, 20), Appraisal(told=(AGAINST[0].id,)))
    assert now.voiced == (Voiced(AGAINST[0].id, "therapist", 1, 0.0),)
    assert now.held >= state.held
    weighed = step(now, ASK, Appraisal(questions=1, open=True, asks=(Slot.WEIGHING,)))
    assert weighed.weighed == ()
    assert weighed.held >= state.held


def test_a_told_fact_cannot_be_asked_back_for_credit() -> None:
    name = AGAINST[0].id
    for told_before in (False, True):
        state = start(openness=0.97, voiced=(Voiced(name, "therapist", 1, 0.0),) if told_before else ())
        for seed in range(20):
            now = step(state, ASK, ask(name, told=() if told_before else (name,)), seed)
            assert [v.by for v in now.voiced] == ["therapist"]
            assert now.held >= state.held


def test_the_guard_gates() -> None:
    guarded = max(AGAINST, key=lambda e: e.guard)
    chances = [gate(MIND, start(openness=o / 20), guarded) for o in range(1, 20)]
    assert chances == sorted(chances)
    assert gate(MIND, start(openness=guarded.guard), guarded) == pytest.approx(0.5)
    closed = [step(start(openness=0.1), ASK, ask(guarded.id), seed=s) for s in range(100)]
    assert not any(now.voiced for now in closed)
    assert {now.intent.act for now in closed} == {Act.DEFLECT}
    assert all(step(start(openness=0.97), ASK, ask(guarded.id), seed=s).voiced for s in range(20))


def test_a_wide_question_brings_up_the_least_guarded_waiting_fact() -> None:
    least = sorted(AGAINST, key=lambda e: (e.guard, e.id))
    wide = Appraisal(questions=1, open=True, wide=True)
    told = [step(start(openness=0.9, disclosed=("situation", "thought")), ASK, wide, seed=s) for s in range(200)]
    got = [v for now in told for v in now.voiced]
    assert {v.evidence for v in got} == {least[0].id}
    assert {v.credit for v in got} == {STANDARD.wide_credit}
    assert abs(len(got) / 200 - STANDARD.wide_chance) <= 0.1
    known = (Voiced(least[0].id, "patient", 1, 1.0),)
    after = [step(start(openness=0.9, voiced=known), ASK, wide, seed=s).voiced[1:] for s in range(50)]
    assert {v.evidence for new in after for v in new} == {least[1].id}
    closed = [step(start(openness=STANDARD.wide_gate - 0.25), ASK, wide, seed=s).voiced for s in range(200)]
    assert sum(map(bool, closed)) <= 10


@given(traits, st.floats(60, 95), seeds, st.lists(st.sampled_from(["ask", "weigh", "push", "for"]), max_size=40))
def test_core_conviction_moves_ten_points_a_session_at_most(
    of: Traits, held: float, seed: int, plan: list[str]
) -> None:
    state = replace(first_state(CASE, MIND.situation, Random(seed)), traits=of, held=held, core=60.0)
    turns = {
        "ask": (ASK, ask(*[e.id for e in AGAINST])),
        "for": (ASK, ask(*[e.id for e in FOR])),
        "weigh": (ASK, Appraisal(questions=1, open=True, asks=(Slot.WEIGHING,))),
        "push": (TurnCode({Move.ADVICE: 1.0, Move.LECTURE: 1.0}, 90), Appraisal()),
    }
    for number, name in enumerate(plan):
        state = step(replace(state, openness=0.97), *turns[name], seed=seed + number)
        assert abs(state.core - 60.0) <= STANDARD.core_cap + 1e-9


def test_core_conviction_meets_its_cap_in_a_very_movable_patient() -> None:
    soft = Traits(plasticity=0.9, guardedness=-0.15, reactivity=0.5, warmth=1.0, patience=2.0, variability=0.0)
    state = start(traits=soft, held=95.0, core=70.0)
    for number, fact in enumerate(AGAINST):
        state = step(replace(state, openness=0.97, distress=50.0), ASK, ask(fact.id), seed=number)
    state = step(replace(state, openness=0.97), ASK, Appraisal(questions=1, open=True, asks=(Slot.WEIGHING,)))
    assert state.core == pytest.approx(60.0)
    assert state.held < 30.0


def test_reactance_rises_with_pushes_and_decays_without() -> None:
    push = TurnCode({Move.ADVICE: 0.95, Move.LECTURE: 0.95}, 80)
    state, seen = start(reactance=0.0), [0.0]
    for _ in range(4):
        state = step(state, push, Appraisal())
        seen.append(state.reactance)
    assert seen == sorted(seen)
    assert seen[-1] > 0.5
    calm = step(state, TurnCode({Move.REFLECTION: 0.95}, 8), Appraisal(fit=0.8))
    assert calm.reactance == pytest.approx(STANDARD.reactance_decay * state.reactance)


def test_a_pushed_patient_leaves_and_a_patient_asked_well_stays() -> None:
    push = TurnCode({Move.ADVICE: 0.95, Move.LECTURE: 0.95}, 80)
    impatient = replace(start().traits, patience=0.65, reactivity=1.0)

    def leaves(code: TurnCode, appraisal: Appraisal, seed: int) -> bool:
        state = start(traits=impatient)
        for turn in range(12):
            state = step(state, code, appraisal, seed=100 * seed + turn)
        return state.left

    assert sum(leaves(push, Appraisal(), s) for s in range(20)) >= 12
    assert not any(leaves(ASK, ask(AGAINST[0].id), s) for s in range(20))


def test_a_pleasing_patient_states_less_than_it_holds_and_a_plain_one_what_it_holds() -> None:
    case = get_case("joel-salonga")
    assert case.style == "pleasing"
    mind = Mind(case, case.situations[0])
    base = first_state(case, mind.situation, Random(0))
    pushed = step(base, TurnCode({Move.ADVICE: 0.95}, 20), Appraisal(), mind=mind)
    assert pushed.stated < pushed.held - 2.0
    assert pushed.held >= base.held - 1.0
    assert pushed.intent.act is Act.AGREE
    plain = step(start(), TurnCode({Move.ADVICE: 0.95}, 20), Appraisal())
    assert plain.stated == plain.held


def test_an_accurate_thought_gives_way_less_than_a_distorted_one(cases: dict[str, Case]) -> None:
    """All facts of the case, asked for in one go of well-formed questions, then weighed, in equally open minds."""

    def fall(case: Case) -> float:
        situation = case.situations[0]
        mind, state = Mind(case, situation), start(situation=situation.id, held=85.0)
        for number, fact in enumerate(situation.evidence):
            state = step(replace(state, openness=0.97, distress=50.0), ASK, ask(fact.id), number, mind)
        weigh = Appraisal(questions=1, open=True, asks=(Slot.WEIGHING,))
        return 85.0 - step(replace(state, openness=0.97), ASK, weigh, 99, mind).held

    falls = {name: fall(case) for name, case in cases.items()}
    accurate = [v for name, v in falls.items() if cases[name].special == "accurate"]
    distorted = [v for name, v in falls.items() if cases[name].special != "accurate"]
    assert max(accurate) < min(distorted)


def test_insight_needs_two_weighed_facts_and_a_fall() -> None:
    two = tuple(e.id for e in AGAINST[:2])
    weigh = Appraisal(questions=1, open=True, asks=(Slot.WEIGHING,))
    low = start(held=0.5 * MIND.situation.conviction, weighed=two)
    assert step(low, ASK, weigh).insight == pytest.approx(0.5)
    done = step(step(low, ASK, weigh), ASK, weigh)
    assert done.insight == 1.0
    assert done.intent.act is Act.INSIGHT
    assert step(start(held=95.0, weighed=two), ASK, weigh).insight == 0.0
    assert step(replace(low, weighed=two[:1]), ASK, weigh).insight == 0.0


def test_distress_is_workable_in_the_middle_only() -> None:
    assert workable(50.0) == 1.0
    assert workable(100.0) == pytest.approx(0.3)
    assert workable(0.0) == pytest.approx(0.4)
    assert all(0.3 <= workable(d) <= 1.0 for d in range(101))
    assert (bounded(-1.0), bounded(0.5), bounded(9.0)) == (0.0, 0.5, 1.0)


def test_a_following_session_keeps_part_of_the_fall_and_starts_its_own_cap() -> None:
    fresh = first_state(CASE, MIND.situation, Random(4))
    last = replace(fresh, held=fresh.held - 40.0, core=fresh.core - 8.0, core_start=fresh.core, bond=0.8)
    for seed in range(20):
        state = carry_over(fresh, last, Random(seed))
        assert 0.3 * 40.0 - 1e-9 <= fresh.held - state.held <= 0.7 * 40.0 + 1e-9
        assert (state.core, state.core_start, state.bond) == (last.core, last.core, 0.8)


def test_the_share_of_patients_who_hardly_move_is_that_of_the_population() -> None:
    drawn = [draw_traits(Random(seed)).plasticity for seed in range(2000)]
    assert abs(sum(p < 0.1 for p in drawn) / 2000 - PRIOR.rigid) <= 0.04

"""What moves in special groups and what must not: gaps, intrusions, experiments, told facts, tangents, other worlds."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from maieutic.domain.appraisal import Appraisal, Reach, Slot
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.state import Act, CognitiveState, Voiced
from maieutic.library import get_case
from maieutic.patients.dynamics import Mind, left_alone
from maieutic.patients.kernel import ALTERNATIVES, EXPERIMENT, STANDARD, Kernel, carry_over, first_state
from minds import AGAINST, ASK, CASE, FOR, MIND, ask, start, step

QUIET = start().traits
NOTHING = TurnCode({Move.OTHER: 0.95}, 10)


def mind_of(name: str, kernel: Kernel = STANDARD) -> Mind:
    case = get_case(name)
    return Mind(case, case.situations[0], kernel)


def begun(mind: Mind, **changes: Any) -> CognitiveState:
    """A first state without noise in an open mind."""
    fresh = first_state(mind.case, mind.situation, Random(1))
    usual = {"traits": QUIET, "held": 80.0, "stated": 80.0, "openness": 0.6, "distress": 50.0}
    return replace(fresh, **{**usual, **changes})


GAP = mind_of("rasmus-thorup")
INFORM = Appraisal(informs=True)
CHECK = Appraisal(questions=1, open=True, gap_asked=True)


def whole(state: CognitiveState) -> float:
    """Points that the gap is worth to this mind as open as it is."""
    gap = GAP.situation.knowledge_gap
    assert gap is not None
    return gap.share * (GAP.situation.conviction - GAP.situation.warranted) * state.openness


def test_information_with_leave_moves_its_part_and_the_rest_when_checked_back() -> None:
    state = begun(GAP)
    given = step(state, NOTHING, replace(INFORM, permission=True), mind=GAP)
    assert given.informed == 0.5
    assert given.intent.act is Act.INFORMED
    assert given.held == pytest.approx(80.0 - STANDARD.informed_share * whole(state))
    checked = step(given, ASK, CHECK, mind=GAP)
    assert checked.informed == 1.0
    assert given.held - checked.held == pytest.approx((1.0 - STANDARD.informed_share) * whole(given))
    assert whole(state) > 5.0  # so that the sums above are about something
    assert step(checked, ASK, CHECK, mind=GAP).held == pytest.approx(checked.held)
    assert step(given, NOTHING, replace(INFORM, permission=True), mind=GAP).held == pytest.approx(given.held)


def test_leave_lasts_for_the_turn_after_it_was_asked() -> None:
    asked = step(begun(GAP), NOTHING, Appraisal(permission=True), mind=GAP)
    assert asked.leave
    assert step(asked, NOTHING, INFORM, mind=GAP).informed == 0.5
    passed = step(asked, NOTHING, Appraisal(), mind=GAP)
    assert step(passed, NOTHING, INFORM, mind=GAP).informed == 0.0


@pytest.mark.parametrize(
    ("code", "appraisal"),
    [
        (NOTHING, INFORM),
        (TurnCode({Move.INFORMATION: 0.95}, 20), INFORM),
        (TurnCode({Move.LECTURE: 0.95}, 90), replace(INFORM, permission=True)),
        (TurnCode({Move.CHALLENGE: 0.95}, 20), replace(INFORM, permission=True)),
        (NOTHING, replace(INFORM, permission=True, understood=False)),
        (ASK, CHECK),
        (NOTHING, Appraisal(permission=True)),
    ],
    ids=["no leave", "no leave, coded", "lecture", "dispute", "not understood", "asked only", "leave only"],
)
def test_nothing_else_fills_the_gap(code: TurnCode, appraisal: Appraisal) -> None:
    now = step(begun(GAP), code, appraisal, mind=GAP)
    assert now.informed == 0.0
    assert now.held >= 80.0 - 1e-9


@pytest.mark.parametrize(
    "check", [replace(CHECK, leading=True), replace(CHECK, questions=0), replace(CHECK, gap_asked=False)]
)
def test_only_a_real_question_checks_back(check: Appraisal) -> None:
    given = begun(GAP, informed=0.5)
    now = step(given, ASK, check, mind=GAP)
    assert now.informed == 0.5
    assert now.held >= 80.0 - 1e-9  # a leading question pushes, which may raise it


def test_the_gap_is_told_when_asked_about_and_other_situations_have_none() -> None:
    assert step(begun(GAP), ASK, CHECK, mind=GAP).intent.act is Act.GAP
    told = step(start(openness=0.6), NOTHING, replace(INFORM, permission=True))
    assert told.informed == 0.0
    assert told.held == pytest.approx(80.0)


INTRUDED = mind_of("usman-akhtar")
SOOTHE = TurnCode({Move.REASSURANCE: 0.95}, 12)


def after(code: TurnCode, appraisal: Appraisal, turns: int, mind: Mind = INTRUDED) -> list[CognitiveState]:
    """One turn as given, then turns in which nothing happens."""
    found = [begun(mind)]
    for turn in range(turns):
        found.append(
            step(found[-1], code if turn == 0 else NOTHING, appraisal if turn == 0 else Appraisal(), mind=mind)
        )
    return found


@pytest.mark.parametrize(("code", "appraisal"), [(SOOTHE, Appraisal()), (NOTHING, Appraisal(content=True))])
def test_reassurance_relieves_now_and_comes_back_later(code: TurnCode, appraisal: Appraisal) -> None:
    calmed, plain = after(code, appraisal, 25), after(NOTHING, Appraisal(), 25)
    assert plain[1].distress - calmed[1].distress == pytest.approx(STANDARD.reassured_relief, abs=0.5)
    assert calmed[1].debt == STANDARD.reassured_debt
    assert calmed[1].urge == pytest.approx(plain[1].urge, abs=0.2)  # nothing has come back yet
    assert calmed[2].urge is not None
    assert calmed[1].urge is not None
    assert calmed[2].urge - calmed[1].urge == pytest.approx(STANDARD.debt_rate * STANDARD.reassured_debt)
    assert calmed[2].held - calmed[1].held == pytest.approx(0.5 * STANDARD.debt_rate * STANDARD.reassured_debt)
    last, usual = calmed[-1], plain[-1]
    assert last.urge is not None
    assert usual.urge is not None
    assert last.debt < 0.2
    assert last.urge - usual.urge == pytest.approx(STANDARD.reassured_debt, abs=0.5)
    assert last.held - usual.held == pytest.approx(0.5 * STANDARD.reassured_debt, abs=0.4)


def test_what_is_owed_piles_up_to_a_limit_and_is_never_owed_without_an_intrusion() -> None:
    state, plain = begun(INTRUDED), start()
    for turn in range(40):
        state, plain = step(state, SOOTHE, Appraisal(), turn, INTRUDED), step(plain, SOOTHE, Appraisal(), turn)
        if turn == 1:
            assert state.debt == pytest.approx(STANDARD.reassured_debt * (2.0 - STANDARD.debt_rate))
    # six in and 15 % out a turn settle at 40
    assert state.debt == pytest.approx(STANDARD.reassured_debt / STANDARD.debt_rate, abs=0.2)
    assert state.debt <= 40.0
    assert (plain.debt, plain.urge) == (0.0, None)


def test_what_is_owed_at_the_end_of_a_session_comes_back_before_the_next() -> None:
    fresh = begun(INTRUDED, urge=50.0)
    last = replace(fresh, debt=10.0)
    state = carry_over(fresh, last, Random(0))
    assert (state.urge, state.held, state.debt) == (60.0, fresh.held + 5.0, 0.0)


def test_work_on_the_appraisal_lowers_the_urge() -> None:
    fact = next(e for e in INTRUDED.situation.evidence if e.bearing == "against")
    state = begun(INTRUDED, openness=0.95)
    now = step(state, ASK, ask(fact.id), mind=INTRUDED)
    assert state.urge is not None
    assert now.held < 79.0
    assert now.urge == pytest.approx(state.urge - STANDARD.urge_on_appraisal * (80.0 - now.held))


TRIED = mind_of("usman-akhtar")
PLAN = Appraisal(questions=1, open=True, asks=(Slot.PLAN,))
HOW = Appraisal(questions=1, open=True, result_asked=True)
WEIGH = Appraisal(questions=1, open=True, asks=(Slot.WEIGHING,))


def second(seed: int, **changes: Any) -> CognitiveState:
    """The first state of a session after one that ended as given, without noise."""
    assert TRIED.situation.experiment is not None
    fresh = begun(TRIED)
    return carry_over(fresh, replace(fresh, **changes), Random(seed), TRIED.situation.experiment)


def test_a_plan_is_agreed_by_a_question_once_the_thought_is_known() -> None:
    known = begun(TRIED, disclosed=("situation", "thought"))
    assert step(known, ASK, PLAN, mind=TRIED).planned
    assert not step(begun(TRIED), ASK, PLAN, mind=TRIED).planned
    assert not step(known, ASK, replace(PLAN, leading=True), mind=TRIED).planned
    assert not step(known, TurnCode({Move.ADVICE: 0.95, Move.LECTURE: 0.95}, 60), PLAN, mind=TRIED).planned
    planned = step(known, ASK, PLAN, mind=TRIED)
    assert planned.held == pytest.approx(80.0)  # a plan by itself moves nothing
    assert step(planned, NOTHING, Appraisal(), mind=TRIED).planned


def test_an_agreed_experiment_is_carried_out_the_more_the_task_is_agreed_on() -> None:
    def share(**changes: Any) -> float:
        return sum(second(seed, **changes).result for seed in range(300)) / 300

    assert share(planned=False, task=1.0) == 0.0
    assert share(planned=True, task=0.0) == pytest.approx(0.3, abs=0.08)
    assert share(planned=True, task=1.0) == pytest.approx(0.9, abs=0.06)
    fresh = begun(TRIED)
    assert not any(carry_over(fresh, replace(fresh, planned=True), Random(s), None).result for s in range(20))


def with_result() -> CognitiveState:
    state = next(s for seed in range(50) if (s := second(seed, planned=True, task=1.0)).result)
    return replace(state, held=80.0, stated=80.0, openness=0.8, distress=50.0)


def test_the_result_is_told_when_asked_for_and_counts_as_evidence_of_ones_own() -> None:
    state = with_result()
    experiment = TRIED.situation.experiment
    assert experiment is not None
    now = step(state, ASK, HOW, mind=TRIED)
    assert now.voiced[-1] == Voiced(EXPERIMENT, "patient", 1, 1.0)
    assert now.intent.act is Act.RESULT
    assert not now.result
    force = QUIET.plasticity * experiment.weight * state.openness * state.held
    assert now.held == pytest.approx(80.0 - STANDARD.on_voicing * force)
    weighed = step(now, ASK, WEIGH, mind=TRIED)
    assert EXPERIMENT in weighed.weighed
    assert weighed.held < now.held - 0.3 * force
    assert step(now, ASK, HOW, mind=TRIED).held == pytest.approx(now.held)  # told once


def test_a_result_waits_for_a_question_and_there_is_none_without_an_experiment() -> None:
    for appraisal in (Appraisal(), Appraisal(result_asked=True), replace(HOW, leading=True)):
        now = step(with_result(), NOTHING, appraisal, mind=TRIED)
        assert EXPERIMENT not in {v.evidence for v in now.voiced}
        assert now.result
        assert now.held >= 80.0 - 1e-9
    none = step(begun(TRIED), ASK, HOW, mind=TRIED)
    assert none.voiced == ()
    assert none.held == pytest.approx(80.0)


def test_an_experiment_belongs_to_the_situation_that_it_was_agreed_in() -> None:
    other = TRIED.case.situations[1]
    fresh = first_state(TRIED.case, other, Random(1))
    last = begun(TRIED, planned=True, task=1.0)
    assert not any(carry_over(fresh, last, Random(s), other.experiment).result for s in range(20))


def test_the_result_of_a_second_experiment_can_be_weighed_too() -> None:
    before = {"voiced": (Voiced(EXPERIMENT, "patient", 3, 1.0),), "weighed": (EXPERIMENT,)}
    again = next(s for seed in range(50) if (s := second(seed, planned=True, task=1.0, **before)).result)
    told = step(replace(again, openness=0.8, distress=50.0), ASK, HOW, mind=TRIED)
    assert told.voiced[-1].evidence == EXPERIMENT
    assert step(told, ASK, WEIGH, mind=TRIED).held < told.held


def turn(kernel: Kernel, name: str) -> CognitiveState:
    """One turn of a named kind in a mind of middling openness and good alliance, from a fall of 20 points."""
    state = start(openness=0.9, distress=50.0, held=MIND.situation.conviction - 20.0, goal=0.8, task=0.8, bond=0.8)
    kinds: dict[str, tuple[TurnCode, Appraisal]] = {
        "nothing": (NOTHING, Appraisal()),
        "told": (NOTHING, Appraisal(told=(AGAINST[0].id,))),
        "asked": (ASK, ask(AGAINST[0].id)),
    }
    return step(state, *kinds[name], mind=Mind(CASE, MIND.situation, kernel))


@pytest.mark.parametrize(
    ("world", "told", "asked", "nothing"),
    [
        ("told facts count 25 %", "less", "same", "same"),
        ("told facts count 50 %", "less", "same", "same"),
        ("alliance moves conviction", "less", "less", "less"),
        ("any contact lowers conviction by 5", "less", "less", "less"),
        ("gain saturates", "same", "more", "same"),
    ],
)
def test_each_other_world_changes_what_it_says(world: str, told: str, asked: str, nothing: str) -> None:
    kernel = ALTERNATIVES[world]
    for name, expected in (("told", told), ("asked", asked), ("nothing", nothing)):
        there, here = turn(kernel, name), turn(STANDARD, name)
        gap = there.held - here.held
        assert ("same" if abs(gap) < 1e-9 else "less" if gap < 0 else "more") == expected, name
        # only conviction itself is moved: the rest of the mind is that of the standard world
        if name != "asked" or expected == "same":
            assert replace(there, held=here.held, stated=here.stated) == here


def test_the_sizes_of_the_other_worlds_are_those_of_their_names() -> None:
    usual = turn(STANDARD, "told").held
    by_25, by_50 = (usual - turn(ALTERNATIVES[f"told facts count {n} %"], "told").held for n in (25, 50))
    own = QUIET.plasticity * AGAINST[0].weight * 0.9 * (MIND.situation.conviction - 20.0)
    assert by_25 == pytest.approx(0.25 * own)
    assert by_50 == pytest.approx(0.5 * own)
    contact = turn(ALTERNATIVES["any contact lowers conviction by 5"], "nothing").held
    assert turn(STANDARD, "nothing").held - contact == pytest.approx(5.0 / 20)
    state = left_alone(start(), Random(1), ALTERNATIVES["any contact lowers conviction by 5"])
    assert state == left_alone(start(), Random(1))  # no contact, no effect of it
    fall = (MIND.situation.conviction - 20.0) - turn(STANDARD, "asked").held
    saturated = (MIND.situation.conviction - 20.0) - turn(ALTERNATIVES["gain saturates"], "asked").held
    assert saturated == pytest.approx(fall * (1.0 - 0.6 * 20.0 / 30.0))
    pulled = turn(STANDARD, "nothing").held - turn(ALTERNATIVES["alliance moves conviction"], "nothing").held
    assert pulled == pytest.approx(2.0 * (0.8 - 0.42) * (MIND.situation.conviction - 20.0) / 100.0)


def test_told_facts_move_nothing_and_what_is_stated_runs_ahead() -> None:
    names = tuple(e.id for e in AGAINST[:2])
    for name in (AGAINST[0].id, FOR[0].id):
        told = step(start(), NOTHING, Appraisal(told=(name,)))
        plain = step(start(), NOTHING, Appraisal())
        assert told.held == plain.held
        assert (told.core, told.intermediate, told.insight) == (plain.core, plain.intermediate, plain.insight)
    once, twice = (step(start(), NOTHING, Appraisal(told=names[:n])) for n in (1, 2))
    assert once.stated == pytest.approx(once.held - STANDARD.head_gain)
    assert twice.stated == pytest.approx(twice.held - 2 * STANDARD.head_gain)
    later = step(once, NOTHING, Appraisal())
    assert later.held - later.stated == pytest.approx(STANDARD.head_decay * STANDARD.head_gain)
    state = start()
    for number in range(40):
        state = step(state, NOTHING, Appraisal(told=names * 5), number)
    assert state.held == pytest.approx(80.0)
    assert state.held - state.stated == pytest.approx(30.0)


TANGENT = mind_of("glenys-marwick")
CHAT = Appraisal(questions=1, open=True)


def acts(state: CognitiveState, appraisal: Appraisal) -> list[CognitiveState]:
    return [step(state, ASK, appraisal, seed, TANGENT) for seed in range(200)]


def test_tangents_begin_by_chance_go_on_and_are_led_back() -> None:
    state = begun(TANGENT)
    begins = acts(state, CHAT)
    veered = [now for now in begins if now.intent.act is Act.TANGENT]
    assert 0.14 <= len(veered) / 200 <= 0.30
    assert all(now.astray == (now.intent.act is Act.TANGENT) for now in begins)
    astray = replace(state, astray=True)
    goes_on = sum(now.intent.act is Act.TANGENT for now in acts(astray, CHAT)) / 200
    assert 0.5 <= goes_on <= 0.7
    aimed = Appraisal(questions=1, open=True, asks=(Slot.THOUGHT,))
    fact = TANGENT.situation.evidence[0].id
    for leading_back in (aimed, Appraisal(questions=1, open=True, reaches=(Reach(fact, 1.0),))):
        for now in acts(astray, leading_back):
            assert now.intent.act is not Act.TANGENT
            assert not now.astray
    assert not any(now.astray for now in acts(state, Appraisal(questions=1, open=True, reaches=(Reach(fact, 1.0),))))


def test_a_plain_patient_stays_with_the_matter() -> None:
    assert not any(step(start(astray=True), ASK, CHAT, seed).intent.act is Act.TANGENT for seed in range(200))


def test_a_fact_confided_unasked_speaks_for_the_thought_and_never_lowers_conviction() -> None:
    heard = Appraisal(fit=0.9)
    open_ones: dict[str, Any] = {"openness": 0.95, "disclosed": ("situation", "thought", "feeling", "background")}
    confided = 0
    for seed in range(60):
        state = start(**open_ones)
        now = step(state, TurnCode({Move.REFLECTION: 0.95}, 12), heard, seed)
        assert now.held == pytest.approx(80.0)
        for fact in now.voiced:
            confided += 1
            assert now.intent.act is Act.EVIDENCE
            assert (fact.by, fact.credit) == ("patient", 0.0)
            assert fact.evidence in {e.id for e in FOR}
            weighed = step(now, ASK, WEIGH, seed)
            assert fact.evidence in weighed.weighed
            assert weighed.held >= now.held - 1e-9
            assert weighed.core >= now.core - 1e-9
    assert 10 <= confided <= 40

"""What the mind decides to say: risk, styles, slots, deflection, and that the choice is pure."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from maieutic.domain.appraisal import Appraisal, QuestionForm, Slot
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.state import Act, CognitiveState, Intent, Voiced
from maieutic.library import get_case
from maieutic.patients.dynamics import Mind
from maieutic.patients.intent import with_intent
from maieutic.patients.kernel import first_state

ASK = TurnCode({Move.OPEN_QUESTION: 0.95}, 8)


def decide(
    case: str, appraisal: Appraisal, code: TurnCode | None = ASK, *, draw: int = 1, **changes: Any
) -> CognitiveState:
    found = get_case(case)
    mind = Mind(found, found.situations[0])
    before = replace(first_state(found, mind.situation, Random(0)), intent=changes.get("intent", Intent(Act.OPEN)))
    now = replace(before, **{"turn": 5, "openness": 0.6, **changes})
    return with_intent(mind, before, now, code, appraisal, Random(draw))


@pytest.mark.parametrize(
    ("slot", "act"),
    [
        (Slot.CONVICTION, Act.CONVICTION),
        (Slot.FEELING, Act.FEELING),
        (Slot.THOUGHT, Act.THOUGHT),
        (Slot.BACKGROUND, Act.BACKGROUND),
        (Slot.GOAL, Act.GOAL),
        (Slot.PLAN, Act.PLAN),
        (Slot.SITUATION, Act.DETAIL),
        (Slot.WEIGHING, Act.NOT_KNOWING),
        (Slot.RISK, Act.RISK_DENIAL),
    ],
)
def test_an_open_patient_answers_what_is_asked(slot: Slot, act: Act) -> None:
    assert decide("gethin", Appraisal(questions=1, open=True, asks=(slot,))).intent.act is act


@pytest.mark.parametrize("slot", [Slot.FEELING, Slot.THOUGHT, Slot.BACKGROUND])
def test_a_closed_patient_deflects_what_goes_deep(slot: Slot) -> None:
    state = decide("gethin", Appraisal(questions=1, open=True, asks=(slot,)), openness=0.1)
    assert state.intent.act is Act.DEFLECT
    assert state.disclosed == ("situation",)


def test_what_is_told_counts_as_disclosed_once() -> None:
    ask = Appraisal(questions=1, open=True, asks=(Slot.THOUGHT,))
    assert decide("gethin", ask).disclosed == ("situation", "thought")
    assert decide("gethin", ask, disclosed=("situation", "thought")).disclosed == ("situation", "thought")


def test_pushing_is_resisted_deflected_or_agreed_with_by_style_and_reactance() -> None:
    push = TurnCode({Move.ADVICE: 0.95, Move.LECTURE: 0.95}, 80)
    assert decide("gethin", Appraisal(), push, reactance=0.5).intent.act is Act.RESIST
    assert decide("gethin", Appraisal(), push, reactance=0.1).intent.act is Act.DEFLECT
    assert decide("joel-salonga", Appraisal(), push, reactance=0.9).intent.act is Act.AGREE


def test_what_was_not_understood_is_said_so_and_leaving_comes_first() -> None:
    assert decide("gethin", Appraisal(understood=False)).intent.act is Act.NOT_UNDERSTOOD
    assert decide("gethin", Appraisal(understood=False), left=True).intent.act is Act.LEAVE


def test_risk_is_denied_when_closed_and_told_when_open_and_asked() -> None:
    ask = Appraisal(questions=1, asks=(Slot.RISK,))
    told = decide("hester", ask, openness=0.5)
    assert told.intent.act is Act.RISK_DISCLOSURE
    assert told.risk_disclosed
    shut = decide("hester", ask, openness=0.1)
    assert shut.intent.act is Act.RISK_DENIAL
    assert not shut.risk_disclosed


def test_risk_is_hinted_at_now_and_then_until_it_is_told() -> None:
    quiet = Appraisal(questions=1, open=True)
    hints = [decide("hester", quiet, draw=d, turn=t).intent.act is Act.RISK_HINT for t in (3, 8, 13) for d in range(80)]
    assert 0.05 <= sum(hints) / len(hints) <= 0.3
    assert not any(decide("hester", quiet, draw=d, turn=1).intent.act is Act.RISK_HINT for d in range(40))
    told = [decide("hester", quiet, draw=d, turn=3, risk_disclosed=True).intent.act for d in range(40)]
    assert Act.RISK_HINT not in told


def test_a_patient_without_risk_never_speaks_of_it_unasked() -> None:
    acts = {
        decide("gethin", Appraisal(questions=q, fit=f), draw=d, turn=t).intent.act
        for q in (0, 1) for f in (0.0, 0.8) for d in range(10) for t in range(1, 15)
    }  # fmt: skip
    assert not acts & {Act.RISK_DISCLOSURE, Act.RISK_HINT, Act.RISK_DENIAL}


def test_weighed_facts_are_conceded_or_not_by_what_is_held() -> None:
    case = get_case("gethin")
    fact = next(e.id for e in case.situations[0].evidence if e.bearing == "against")
    weigh = Appraisal(questions=1, open=True, asks=(Slot.WEIGHING,))
    more = {"weighed": (fact,), "voiced": (Voiced(fact, "patient", 2, 1.0),)}
    start = case.situations[0].conviction
    assert decide("gethin", weigh, held=start - 7.0, **more).intent.act is Act.CONCEDE
    assert decide("gethin", weigh, held=start - 5.0, **more).intent.act is Act.UNMOVED
    assert decide("gethin", weigh, held=start - 40.0, insight=1.0, **more).intent.act is Act.INSIGHT


@pytest.mark.parametrize("form", [QuestionForm.AGAINST, QuestionForm.ALTERNATIVE])
def test_who_told_no_fact_does_not_know_what_speaks_against_the_thought(form: QuestionForm) -> None:
    case = get_case("gethin")
    mind = Mind(case, case.situations[0])
    told = replace(first_state(case, mind.situation, Random(0)), turn=5, openness=0.6, told=("kettle",))
    asked = Appraisal(questions=1, open=True, asks=(Slot.WEIGHING,), form=form)
    found = with_intent(mind, told, told, None, asked, Random(1)).intent
    assert (found.act, found.form) == (Act.NOT_KNOWING, form)
    compared = replace(asked, form=QuestionForm.COMPARE)
    assert with_intent(mind, told, told, None, compared, Random(1)).intent.act is Act.UNMOVED


def test_the_tangent_style_wanders_and_the_reserved_style_holds_back() -> None:
    ask = Appraisal(questions=1, open=True, asks=(Slot.SITUATION,))
    wandering, instead = (
        sum(decide("eugene-batiste", heard, draw=d).intent.act is Act.TANGENT for d in range(200))
        for heard in (Appraisal(questions=1, open=True), ask)
    )
    assert 20 <= wandering <= 70
    assert 4 <= instead <= wandering / 2
    guarded = replace(ask, asks=(Slot.FEELING,))
    kept = [decide("nodira-karimova", guarded, draw=d, openness=0.25).intent.act is Act.DEFLECT for d in range(200)]
    assert 20 <= sum(kept) <= 90
    assert not any(decide("nodira-karimova", ask, draw=d, openness=0.1).intent.act is Act.DEFLECT for d in range(200))
    assert not any(decide("gethin", ask, draw=d).intent.act in (Act.TANGENT, Act.DEFLECT) for d in range(200))


def test_who_told_of_suicide_answers_what_is_asked_next_and_no_conviction() -> None:
    asked = {
        about: Appraisal(questions=1, asks=(Slot.CONVICTION,), risk=about) for about in ("intent", "plan", "means")
    }
    for about, appraisal in asked.items():
        state = decide("hester", appraisal, openness=0.6, risk_disclosed=True, intent=Intent(Act.RISK_DISCLOSURE))
        assert state.intent == Intent(Act.RISK_ANSWER, about=about)
    elsewhere = decide("hester", asked["plan"], openness=0.6, risk_disclosed=True, intent=Intent(Act.DETAIL))
    assert elsewhere.intent.act is not Act.RISK_ANSWER

"""What a patient remembers: units are answered in form and once, work moves the thought once, set questions yield less and less."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from maieutic.domain.appraisal import WORK, Appraisal, FeelingClaim, QuestionForm, Reach, Slot
from maieutic.domain.case import Case
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.coverage import faults
from maieutic.domain.episode import Session, Turn
from maieutic.domain.state import Act, CognitiveState, Voiced
from maieutic.library import CASES, get_case
from maieutic.patients.comprehension import Comprehension
from maieutic.patients.dynamics import Mind, loosened, reached_fact, transition
from maieutic.patients.intent import with_intent
from maieutic.patients.kernel import STANDARD, first_state
from maieutic.patients.template_voice import say
from maieutic.reading.minilm import shared_minilm

CASE = get_case("gethin")
MIND = Mind(CASE, CASE.situations[0])
ASK = TurnCode({Move.OPEN_QUESTION: 0.95}, 8)
OPEN = replace(
    first_state(CASE, MIND.situation, Random(3)), openness=0.9, disclosed=("situation", "thought", "feeling")
)
MEMORY = CASE.memory
assert MEMORY is not None
WORKING = next(u for u in MEMORY.units if u.of == MIND.situation.id and WORK & set(u.forms))
PLAIN = next(u for u in MEMORY.units if u.of == MIND.situation.id and u.moved is None and u.guard < 0.3 and u.links)


def asked(**heard: Any) -> Appraisal:
    return Appraisal(questions=1, open=True, **heard)


def turn(state: CognitiveState, appraisal: Appraisal, seed: int = 0) -> CognitiveState:
    moved = transition(MIND, state, ASK, appraisal, Random(seed))
    return with_intent(MIND, state, moved, ASK, appraisal, Random(seed))


def voice(state: CognitiveState, *said: str) -> str:
    return say(CASE, MIND.situation, Session(tuple(Turn("patient", s) for s in said)), state, Random(0))


@pytest.mark.parametrize("name", sorted(one.stem for one in (CASES / "memory").iterdir()))
def test_packaged_memories_have_no_fault(name: str) -> None:
    case = get_case(name)
    assert case.memory is not None
    assert [text for severity, text in faults(case, case.memory) if severity == "wrong"] == []
    assert len(case.memory.units) >= 100


def test_a_memory_that_points_nowhere_or_says_a_thing_twice_is_wrong() -> None:
    assert MEMORY is not None
    broken = MEMORY.units[0].model_copy(update={"links": ("nowhere",), "said": MEMORY.units[1].said, "of": "elsewhere"})
    found = faults(CASE, MEMORY.model_copy(update={"units": (broken, *MEMORY.units[1:])}))
    told = " ".join(text for severity, text in found if severity == "wrong")
    assert "links to unknown 'nowhere'" in told
    assert "said twice" in told
    assert "`of` is 'elsewhere'" in told


def test_a_unit_is_told_then_told_more_briefly_and_then_there_is_no_more() -> None:
    heard = asked(unit=PLAIN.id, sure=0.9, form=PLAIN.forms[0])
    state, acts, words = OPEN, [], []
    for seed in range(3):
        state = turn(replace(state, openness=0.9), heard, seed)
        acts.append(state.intent.act)
        words.append(voice(state, *words))
    assert acts == [Act.ANSWER, Act.AGAIN, Act.NO_MORE] or Act.EVIDENCE in acts
    assert words[0] == PLAIN.said
    assert len(set(words)) == 3


def test_a_guarded_unit_is_kept_back() -> None:
    guarded = max(MEMORY.units if MEMORY else (), key=lambda unit: unit.guard)
    state = turn(replace(OPEN, openness=0.05), asked(unit=guarded.id, sure=0.9))
    assert state.intent.act is Act.DEFLECT
    assert guarded.id not in state.told


def test_a_fact_comes_up_as_often_as_the_talk_came_near_it_and_a_told_one_never() -> None:
    first, second = MIND.situation.evidence[:2]
    heard = asked(near=(Reach(first.id, 0.6), Reach(second.id, 0.2)))
    found = [reached_fact(MIND, OPEN, heard, Random(seed)) for seed in range(400)]
    for name, chance in ((first.id, 0.6), (second.id, 0.2)):
        share = sum(one is not None and one[0] == name for one in found) / 400
        assert share == pytest.approx(STANDARD.near_chance * chance, abs=0.07)
    known = replace(OPEN, voiced=(Voiced(first.id, "patient", 1, 0.9),))
    later = [reached_fact(MIND, known, heard, Random(seed)) for seed in range(400)]
    assert {one[0] for one in later if one} == {second.id}


def test_an_answer_may_bring_the_fact_beside_it_and_tells_both() -> None:
    unit = next(u for u in MEMORY.units if MIND.next_to((u.id,)) and u.moved is None) if MEMORY else None
    assert unit is not None
    fact = MIND.next_to((unit.id,))[0]
    heard = asked(unit=unit.id, sure=0.9, near=(Reach(fact, 0.6),))
    found = [turn(replace(OPEN, openness=0.95), heard, seed) for seed in range(60)]
    both = [state for state in found if state.intent.evidence is not None]
    assert 0.3 < len(both) / 60 < 0.7
    one = both[0]
    assert one.told == (unit.id, one.intent.evidence)
    assert one.voiced[-1].evidence == one.intent.evidence
    said = voice(one)
    assert said.startswith(unit.said)
    assert any(said.endswith(words) for words in MIND.fact(str(one.intent.evidence)).said)


def test_an_answer_never_brings_a_fact_that_does_not_lie_beside_it() -> None:
    unit = next(u for u in MEMORY.units if MIND.next_to((u.id,)) and u.moved is None) if MEMORY else None
    assert unit is not None
    beside = MIND.next_to((unit.id,))
    other = next(e.id for e in MIND.situation.evidence if e.id not in beside)
    near = (Reach(other, 0.9), Reach(beside[0], 0.6))
    found = [reached_fact(MIND, OPEN, asked(unit=unit.id, sure=0.9, near=near), Random(seed)) for seed in range(100)]
    assert {one[0] for one in found if one} == {beside[0]}
    told = replace(OPEN, told=(unit.id,))
    again = [reached_fact(MIND, told, asked(unit=unit.id, sure=0.9, near=near), Random(seed)) for seed in range(100)]
    assert {one[0] for one in again if one} == {other, beside[0]}


def test_wide_questions_yield_less_and_less() -> None:
    """The chance halves with each one before, and what comes up may speak for the thought as well."""
    heard = asked(wide=True, form=QuestionForm.AGAINST)
    rate = []
    for fished in range(4):
        state = replace(OPEN, fished=fished)
        rate.append(sum(reached_fact(MIND, state, heard, Random(seed)) is not None for seed in range(400)) / 400)
    for fished, found in enumerate(rate):
        assert found == pytest.approx(STANDARD.wide_chance * STANDARD.wide_decay**fished, abs=0.08)
    assert turn(OPEN, heard).fished == 1
    order = sorted(MIND.situation.evidence, key=lambda e: (e.guard, e.id))
    first = next(r for seed in range(40) if (r := reached_fact(MIND, OPEN, heard, Random(seed))))
    assert first[0] == order[0].id


def test_a_piece_of_work_moves_the_thought_once_and_never_below_what_the_facts_warrant() -> None:
    heard = asked(unit=WORKING.id, sure=0.9, form=WORKING.forms[0])
    still = replace(OPEN, traits=replace(OPEN.traits, variability=0.0, plasticity=0.3))
    first = turn(still, heard)
    assert first.held < still.held
    assert first.worked == (WORKING.id,)
    assert turn(first, heard).held == pytest.approx(first.held, abs=1e-9)
    low = replace(still, held=MIND.situation.warranted - 1.0)
    assert turn(low, heard).held == pytest.approx(low.held, abs=1e-9)


@pytest.mark.parametrize("change", [{"leading": True}, {"questions": 0}])
def test_work_that_was_not_asked_for_moves_nothing(change: dict[str, Any]) -> None:
    still = replace(OPEN, traits=replace(OPEN.traits, variability=0.0))
    heard = replace(asked(unit=WORKING.id, sure=0.9), **change)
    assert turn(still, heard).worked == ()


PATIENT = "I went over the sand in my good shoes, so that nobody would see me."


@pytest.mark.parametrize(
    ("turn_text", "least", "most"),
    [
        ("Over the sand in your good shoes, so nobody would see. Where did you go then?", 0.5, 0.7),
        ("Who was it that you thought might see your good shoes on the sand?", 0.2, 0.35),
        ("Let's look at your homework. What did you write down?", 0.0, 0.1),
    ],
)
def test_giving_back_what_was_just_said_is_felt_as_being_heard(turn_text: str, least: float, most: float) -> None:
    ears = Comprehension.of(CASE, MIND.situation, shared_minilm())
    heard = ears(Session((Turn("patient", PATIENT), Turn("therapist", turn_text))))
    assert least <= heard.fit <= most


def test_a_feeling_named_again_and_again_is_felt_less() -> None:
    feeling = MIND.situation.emotions[0].group
    ears = Comprehension.of(CASE, MIND.situation, shared_minilm())
    first = (Turn("patient", "It was on Monday."), Turn("therapist", f"It sounds like you felt {feeling}."))
    again = (*first, Turn("patient", "And then it was Tuesday."), Turn("therapist", f"You felt {feeling} there."))
    assert ears(Session(first)).fit == 1.0
    assert ears(Session(again)).fit == pytest.approx(0.4)


def test_work_counts_more_with_the_patients_own_facts_beside_it() -> None:
    linked = next(
        u for s in CASE.situations for u in (MEMORY.within(s.id) if MEMORY else ())
        if u.of == MIND.situation.id and WORK & set(u.forms)
        and any(MIND.fact(n).bearing == "against" for n in MIND.next_to((u.id,)))
    )  # fmt: skip
    fact = next(n for n in MIND.next_to((linked.id,)) if MIND.fact(n).bearing == "against")
    still = replace(OPEN, traits=replace(OPEN.traits, variability=0.0, plasticity=0.3))
    own = replace(still, voiced=(Voiced(fact, "patient", 1, 0.9),))
    heard = asked(unit=linked.id, sure=0.9)
    assert turn(own, heard).held < turn(still, heard).held - 0.5


def test_the_same_question_is_answered_otherwise_once_the_thought_has_loosened() -> None:
    heard = asked(unit=WORKING.id, sure=0.9)
    held = turn(replace(OPEN, traits=replace(OPEN.traits, plasticity=0.0)), heard)
    loose = replace(held, held=MIND.situation.conviction - 20.0)
    assert loosened(MIND, loose)
    after = turn(loose, heard)
    assert voice(held) == WORKING.said
    assert voice(after) == WORKING.moved


def test_a_summary_is_confirmed_or_corrected() -> None:
    summary = Appraisal(questions=1, form=QuestionForm.SUMMARY)
    assert turn(OPEN, summary).intent.act is Act.CONFIRM
    wrong = replace(summary, claims=(FeelingClaim("jealous", True, False, False),))
    assert turn(OPEN, wrong).intent.act is Act.CORRECT


def test_strange_words_are_asked_back_and_nothing_else_is() -> None:
    assert turn(OPEN, asked(unclear=True, muddled=True)).intent.act is Act.ASK_BACK
    assert turn(OPEN, asked(unclear=True, foreign=True)).intent.act is Act.ASK_BACK
    assert turn(OPEN, asked(unclear=True)).intent.act is Act.NOT_KNOWING
    assert turn(OPEN, asked(unclear=True, foreign=True, form=QuestionForm.WHO)).intent.act is Act.NOT_KNOWING


def test_a_fact_is_weighed_in_words_of_its_own() -> None:
    fact = next(e for e in MIND.situation.evidence if e.bearing == "against")
    told = replace(
        OPEN, turn=5, voiced=(Voiced(fact.id, "patient", 1, 0.9),), traits=replace(OPEN.traits, plasticity=0.0)
    )
    state = turn(told, asked(asks=(Slot.WEIGHING,), form=QuestionForm.COMPARE))
    talk = MEMORY.fact(fact.id) if MEMORY else None
    assert talk is not None
    assert state.intent.evidence == fact.id
    assert voice(state) == talk.unmoved
    assert voice(replace(state, held=20.0, intent=replace(state.intent, act=Act.CONCEDE))) == talk.moved


@pytest.mark.parametrize("case", [get_case("gethin"), get_case("curtis-hollifield")])
def test_nothing_is_said_twice_in_the_same_words(case: Case) -> None:
    """Even where one thing is asked thirty times over."""
    situation = case.situations[0]
    state = first_state(case, situation, Random(0))
    for act in (Act.DEFLECT, Act.NOT_KNOWING, Act.WARMED, Act.RISK_DENIAL, Act.CONVICTION, Act.ASK_BACK):
        said: list[str] = []
        now = replace(state, intent=replace(state.intent, act=act))
        for seed in range(30):
            session = Session(tuple(Turn("patient", text) for text in said))
            said.append(say(case, situation, session, now, Random(seed)))
        assert len(set(said)) >= 9, act

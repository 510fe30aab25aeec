"""What blind players met most: names not followed, numbers not heard, canned asking back, tails and references out of place."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from maieutic.domain.appraisal import Appraisal, QuestionForm, Slot
from maieutic.domain.case import Case
from maieutic.domain.coverage import faults
from maieutic.domain.episode import Session, Turn
from maieutic.domain.state import Act, Intent
from maieutic.library import get_case
from maieutic.patients.comprehension import Comprehension
from maieutic.patients.dynamics import Mind
from maieutic.patients.intent import with_intent
from maieutic.patients.kernel import first_state
from maieutic.patients.template_voice import asked_back, say
from maieutic.reading.minilm import shared_minilm


def heard(case: Case, situation: str, *said: str) -> Appraisal:
    """The last of `said`, which begin with the patient and go turn about."""
    ears = Comprehension.of(case, case.situation(situation), shared_minilm())
    turns = tuple(Turn("therapist" if n % 2 else "patient", text) for n, text in enumerate(said))
    return ears(Session(turns))


@pytest.mark.parametrize(
    ("name", "situation", "before", "asked", "unit"),
    [
        ("eugene-batiste", "sunday-dinner", "I missed Theo in his big shin guards.", "Who is Theo?", "the-boys"),
        ("hester", "three-steps", "Ruan and Jaco, her brother Kobus's sons.", "Who is Kobus?", "kobus-who"),
        ("nilani", "aunties-question", "Colette told me it's like jet lag.", "Sorry, who's Colette?", "colette-who"),
        ("yvette-dacres", "staff-room", "I walked past Jas's house.", "And who's Jas to you?", "jas-who"),
    ],
)
def test_a_name_just_mentioned_can_be_asked_about(
    name: str, situation: str, before: str, asked: str, unit: str
) -> None:
    case = get_case(name)
    found = heard(case, situation, before, asked)
    assert found.unit == unit
    assert case.memory is not None
    told = case.memory.unit(unit)
    assert told.said != told.again


@pytest.mark.parametrize(
    "asked",
    [
        "Where is it now, out of a hundred?",
        "And now, out of a hundred?",
        "What would you put it at now?",
        "Late, not missing. You started at seventy-five. Where is it now?",
        "So where are you with that thought now?",
    ],
)
def test_a_number_asked_for_again_is_heard_as_one(asked: str) -> None:
    turns = ("It's a silly thing.", "How much do you believe it, out of a hundred?", "I'd say 75.", "Say more?")
    found = heard(get_case("nilani"), "aunties-question", *turns, "The love was late, that's all.", asked)
    assert Slot.CONVICTION in found.asks


def test_where_a_thing_is_stays_a_question_about_the_thing() -> None:
    found = heard(get_case("nilani"), "aunties-question", "He had a little blue hat.", "Where is that hat now?")
    assert Slot.CONVICTION not in found.asks


def test_asking_back_takes_up_the_words_of_the_question_and_is_not_done_twice_running() -> None:
    case = get_case("nilani")
    mind = Mind(case, case.situations[0])
    state = first_state(case, mind.situation, Random(0))
    unclear = Appraisal(questions=1, open=True, unclear=True, foreign=True)
    now = with_intent(mind, state, state, None, unclear, Random(1))
    assert now.intent.act is Act.ASK_BACK
    assert with_intent(mind, now, now, None, unclear, Random(1)).intent.act is Act.NOT_KNOWING
    said: list[str] = []
    for question in ("Did anyone look into the turbine?", "What about sand?"):
        turns = (*(Turn("patient", text) for text in said), Turn("therapist", question))
        said.append(say(case, mind.situation, Session(turns), now, Random(2)))
    assert "'turbine'" in said[0] and "'sand'" in said[1]
    assert len(set(said)) == 2


def test_nobody_echoes_the_end_of_a_question_torn_out_of_its_grammar() -> None:
    session = Session((Turn("patient", "Well."), Turn("therapist", "And how did you do that, that with her?")))
    assert asked_back(get_case("nilani"), session) == ()


def test_a_clear_question_is_never_asked_back() -> None:
    """Those of the recorded talks that were."""
    asked = (
        ("nilani", "aunties-question", "So maybe Malar was right back then.", "What did she say back then?"),
        ("fathers-temper", "driveway", "I mean it's one night.", "What has Eli said or done since the fight?"),
        ("joel-salonga", "quiet-phone", "If I vanish, it's the cardiac chapter.", "What goes through your head about why?"),
        ("anan-prescott", "soup-picture", "It was fear first.", "In the picture, who was near you, who might have been hurt?"),
    )  # fmt: skip
    found = [heard(get_case(where[0]), *where[1:], a) for *where, a in asked]
    assert not any(one.muddled or one.foreign for one in found)
    assert sum(one.unclear for one in found) <= 1


@pytest.mark.parametrize(("style", "tail"), [("upset", "the use of going over"), ("pleasing", "that's what you meant")])
def test_a_styles_tail_is_said_once_a_session_and_only_after_something_was_told(style: str, tail: str) -> None:
    case = get_case("gethin").model_copy(update={"style": style})
    state = replace(first_state(case, case.situations[0], Random(0)), openness=0.05)
    for act in (Act.DETAIL, Act.NOT_KNOWING, Act.DEFLECT, Act.RESIST):
        said: list[str] = []
        for seed in range(60):
            session = Session(tuple(Turn("patient", text) for text in said))
            said.append(say(case, case.situations[0], session, replace(state, intent=Intent(act)), Random(seed)))
        assert sum(tail in text for text in said) == (act is Act.DETAIL)
        assert sum("Oh, sure." in text for text in said) <= (act is Act.DETAIL)


def test_nobody_says_that_there_is_no_more_before_having_been_asked() -> None:
    case = get_case("gethin")
    mind = Mind(case, case.situations[0])
    state = replace(first_state(case, mind.situation, Random(0)), told=("fleece",))
    wide = Appraisal(questions=1, open=True, wide=True, form=QuestionForm.AGAINST)
    assert with_intent(mind, state, state, None, wide, Random(1)).intent.act is Act.NOT_KNOWING
    asked_before = replace(state, fished=1)
    assert with_intent(mind, asked_before, asked_before, None, wide, Random(1)).intent.act is Act.NO_MORE


def test_the_checker_names_persons_whom_no_unit_introduces() -> None:
    case = get_case("eugene-batiste")
    assert case.memory is not None
    units = tuple(u for u in case.memory.units if u.id != "aunt-clothilde")
    found = [text for kind, text in faults(case, case.memory.model_copy(update={"units": units})) if kind == "gap"]
    assert "Clothilde is named, and no unit says who that is" in found
    assert not [text for _, text in faults(case, case.memory) if text.startswith("Clothilde")]


def test_a_case_without_a_memory_hears_its_facts_and_its_diagram_and_never_asks_back() -> None:
    case = get_case("curtis-hollifield")
    situation = case.situations[0]
    opening = case.phrasings.opening[situation.id][0]
    reached = [
        bool(found) and found[0].evidence == fact.id
        for fact in situation.evidence
        for found in [heard(case, situation.id, opening, fact.asks[0]).reaches]
    ]
    assert sum(reached) >= 0.6 * len(reached)
    assert Slot.FEELING in heard(case, situation.id, opening, "What did you feel just then?").asks
    state = first_state(case, situation, Random(0))
    unclear = Appraisal(questions=1, open=True, unclear=True)
    acts = {with_intent(Mind(case, situation), state, state, None, unclear, Random(n)).intent.act for n in range(20)}
    assert Act.ASK_BACK not in acts

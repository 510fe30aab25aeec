"""What is not heard surely is answered short and in its form, or from what was just told; only what is guarded is kept."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest

from maieutic.domain.appraisal import WORK, Appraisal, Follows, QuestionForm, Reach, Slot
from maieutic.domain.episode import Session, Turn
from maieutic.domain.memory import Unit
from maieutic.domain.state import DENIED, Act, CognitiveState, Intent
from maieutic.language.sentences import sentences
from maieutic.library import get_case, select_cases
from maieutic.patients.comprehension import Comprehension
from maieutic.patients.dynamics import Mind
from maieutic.patients.hearing.at_hand import is_foreign, not_made_out
from maieutic.patients.intent import HARMLESS, with_intent
from maieutic.patients.kernel import first_state
from maieutic.patients.template_voice import DENIALS as LINES_OF_NO
from maieutic.patients.template_voice import OF_ANY_FORM, SHORT, say
from maieutic.reading.minilm import shared_minilm

CASE = get_case("gethin")
MIND = Mind(CASE, CASE.situations[0])
START = replace(first_state(CASE, MIND.situation, Random(3)), openness=0.6)
assert CASE.memory is not None
UNITS = CASE.memory.within(MIND.situation.id)
EARS = Comprehension.of(CASE, MIND.situation, shared_minilm())


def decide(appraisal: Appraisal, state: CognitiveState = START) -> Intent:
    return with_intent(MIND, state, state, None, appraisal, Random(1)).intent


def beside(unit: Unit) -> set[str]:
    return set(unit.links) | {other.id for other in UNITS if unit.id in other.links}


def linked(unit: Unit) -> list[Unit]:
    return [other for other in UNITS if other.id in beside(unit) and not WORK & set(other.forms)]


def after(unit: Unit, question: str) -> Appraisal:
    turns = (
        Turn("patient", CASE.phrasings.opening[MIND.situation.id][0]),
        Turn("therapist", unit.asks[0]),
        Turn("patient", unit.said, trace={"told": [unit.id]}),
        Turn("therapist", question),
    )
    return EARS(Session(turns))


@pytest.mark.parametrize("form", [QuestionForm.YES_NO, QuestionForm.WHO])
def test_a_short_answer_says_no_only_where_nothing_of_this_life_lies_near(form: QuestionForm) -> None:
    open_one = decide(Appraisal(questions=1, unclear=True, form=form))
    no = decide(Appraisal(questions=1, unclear=True, form=form, foreign=True))
    assert (open_one.about, no.about) == (None, DENIED)
    for intent, lines, others in ((open_one, SHORT[form], LINES_OF_NO[form]), (no, LINES_OF_NO[form], SHORT[form])):
        said = {say(CASE, MIND.situation, Session(), replace(START, intent=intent), Random(n)) for n in range(20)}
        assert said <= set(lines) and not said & set(others)


def test_only_lines_of_denial_say_no() -> None:
    """A fact that the draw kept back is met by an open answer, so that it can be told later."""
    no = re.compile(r"(?:No|Not|Nothing|Nobody|None|Never|There's no|There's nothing|I've nothing)\b")
    lines = {line for bank in (*SHORT.values(), OF_ANY_FORM) for line in bank}
    assert not [line for line in lines if any(no.match(sentence) for sentence in sentences(line))]
    assert all(
        any(no.match(sentence) for line in bank for sentence in sentences(line)) for bank in LINES_OF_NO.values()
    )
    fact = next(one for one in MIND.situation.evidence if one.id == "dewi-rings")
    assert fact.bearing == "against"
    form = QuestionForm.AGAINST
    reached = Appraisal(questions=1, open=True, form=form, reaches=(Reach(fact.id, 0.9),))
    intent = decide(reached, replace(START, openness=fact.guard + START.traits.guardedness + 0.1))
    said = {say(CASE, MIND.situation, Session(), replace(START, intent=intent), Random(n)) for n in range(20)}
    assert said <= set(SHORT[form]) and not said & set(LINES_OF_NO[form])


def test_what_the_case_knows_is_not_denied() -> None:
    """A question in the words of a unit is never foreign to this life."""
    opening = Turn("patient", CASE.phrasings.opening[MIND.situation.id][0])
    asked = [EARS(Session((opening, Turn("therapist", unit.asks[-1])))) for unit in UNITS[:40]]
    assert not any(found.foreign for found in asked)


def test_a_fact_that_the_patient_was_open_enough_to_tell_is_not_refused() -> None:
    fact = MIND.situation.evidence[0]
    reached = Appraisal(questions=1, open=True, form=QuestionForm.WHAT, reaches=(Reach(fact.id, 0.9),))
    unguarded = replace(START, openness=fact.guard + START.traits.guardedness + 0.1)
    guarded = replace(START, openness=max(0.0, fact.guard + START.traits.guardedness - 0.1))
    assert decide(reached, unguarded).act is Act.NOT_KNOWING
    assert decide(reached, guarded).act is Act.DEFLECT


def test_a_reserved_patient_keeps_no_harmless_thing_back() -> None:
    case = get_case("nodira-karimova")
    mind = Mind(case, case.situations[0])
    start = first_state(case, mind.situation, Random(0))
    assert case.memory is not None
    guarded = case.memory.unit("the-quiet")
    assert guarded.guard > HARMLESS
    told_from = guarded.guard + start.traits.guardedness

    def kept(heard: Appraisal, openness: float) -> int:
        state = replace(start, openness=openness)
        acts = [with_intent(mind, state, state, None, heard, Random(n)).intent.act for n in range(60)]
        return acts.count(Act.DEFLECT)

    unclear = Appraisal(questions=1, unclear=True, form=QuestionForm.WHO)
    plan = Appraisal(questions=1, asks=(Slot.PLAN,))
    assert not [
        kept(heard, openness) for heard in (unclear, plan) for openness in (0.05, 0.25) if kept(heard, openness)
    ]
    unit = Appraisal(questions=1, unit=guarded.id, sure=0.9)
    assert 0 < kept(unit, told_from) < 60
    assert kept(unit, told_from + 0.1) == 0


def test_a_follow_up_that_names_nothing_is_answered_from_what_was_just_told() -> None:
    pieces = [u for u in UNITS if u.guard <= HARMLESS and not WORK & set(u.forms) and beside(u)][:12]
    elsewhere = []
    for unit in pieces:
        for question in ("And then?", "What else was there to it?"):
            found = after(unit, question)
            assert found.follows in (Follows.MORE, Follows.MEANING) or found.asks or found.unit, (unit.id, question)
            elsewhere += [unit.id] * (found.unit is not None and found.unit not in beside(unit) | {unit.id})
            assert {near.evidence for near in found.near} <= beside(unit)
    assert not elsewhere


def test_more_of_the_thought_is_more_of_the_thought_and_no_piece_told_before_it() -> None:
    told = next(u for u in UNITS if u.guard <= HARMLESS and any(other.guard <= HARMLESS for other in linked(u)))
    near = next(other for other in linked(told) if other.guard <= HARMLESS)
    more = Appraisal(questions=1, follows=Follows.MORE, next_to=near.id)
    after_it, after_the_thought = (
        decide(more, replace(START, told=(told.id,), intent=last))
        for last in (Intent(Act.ANSWER, unit=told.id), Intent(Act.THOUGHT))
    )
    assert after_it == Intent(Act.ANSWER, unit=near.id)
    assert after_the_thought.act is Act.THOUGHT


def test_a_person_whom_the_last_words_named_can_be_asked_about() -> None:
    case = get_case("anan-prescott")
    situation = case.situations[0]
    assert case.memory is not None
    told = case.memory.unit("food")
    assert "Mick" in told.said and "mick-what" not in told.links
    before = (Turn("therapist", told.asks[0]), Turn("patient", told.said, trace={"told": [told.id]}))
    opening = Turn("patient", case.phrasings.opening[situation.id][0])
    ears = Comprehension.of(case, situation, shared_minilm())
    heard = {
        asked: ears(Session((opening, *before, Turn("therapist", asked)))).unit
        for asked in ("Who's Mick?", "And then?")
    }
    assert heard["Who's Mick?"] == "mick-what"
    assert heard["And then?"] in {None, told.id, *told.links}


def test_muddled_words_get_no_piece_of_the_life_however_often_they_come() -> None:
    near = next(unit for unit in UNITS if unit.guard <= HARMLESS)
    heard = not_made_out(Appraisal(questions=1, next_to=near.id, foreign=True, form=QuestionForm.WHAT))
    assert (heard.next_to, heard.foreign) == (None, False)
    first, again = decide(heard), decide(heard, replace(START, intent=Intent(Act.ASK_BACK)))
    assert first.act is Act.ASK_BACK
    assert (again.act, again.unit) == (Act.NOT_KNOWING, None)


def test_every_form_but_danger_has_short_answers_that_are_no_lines_of_a_case() -> None:
    assert set(SHORT) == set(QuestionForm) - {QuestionForm.RISK}
    lines = {line for form in set(SHORT) for line in SHORT[form]}
    own: set[str] = set()
    for case in select_cases(split="starter"):
        own.update(line for said in case.phrasings.details.values() for line in said)
        own.update(case.phrasings.not_knowing)
        own.update(case.memory.talk.dont_know if case.memory else ())
    assert lines and own and not own & lines


def test_how_somebody_knows_is_not_answered_as_why_they_did_it() -> None:
    assert not set(SHORT[QuestionForm.HOW_KNOW]) & set(SHORT[QuestionForm.HOW_COME])
    intent = Intent(Act.NOT_KNOWING, form=QuestionForm.HOW_KNOW)
    said = {say(CASE, MIND.situation, Session(), replace(START, intent=intent), Random(n)) for n in range(20)}
    assert said == set(SHORT[QuestionForm.HOW_KNOW])
    assert not [line for line in said if re.search(r"\b(?:do|did|done|habit|afraid)\b", line, re.I)]


def test_who_runs_out_of_short_answers_turns_away_before_saying_that_there_is_no_more() -> None:
    assert CASE.memory is not None
    state = replace(START, intent=Intent(Act.NOT_KNOWING, form=QuestionForm.WHAT))
    said: list[str] = []
    for seed in range(40):
        session = Session(tuple(Turn("patient", text) for text in said))
        said.append(say(CASE, MIND.situation, session, state, Random(seed)))
    away, no_more = (
        [n for n, text in enumerate(said) if any(line in text for line in lines)]
        for lines in (CASE.phrasings.deflecting, CASE.memory.talk.no_more)
    )
    assert away and no_more and max(away) < min(no_more)


def test_a_question_that_names_what_few_pieces_of_this_life_share_is_not_foreign_to_it() -> None:
    """However low the chances of all pieces are."""
    opening = Turn("patient", CASE.phrasings.opening[MIND.situation.id][0])
    taken = EARS.hearing(Session((opening, Turn("therapist", "Is it about the turbine?"))))
    faint = replace(taken, chances=dict.fromkeys(taken.chances, 0.0))
    index = EARS.hearing.index
    assert is_foreign(faint, ["Is it about the turbine?"], index)
    assert not is_foreign(faint, ["Is it about the fleece?"], index)

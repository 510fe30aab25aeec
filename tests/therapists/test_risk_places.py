"""Where everybody is asked: what a sign that is not sure does, the way back after a no, and how long it stays."""

from __future__ import annotations

from random import Random

import pytest

from maieutic.domain.episode import Session, Turn
from maieutic.safety.handover import HANDOVERS
from maieutic.safety.kinds import Kind
from maieutic.therapists.risk.following import Protocol
from maieutic.therapists.risk.grades import Answer, Ask, Facet, RiskState
from maieutic.therapists.risk.protocol import ASKED_BY, EARLIEST, Moment, next_ask, routine_ask
from maieutic.therapists.risk.returning import SAID_TWICE, led_back
from maieutic.therapists.risk.saying import MAX_STAYS
from maieutic.therapists.risk.signs import Signs, Thresholds
from maieutic.therapists.risk.wording import ask_of, lines
from talks import session_of

QUIET = Protocol(lambda text: (0.0, 0.0), Thresholds(0.9, 0.1, 0.05))
UNSURE = Signs(some=True, faint=True, grave=True)
URGENT = Signs(some=True, faint=True, grave=True, urgent=True)
SURE = Signs(some=True, faint=True, grave=True, urgent=True, likelier=True)


def ask(signs: Signs, number: int, *, everybody: bool = True, waited: int = 0) -> Ask | None:
    found = next_ask(RiskState(), signs, Moment(number, everybody=everybody, waited=waited))
    return found[0] if found else None


def test_a_sign_that_is_not_sure_waits_for_a_natural_place_and_is_asked_about_as_everybody_is() -> None:
    assert ask(UNSURE, 1) is None and ask(UNSURE, EARLIEST) is None
    assert ask(UNSURE, ASKED_BY) is Ask.ROUTINE and ask(UNSURE, EARLIEST, waited=1) is Ask.ROUTINE
    place = routine_ask(RiskState(), UNSURE, Moment(EARLIEST, rapport=0.2, painful=True), "routine")
    assert place is not None and place[0] is Ask.ROUTINE
    assert routine_ask(RiskState(), UNSURE, Moment(EARLIEST - 1, painful=True), "routine") is None


def test_what_is_likely_is_met_at_once_and_as_a_sign_only_what_is_likelier_than_not() -> None:
    assert ask(URGENT, 1) is Ask.FAINT and ask(URGENT, EARLIEST) is Ask.ROUTINE
    assert ask(SURE, 1) is Ask.FAINT and ask(SURE, EARLIEST) is Ask.FAINT


def test_at_signs_alone_nothing_waits_for_a_question_that_will_not_come() -> None:
    for signs in (UNSURE, URGENT, SURE):
        assert ask(signs, 1, everybody=False) is Ask.FAINT


@pytest.mark.parametrize(
    ("told", "kind", "words"),
    [
        ("I felt so ashamed of it.", "felt", "You felt ashamed."),
        ("Lonely, mostly.", "felt", "You felt lonely."),
        ("That I'm no use to any of them.", "thought", "“That I'm no use to any of them”"),
        ("I handed the key to the allotment back to him.", "told", "“I handed the key to the allotment back to him”"),
    ],
)
def test_the_way_back_names_what_was_told_in_the_words_for_it(told: str, kind: str, words: str) -> None:
    talk = session_of(told) + Turn("therapist", "Have you?", trace={"step": "risk_check"}) + Turn("patient", "No.")
    for seed in range(6):
        said = led_back(talk, Random(seed))
        form = next(
            form for form in lines()[f"risk_thanks_{kind}"] if said.startswith(form.split("{back}")[0].rstrip("“"))
        )
        assert words.rstrip("”.") in said and said.count("?") == 1, form
        assert ask_of(Turn("therapist", said)) is Ask.THANKS


def test_a_long_sentence_that_was_given_back_is_named_and_not_quoted_again() -> None:
    told = "I handed the key to the old allotment by the river back to him."
    assert len(told.split()) > SAID_TWICE
    lead = f"“{told}” I hear that. Have you had thoughts of suicide?"
    talk = session_of(told) + Turn("therapist", lead, trace={"step": "risk_check"}) + Turn("patient", "No.")
    said = led_back(talk, Random(1))
    assert said in lines()["risk_thanks_told_again"]


def test_what_hurts_and_is_too_long_to_quote_is_named_as_what_it_is() -> None:
    told = (
        "Ashamed, so ashamed that I took the back stairs for a whole week so as not to pass any of them on my way out."
    )
    talk = session_of(told) + Turn("therapist", "?", trace={"step": "risk_check"}) + Turn("patient", "No.")
    assert led_back(talk, Random(1)) in lines()["risk_thanks_felt_again"]


def test_nothing_is_made_up_to_go_back_to() -> None:
    talk = session_of("I don't know.") + Turn("therapist", "?", trace={"step": "risk_check"}) + Turn("patient", "No.")
    assert led_back(talk, Random(1)) == ""


def test_after_the_stop_it_stays_until_somebody_is_reached_or_the_time_is_over() -> None:
    talk: Session = session_of("I'm going to do it tonight.") + Turn("therapist", HANDOVERS[Kind.SUICIDE])
    ended = []
    for _ in range(MAX_STAYS + 1):
        talk = talk + Turn("patient", "I don't know who that would be.")
        last, found = QUIET.read(talk).risk_turn(Moment(9, left=1)), QUIET.read(talk).risk_turn(Moment(9, left=5))
        assert last is not None and last.ending is not None and last.ending.kind == "handed_over"
        assert found is not None and found.ask is Ask.STAY
        ended.append(found.ending is not None)
        talk = talk + Turn("therapist", found.text, trace={"step": "stay"})
    assert not any(ended[:MAX_STAYS]) and ended[-1]


def test_what_only_may_have_been_told_hands_nobody_over_where_it_is_not_answered_twice() -> None:
    twice = RiskState().with_turn(Ask.SAFETY).with_turn(Ask.SAFETY)
    for moment in (Moment(6), Moment(6, lost=True), Moment(6, lost=True, told=True)):
        found = next_ask(twice, Signs(), moment)
        assert found is not None and found[0] is Ask.DOOR
    plainly = (Moment(6, told=True), Moment(6, lost=True, heard=True), Moment(6, lost=True, other=Kind.CHILD))
    for signs, moment in (*((Signs(), moment) for moment in plainly), (Signs(strong=True), Moment(6))):
        found = next_ask(twice, signs, moment)
        assert found is not None and found[0] is Ask.HAND_OVER


def test_a_no_to_whether_it_has_come_closer_leads_on_and_does_not_name_the_same_people_again() -> None:
    over = RiskState().with_turn(Ask.ROUTINE).with_answer(Answer(frozenset({Facet.WISH}))).with_turn(Ask.HELP)
    no = over.with_turn(Ask.CHANGED).with_answer(Answer(no=frozenset({Facet.INTENT})))
    found = next_ask(no, Signs(), Moment(9))
    assert found is not None and found[0] is Ask.RETURN
    silent = over.with_turn(Ask.CHANGED).with_answer(Answer())
    again = next_ask(silent, Signs(), Moment(9))
    assert again is not None and again[0] is Ask.REPEAT

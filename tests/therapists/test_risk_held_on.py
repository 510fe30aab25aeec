"""What a question of the risk protocol got is held on to: not asked again beside an answer, not dropped without one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from maieutic.domain.episode import Session, Turn
from maieutic.runs.files import read_lines
from maieutic.safety.handover import HANDOVERS
from maieutic.safety.kinds import Kind
from maieutic.therapists.risk.after_stop import does
from maieutic.therapists.risk.answers import read_answer
from maieutic.therapists.risk.following import Protocol
from maieutic.therapists.risk.grades import Answer, Ask, Facet
from maieutic.therapists.risk.protocol import Moment, next_ask
from maieutic.therapists.risk.saying import MAX_PUT, RiskTurn
from maieutic.therapists.risk.signs import Signs, Thresholds
from maieutic.therapists.risk.wording import lines, worded
from maieutic.therapists.socratic import SocraticTherapist
from risk_states import WISH, after, asks, told
from talks import session_of

QUIET = Protocol(lambda text: (0.0, 0.0), Thresholds(0.9, 0.1, 0.05))
ALONE = "It's only the wind here, and the clock in the hall."
PUT = [form for key in ("stay_suicide", "stay_suicide_psychosis") for form in lines()[key]]


def put_in(talk: Session, *replies: str) -> tuple[list[bool], RiskTurn]:
    """Whether each reply to a talk that was stopped is met by the question about suicide, and the last turn."""
    put: list[bool] = []
    for reply in replies:
        found = QUIET.read(talk + Turn("patient", reply)).risk_turn(Moment(6))
        assert found is not None
        put.append(any(form in found.text for form in PUT))
        talk = talk + Turn("patient", reply) + Turn("therapist", found.text)
    return put, found


STOPPED = session_of(ALONE) + Turn("therapist", HANDOVERS[Kind.MANIA])


@pytest.mark.parametrize(
    ("answer", "ask"),
    [
        ("Yes. I think about killing myself, most nights. I haven't told a soul.", Ask.HAND_OVER),
        ("Yes, sometimes I think of it, but I'd never do it.", Ask.STAY),
    ],
)
def test_a_yes_to_suicide_after_the_stop_counts_whatever_is_denied_beside_it(answer: str, ask: Ask) -> None:
    put, last = put_in(STOPPED, ALONE, ALONE, answer)
    assert put == [False, True, False] and last.ask is ask


def test_suicide_is_asked_about_twice_in_a_talk_with_a_stop_and_no_more() -> None:
    asked = session_of(ALONE, lines()["risk_check"][0], "The lift was out of order again.")
    before = asked + Turn("therapist", HANDOVERS[Kind.MANIA])
    assert sum(put_in(before, *[ALONE] * 6)[0]) == 1 == MAX_PUT - 1
    assert sum(put_in(STOPPED, *[ALONE] * 6)[0]) == MAX_PUT


def test_after_a_stop_for_a_voice_what_it_orders_is_asked_about_with_suicide() -> None:
    talk = session_of(ALONE) + Turn("therapist", HANDOVERS[Kind.PSYCHOSIS])
    assert any(form in put_in(talk, ALONE, ALONE)[1].text for form in lines()["stay_suicide_psychosis"])


def test_half_a_yes_to_whether_it_has_come_closer_is_no_no() -> None:
    wish = after((Ask.ROUTINE, told(WISH)), (Ask.WISH, told(WISH))).with_turn(Ask.HELP).with_turn(Ask.MORE)
    half = wish.with_turn(Ask.CHANGED).with_answer(Answer(unsure=True))
    assert asks(half) is Ask.REPEAT
    assert asks(half.with_turn(Ask.REPEAT).with_answer(Answer(unsure=True))) is Ask.HAND_OVER
    open_still = half.with_turn(Ask.REPEAT).with_answer(Answer())
    assert asks(open_still) is Ask.HELP
    words = worded(Ask.HELP, open_still, "", [], Session((), 1).generator("risk"))
    assert words in lines()["risk_resources_unsure"] and "no closer" not in words


def test_thoughts_of_suicide_are_never_met_as_a_step() -> None:
    told_so = "Yes. I think about killing myself, most nights since August. I've thought about how and when."
    assert does(told_so)[0] == "later"
    _, last = put_in(session_of(ALONE) + Turn("therapist", HANDOVERS[Kind.SUICIDE]), told_so)
    assert "I hope you do" not in last.text and "I'd like you to get there" not in last.text


def test_what_despairs_is_given_back_and_not_the_lesser_sentence_behind_it() -> None:
    wished = session_of("I go to bed hoping I won't wake up.", lines()["risk_wish"][0], "It's there most nights.")
    wished = wished + Turn("therapist", lines()["risk_resources"][0]) + Turn("patient", "Nobody knows, only you.")
    for form in lines()["risk_changed"][:2]:
        wished = wished + Turn("therapist", form) + Turn("patient", "No, I won't do anything.")
    wished = wished + Turn("therapist", "What was the week like?")
    found = QUIET.read(wished + Turn("patient", "No road out. That was all of it.")).risk_turn(Moment(9))
    assert found is not None and found.ask is Ask.FOLLOW
    assert "“No road out.”" in found.text and "That was all of it" not in found.text


def test_danger_is_not_thanked_for_where_a_question_about_safety_was_not_answered_by_a_no() -> None:
    """A yes at the end is one; who only points back to a likely danger is not led on as if nothing was told."""
    racing = (
        "I don't want to die, no. It's something else. I'm sleeping two hours, nine nights now. I've eleven grand gone "
        "on a festival nobody asked for. My head's going like a fruit machine, and then on Sunday it all stopped and I "
        "couldn't get up off the floor."
    )
    agent = SocraticTherapist()
    talk = session_of("My partner took my bank card.", lines()["risk_check"][0], racing)
    asked = agent.protocol.read(talk).risk_turn(Moment(4))
    assert asked is not None and asked.ask is Ask.SAFETY
    talk = talk + Turn("therapist", asked.text)
    yes = agent.protocol.read(talk + Turn("patient", "That's still so, yes.")).risk_turn(Moment(5))
    assert yes is not None and yes.ask is Ask.HAND_OVER
    again = agent.protocol.read(talk + Turn("patient", "It's as I told you about that.")).risk_turn(Moment(5))
    assert again is not None and again.ask is Ask.SAFETY
    assert not any(form in again.text for form in lines()["risk_safety_besides"])
    back = talk + Turn("patient", "It's as I told you about that.") + Turn("therapist", again.text)
    left = agent.protocol.read(back + Turn("patient", "Nothing has changed about that since I told you."))
    last = left.risk_turn(Moment(6))
    assert last is not None and last.ask is Ask.HELP


def test_nothing_told_plainly_leaves_a_question_about_safety_open_where_it_only_points_back() -> None:
    state = replace(after((Ask.ROUTINE, told(no=(Facet.THOUGHTS,)))), refers=True)
    state = state.with_turn(Ask.SAFETY).with_turn(Ask.SAFETY)
    state = replace(state, refers=True)
    assert (next_ask(state, Signs(), Moment(6)) or (None,))[0] is Ask.DOOR
    assert (next_ask(state, Signs(), Moment(6, another=True)) or (None,))[0] is Ask.HELP


HELD_OUT = Path(__file__).parent / "data" / "risk_replies_heldout.jsonl"


def held_out(hand: int) -> list[tuple[str, str]]:
    """(line, what it says) of a hand that no head learned from."""
    rows = read_lines(HELD_OUT)
    return [(str(row["text"]), str(row["says"])) for row in rows if row["hand"] == hand]


def test_what_only_begins_like_a_no_is_not_believed_as_one() -> None:
    assert not read_answer("No way out. That's all that came.", Ask.ROUTINE).denies
    assert not read_answer("No way out. That's all that came.", Ask.CHANGED).no
    assert not read_answer("I suppose. No way out. That's all that came.", Ask.SIGN).denies
    for plain in ("No.", "No, it isn't that.", "No, never.", "Not at all."):
        assert read_answer(plain, Ask.ROUTINE).denies
    every = held_out(6)
    believed = [says for text, says in every if read_answer(text, Ask.ROUTINE).denies]
    assert believed.count("no_answer") <= 3 and believed.count("besides") == 0, "19 of 45 before"
    assert believed.count("denies") >= 33


def test_whether_it_has_come_closer_is_read_in_a_hand_held_out() -> None:
    half = read_answer("Maybe a bit. I wouldn't swear to it.", Ask.CHANGED)
    assert half.unsure and not half.no
    found = [(says, read_answer(text, Ask.CHANGED)) for text, says in held_out(5)]
    believed = [says for says, answer in found if Facet.INTENT in answer.no and not answer.unsure]
    assert believed.count("closer") == believed.count("unsure") == 0
    assert sum(Facet.INTENT in answer.yes for says, answer in found if says == "closer") >= 14

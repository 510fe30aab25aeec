"""The Socratic arms without a model: one good question a turn, in the order that each is defined by, never telling."""

from __future__ import annotations

import asyncio
from functools import cache
from itertools import pairwise

import pytest

from maieutic.coding.rules import code_text
from maieutic.dialogue import converse
from maieutic.domain.codes import TELLING, Move
from maieutic.domain.episode import Episode, Session, Turn
from maieutic.library import get_case
from maieutic.reading.moves import questions
from maieutic.registry import load_therapist
from maieutic.rivals.padesky_script import SCRIPT
from maieutic.rivals.reflecting import fresh_feeling, reflection, telling_clause
from maieutic.rivals.set_lines import TYPES
from maieutic.rivals.state_script import ASKS, Place, follow
from talks import make_patient, make_talk, pair_marks, session_of

NAMES = ("padesky_script", "rotation", "clause_question", "state_machine")
CANNED = sorted({step.ask for step in SCRIPT} | {q for bank in (*TYPES.values(), *ASKS.values()) for q in bank})


def respond(name: str, session: Session) -> Turn:
    return asyncio.run(load_therapist(name).respond(session))


@cache
def play(name: str, case: str, seed: int = 0) -> Episode:
    return asyncio.run(converse(make_talk(load_therapist(name), make_patient(case), turns=20, seed=seed)))


@pytest.mark.parametrize("name", NAMES)
def test_every_arm_is_registered_and_sees_only_what_was_said(name: str) -> None:
    therapist = load_therapist(name)
    assert therapist.name == name
    assert not hasattr(therapist, "needs")


@pytest.mark.parametrize("text", CANNED)
def test_every_canned_line_asks_one_thing_and_does_not_lead_or_tell(text: str) -> None:
    asked = questions(text)
    assert len(asked) == 1
    assert not asked[0].leading and not asked[0].advising
    assert not code_text(text).any_of(TELLING)


@pytest.mark.parametrize(("case", "name"), pair_marks(NAMES, fast=1))
def test_a_whole_session_asks_and_never_tells_a_fact(name: str, case: str) -> None:
    episode = play(name, case)
    facts = [e.fact for s in get_case(case).situations for e in s.evidence]
    asked = [len(questions(turn.text)) for turn in episode.therapist_turns]
    # Words given back can be taken for a question of their own ("There isn't any more, you wish there was").
    assert min(asked) == 1 and sum(many > 1 for many in asked) <= 1
    assert not any(fact in turn.text for turn in episode.therapist_turns for fact in facts)
    # Words given back can be taken for advice or a lecture ("You told him take it"); the arms' own words cannot.
    assert (
        sum(bool(code and code.any_of(TELLING - {Move.INFORMATION, Move.REASSURANCE})) for code in episode.codes) <= 2
    )


def test_the_script_stands_fixed_whatever_is_answered() -> None:
    first, second = (play("padesky_script", case) for case in ("gethin", "nilani"))
    for turn, other, step in zip(first.therapist_turns, second.therapist_turns, SCRIPT, strict=False):
        assert turn.text.endswith(step.ask) and other.text.endswith(step.ask)
    assert {step.stage for step in SCRIPT} == {"informational", "listening", "summary", "synthesising"}
    assert len(SCRIPT) == 20


def test_a_script_that_is_over_begins_its_last_cycle_again() -> None:
    session = Session(seed=1)
    for _ in range(30):
        session = session + Turn("patient", "It was on Monday at the shop.")
        session = session + respond("padesky_script", session)
    asked = session.by("therapist")
    assert asked[20].text.endswith(SCRIPT[12].ask)
    assert asked[28].text.endswith(SCRIPT[12].ask)


def test_a_summary_holds_what_the_patient_told() -> None:
    heard = [
        turn.text for turn in play("padesky_script", "gethin").therapist_turns if "You've told me that" in turn.text
    ]
    assert heard
    assert all(", and that " in text or text.count("You've told me that") == 1 for text in heard)


def test_the_rotation_goes_through_the_six_types_and_repeats_nothing_in_twenty_turns() -> None:
    turns = play("rotation", "gethin").therapist_turns
    kinds = [turn.trace["type"] for turn in turns if turn.trace]
    assert kinds[:12] == [*TYPES, *TYPES]
    asked = [next(q for q in TYPES[kind] if turn.text.endswith(q)) for kind, turn in zip(kinds, turns, strict=True)]
    assert len(set(asked)) == len(asked)


def test_the_clause_question_depends_on_the_last_words_only() -> None:
    last = "I told my brother that I am a failure at everything."
    short = Session((Turn("patient", "Hello."), Turn("therapist", "What happened?"), Turn("patient", last)), 5)
    other = Session((Turn("patient", "Good day."), Turn("therapist", "And then?"), Turn("patient", last)), 5)
    assert respond("clause_question", short) == respond("clause_question", other)
    assert "failure" in respond("clause_question", short).text


@pytest.mark.parametrize(("text", "kind"), [("I am a useless father to them.", "judgement"), ("My brother drove me home on Friday.", "event"), ("Hm.", "little"), ("Ashamed, me.", "feeling")])  # fmt: skip
def test_a_clause_is_taken_for_what_it_is(text: str, kind: str) -> None:
    trace = respond("clause_question", session_of(text)).trace
    assert trace and trace["clause"] == kind


def test_the_machine_goes_through_its_states_in_order_and_names_them() -> None:
    turns = play("state_machine", "gethin", 2).therapist_turns
    states = [turn.trace["state"] for turn in turns if turn.trace]
    order = [state for state, after in pairwise([*states, ""]) if state != after]
    # A feeling told in answer to the question for the thought is not asked for again.
    assert [s for s in order if s in ("thought", "rating")] == ["thought", "rating"]
    assert states[-2:] == ["second_rating", "plan"]
    assert "weighing" in states
    assert all(turn.trace and turn.trace["rule"] for turn in turns)


@pytest.mark.parametrize(
    ("place", "text", "state"),
    [
        (Place("thought", visits=1), "I thought, I am a failure and they all know it.", "feeling"),
        (Place("thought", visits=1), "The bus was late on the way to the shop that day.", "thought"),
        (Place("thought", visits=2), "The bus was late on the way to the shop that day.", "feeling"),
        (Place("feeling", visits=1), "I felt so ashamed when they looked at me.", "rating"),
        (Place("rating", visits=1), "I'd say 85.", "grounds"),
        (Place("exceptions", visits=1), "I don't know.", "exceptions"),
        (Place("exceptions", visits=2, finds=("a",)), "My sister came all the way from Leeds to see me on Sunday.", "weighing"),
        (Place("weighing", visits=1, weighed=1), "It changes nothing at all about what I did.", "exceptions"),
        (Place("weighing", visits=1, weighed=3), "Maybe it isn't the whole of it.", "alternative"),
        (Place("exceptions", visits=1), "You don't understand me at all, stop asking.", "repair"),
        (Place("repair", visits=1, before="exceptions"), "It is about my mother, I suppose.", "exceptions"),
        (Place("exceptions", visits=1), "I don't want to live any more.", "safety"),
    ],
)  # fmt: skip
def test_the_last_answer_decides_where_the_machine_goes(place: Place, text: str, state: str) -> None:
    assert follow(place, text, left=10).state == state


@pytest.mark.parametrize(("left", "state"), [(4, "weighing"), (3, "alternative"), (2, "second_rating"), (1, "plan")])
def test_the_end_of_a_session_has_its_own_order(left: int, state: str) -> None:
    place = Place("exceptions", visits=1, finds=("My sister came to see me on Sunday.",))
    assert follow(place, "It was a good day out for both of us there.", left=left).state == state


@pytest.mark.parametrize("name", NAMES)
def test_talk_of_not_living_is_asked_about_at_once(name: str) -> None:
    session = session_of("I don't want to live any more.")
    first = respond(name, session)
    assert "ending your life" in first.text
    again = session + first + Turn("patient", "Yes. I don't want to live any more.")
    assert respond(name, again).text != first.text


@pytest.mark.parametrize(("text", "feeling"), [("I felt so ashamed.", "ashamed"), ("I sat down by the door.", None), ("I felt low all day.", "low"), ("I wasn't angry with him.", None)])  # fmt: skip
def test_a_feeling_is_given_back_only_when_it_was_named(text: str, feeling: str | None) -> None:
    assert fresh_feeling(session_of(text)) == feeling


def test_what_is_given_back_is_what_was_told() -> None:
    rng = session_of("a").generator("therapist")
    assert reflection(session_of("I'd say 85."), rng) == "So 85 out of 100."
    assert telling_clause("Nobody's ever put that to me before.") == "nobody's ever put that to you before"
    assert telling_clause("Um, I lost my job at the plant.") == "you lost your job at the plant"
    assert telling_clause("That's a good question, really it is.") is None

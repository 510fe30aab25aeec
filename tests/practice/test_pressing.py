"""What is not surely read is put as a question: only of the trainee's own words, and never beside what has a name."""

from __future__ import annotations

import pytest

from maieutic.language.sentences import sentences
from maieutic.practice.moves import COSTS, kinds, parts_of_turn, was
from maieutic.practice.whole_turn import (
    ASKED_OF,
    PERHAPS,
    PRESSES,
    SEVERAL,
    asked_about,
    asked_of,
    asks_once,
    may_ask_several,
    pressing,
)

HEARD = "My sister rang and I let it ring out. I thought, she only wants the car again."
UNSURE = ("I would have picked it up.",)
SURE = ("You just need to sleep more.", "Everybody has off days.", "You really should try to ring her.")


@pytest.mark.parametrize("said", UNSURE)
def test_a_sentence_that_may_have_cost_is_asked_about(said: str) -> None:
    found = asked_of(said, HEARD)
    assert found is not None and found[0] in sentences(said)
    assert found[1].startswith(f"Ask yourself of “{said.rstrip('.')}”: ")


def test_what_gives_back_or_is_surely_read_is_not_asked_about() -> None:
    for said in ("You let it ring out.", "She only wants the car again.", "What went through your mind then?"):
        assert asked_of(said, HEARD) is None, said
    named = [part for said in SURE for part in parts_of_turn(said, HEARD) if part.kind in COSTS]
    assert len(named) == len(SURE)
    for part in named:
        assert asked_of(part.text, HEARD) is None


def test_the_likeliest_of_several_is_asked_about() -> None:
    turn = f"{UNSURE[0]} What happened then?"
    found = asked_of(turn, HEARD)
    assert found is not None and found[0] == UNSURE[0]
    chances = kinds(found[0], HEARD, turn)
    assert sum(chances[kind] for kind in COSTS if kind in chances) > ASKED_OF


def test_perhaps_several_is_told_only_between_one_and_several() -> None:
    turns = (
        "What happened?",
        "What did she say, and how did you feel, and who was there with you?",
        "When was that, and what did you do about the car?",
        "Did it ring long? And does she know where you were?",
        "How was that for you? What was it like?",
        "Are you close? And was she angry that day?",
        "Was it late? And did anybody else hear it?",
    )
    for said in turns:
        if may_ask_several(said, HEARD):
            assert asks_once(said, HEARD) is None
    assert any(may_ask_several(said, HEARD) for said in turns) and not all(
        may_ask_several(said, HEARD) for said in turns
    )
    assert PERHAPS < SEVERAL


def test_what_may_press_is_told_as_what_it_may_be_heard_as() -> None:
    for said in ("But you have helped her for thirty years!", "Perhaps it is not so simple."):
        (part,) = parts_of_turn(said, HEARD)
        assert (part.kind, part.sure) == ("pressing", False), said
        assert pressing(said, HEARD, PRESSES[0]) == (said,)
        assert was(said, (part,), None)[0].startswith("It may be heard as pressing: ")
    for said in ("You let it ring out.", "What went through your mind then?", "Take your time."):
        assert not pressing(said, HEARD, PRESSES[0]), said


def test_a_joined_question_has_a_name_only_where_it_surely_is_one() -> None:
    asked = "What went through you when it rang, what did you think?"
    parts = parts_of_turn(asked, HEARD)
    assert any("open question" in one for one in was(asked, parts, True))
    assert was(asked, parts, None) == ()
    assert was(asked, parts, False) == ("Several questions at once: it is hard to know which to answer.",)


def test_a_statement_that_may_press_is_asked_about_and_a_question_or_their_own_words_are_not() -> None:
    said = f"{UNSURE[0]} Why? You let it ring out."
    told = asked_about(sentences(said), said, HEARD, "")
    assert told is not None and told[0] == UNSURE[0]
    assert asked_about(("You let it ring out.",), "You let it ring out.", HEARD, "") is None
    assert asked_about((), said, HEARD, "") is None

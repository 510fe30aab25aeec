"""Questions: how many, open or closed, leading, advising."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maieutic.language.questions import asks_permission, questions, statements


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("How did you feel?", 1),
        ("How did you feel? What did you do?", 2),
        ("How did you feel, and what did you do?", 2),
        ("Tell me about the meeting.", 1),
        ("It sounds hard. Is that right?", 0),
        ("May I ask you something?", 0),
        ("That was hard.", 0),
        ("", 0),
    ],
)
def test_questions_are_counted(text: str, count: int) -> None:
    assert len(questions(text)) == count


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("What went through your mind?", True),
        ("How did she take it?", True),
        ("And when you saw her, what did you think?", True),
        ("Walk me through that evening.", True),
        ("Did you sleep?", False),
        ("How many people were there?", False),
        ("Were you alone?", False),
    ],
)
def test_open_and_closed(text: str, is_open: bool) -> None:
    assert [q.open for q in questions(text)] == [is_open]


@pytest.mark.parametrize(
    "text", ["Don't you think she likes you?", "You know that, right?", "Surely it was not so bad?"]
)
def test_leading(text: str) -> None:
    assert any(q.leading for q in questions(text))


@pytest.mark.parametrize(
    "text", ["What did you say to her?", "How do you know that he was angry?", "Who do you know that saw it?"]
)
def test_not_leading(text: str) -> None:
    assert not any(q.leading for q in questions(text))


@pytest.mark.parametrize("text", ["Have you tried yoga?", "Why don't you call her?", "What if you wrote to him?"])
def test_advice_in_a_questions_clothes(text: str) -> None:
    assert all(q.advising for q in questions(text))
    assert questions(text)


def test_asking_what_was_tried_is_no_advice() -> None:
    assert not questions("What have you tried so far?")[0].advising


def test_statements_and_permission() -> None:
    assert statements("That was hard. How did you feel? Tell me more.") == ("That was hard.",)
    assert asks_permission("Would it be okay if we looked at that?")
    assert not asks_permission("Let's look at that.")


@given(st.text(max_size=300))
def test_any_text_is_split_without_a_crash(text: str) -> None:
    assert all(q.text.strip() for q in questions(text))
    statements(text)


@pytest.mark.parametrize(
    "text",
    [
        "Have you thought about killing yourself lately?",
        "Have you considered suicide?",
        "Have you ever tried to end your life?",
        "Have you thought about a particular way or a particular moment?",
    ],
)
def test_to_ask_about_suicide_is_no_advice(text: str) -> None:
    assert not any(q.advising for q in questions(text))
    assert all(q.advising for q in questions("Have you thought about a way home that is quieter?"))

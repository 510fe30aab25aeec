"""What a turn does: how many questions, open or closed, leading, advising; feelings attributed; two ears with weights of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maieutic.domain.case import EMOTION_GROUPS
from maieutic.language.feelings import LEXICON
from maieutic.reading import drafts, moves
from maieutic.reading.head import load
from maieutic.reading.moves import asks_permission, attributions, questions, statements

PACKAGE = Path(__file__).parents[2] / "src" / "maieutic"


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
    ("text", "count"),
    [
        ("Um, so what- what was the bus ride like for you", 1),
        ("And, uh, how did your neighbour find out", 1),
        ("So do you, do you still see the physio", 1),
        ("Okay. Tell me, um, tell me a bit about the garden.", 1),
        ("What you're saying is, um, it's not the garden.", 0),
        ("When the bus is late, you, you get that knot again.", 0),
        ("And you took the bus anyway.", 0),
        ("Mm-hmm. Right, right.", 0),
        ("Every morning?", 1),
    ],
)
def test_speech_is_read_as_transcribers_write_it(text: str, count: int) -> None:
    assert len(questions(text)) == count


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


@pytest.mark.parametrize("group", EMOTION_GROUPS)
def test_every_word_of_the_lexicon_can_be_attributed(group: str) -> None:
    for word in LEXICON[group]:
        assert [a.group for a in attributions(f"You feel {word}.")] == [group], word


@pytest.mark.parametrize(
    ("text", "group", "tentative"),
    [
        ("You felt ashamed.", "ashamed", False),
        ("It sounds like you were scared.", "anxious", True),
        ("Were you so angry with him, or am I wrong?", "angry", True),
        ("That left you very lonely.", "sad", False),
        ("I wonder if you felt guilty.", "guilty", True),
    ],
)
def test_attributions(text: str, group: str | None, tentative: bool | None) -> None:
    found = [(a.group, a.tentative) for a in attributions(text)]
    assert found == ([] if group is None else [(group, tentative)])


def test_what_filters_drafts_is_not_what_scores_them() -> None:
    scorer, agent = load(moves.PLACE, "marks"), load(drafts.PLACE, "marks_of_drafts")
    assert scorer.vocabulary != agent.vocabulary
    assert not np.array_equal(scorer.weights[:, :384], agent.weights[: len(scorer.labels), :384])


def test_the_agent_and_its_tracker_hear_with_the_ear_for_drafts_and_nobody_else_does() -> None:
    wrong = []
    for path in PACKAGE.rglob("*.py"):
        own = path.relative_to(PACKAGE).parts[0] in ("therapists", "rivals", "tracking")
        other = "maieutic.reading.moves" if own else "maieutic.reading.drafts"
        if f"from {other} import" in path.read_text(encoding="utf-8"):
            wrong.append(path.name)
    assert wrong == []

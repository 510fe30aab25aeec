"""Where an utterance asks, by its marks alone."""

from __future__ import annotations

import pytest

from maieutic.language.questions import ends_as_question, parts_of


@pytest.mark.parametrize("text", ["Why?", "'Why?'", "**How long has it been like this?**", "(Did he?)", "“And then?” "])
def test_a_mark_ends_a_question_whatever_closes_after_it(text: str) -> None:
    assert ends_as_question(text)
    assert not ends_as_question(text.replace("?", "."))


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("How did you feel, and what did you do?", ("How did you feel", "what did you do?")),
        ("When you saw her, what did you think?", ("When you saw her, what did you think?",)),
        ("In what way did it change you, and was it sudden?", ("In what way did it change you", "was it sudden?")),
        (
            "If he came back, would you talk, or would you leave?",
            ("If he came back, would you talk", "would you leave?"),
        ),
        ("Who told you, what you know?", ("Who told you, what you know?",)),
    ],
)
def test_joined_questions_are_split_and_clauses_stay_with_theirs(sentence: str, parts: tuple[str, ...]) -> None:
    assert parts_of(sentence) == parts

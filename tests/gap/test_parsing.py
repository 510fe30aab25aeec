"""What is read as yes, no, an option or a number, and what is left unread."""

from __future__ import annotations

import pytest

from maieutic.gap.desk import Unusable
from maieutic.gap.parsing import choice_of, yes_no_of


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("No.", False),
        ("The answer is yes, I think.", True),
        ("Well, the answer to your question is no, it cannot be said.", False),
        ("One possible answer: Yes.", True),
    ],
)
def test_yes_and_no(text: str, read: bool) -> None:
    assert yes_no_of(text) is read


@pytest.mark.parametrize("text", ["It is hard to know.", "Nobody can answer. Yesterday it was so.", ""])
def test_neither(text: str) -> None:
    with pytest.raises(Unusable, match="neither yes nor no"):
        yes_no_of(text)


def test_an_option_by_its_letter_or_its_words() -> None:
    assert choice_of("B) angry", ["sad", "angry"]) == 1
    assert choice_of("I should say that she is sad.", ["sad", "angry"]) == 0
    with pytest.raises(Unusable):
        choice_of("sad or angry", ["sad", "angry"])

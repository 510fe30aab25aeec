"""Sentences, words, and whether a text can be read as English."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maieutic.language.sentences import content_words, is_readable_english, sentences, words


def test_sentences_and_words() -> None:
    assert sentences("One. Two? Three!\nFour") == ("One.", "Two?", "Three!", "Four")
    assert words("Don’t STOP, it's 3.") == ("don't", "stop", "it's", "3")
    assert content_words("My sister's friends said the letters came") == {"sister", "friend", "letter"} | (
        content_words("came") or frozenset()
    )


def test_only_the_first_4000_characters_are_read() -> None:
    assert len(words("word " * 50_000)) == 800


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("How did that feel for you?", True),
        ("Okay.", True),
        ("", False),
        ("…", False),
        ("你好，你今天怎么样？", False),
        ("Wie war das für dich, als deine Schwester dich gestern Abend anrief?", False),
        ("¿Cómo te sentiste cuando tu hermana habló contigo ayer por la tarde?", False),
        ("essay wrist maths overtime casualty fractions", False),
    ],
)
def test_readable_english(text: str, readable: bool) -> None:
    assert is_readable_english(text) is readable


@given(st.text(max_size=500))
def test_any_text_is_handled(text: str) -> None:
    assert all(part == part.strip() and part for part in sentences(text))
    assert content_words(text) <= {w.removesuffix("'s") for w in words(text)} | {
        w.removesuffix("'s")[:-1] for w in words(text)
    }
    is_readable_english(text)

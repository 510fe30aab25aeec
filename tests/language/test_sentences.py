"""Sentences, words, and whether a text can be read as English."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maieutic.language.sentences import (
    content_words,
    content_words_of,
    in_another_language,
    is_readable_english,
    opened_large,
    sentences,
    slug,
    stands_in,
    stated_number,
    words,
)


def test_sentences_and_words() -> None:
    assert sentences("One. Two? Three!\nFour") == ("One.", "Two?", "Three!", "Four")
    assert words("Don’t STOP, it's 3.") == ("don't", "stop", "it's", "3")
    assert content_words("My sister's friends said the letters came") == {"sister", "friend", "letter"} | (
        content_words("came") or frozenset()
    )


@given(st.lists(st.text(alphabet="abcs' .?", max_size=40), max_size=8))
def test_words_of_texts_are_those_of_the_texts_with_a_space_between(texts: list[str]) -> None:
    assert content_words_of(texts) == content_words(" ".join(texts))


def test_words_of_late_texts_count_however_much_was_said_before() -> None:
    assert content_words_of(["Let us look at that."] * 400 + ["Your sister's letters."]) >= {"sister", "letter"}


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


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("Nothing comes to mind right off.", False),
        ("Right number, wrong woman.", False),
        ("essay wrist maths overtime casualty fractions", False),
        ("Okay.", False),
        ("", False),
        ("你好，你今天怎么样？", True),
        ("Wie war das für dich, als deine Schwester dich gestern Abend anrief?", True),
        ("Ich weiß nicht so recht, hm.", True),
    ],
)
def test_another_language_is_told_from_english_without_common_words(text: str, foreign: bool) -> None:
    assert in_another_language(text) is foreign


@given(st.text(max_size=500))
def test_any_text_is_handled(text: str) -> None:
    assert all(part == part.strip() and part for part in sentences(text))
    assert content_words(text) <= {w.removesuffix("'s") for w in words(text)} | {
        w.removesuffix("'s")[:-1] for w in words(text)
    }
    is_readable_english(text)
    in_another_language(text)


def test_a_wording_stands_in_a_text_at_the_beginning_of_a_word() -> None:
    assert stands_in("a catalogue, and a cat", "cat") and not stands_in("a catalogue", "cat")
    assert stands_in("a catalogue", "cat", whole=False) and not stands_in("the bobcats", "cat", whole=False)
    assert stands_in("call the crisis line.", "crisis line") and not stands_in("", "cat")


def test_a_slug_holds_plain_letters_and_digits_only() -> None:
    assert slug("  Client's own: sé 2 ") == "Client_s_own_s_2"
    assert slug("a/b..c", "-") == "a-b-c" and slug("…") == ""


def test_a_text_is_opened_large() -> None:
    assert [opened_large(text) for text in ("it's", "", "ÜBER", "a B")] == ["It's", "", "ÜBER", "A B"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("70", 70), ("70.", 70), ("**70** - she still half believes it.", 70), ("85%", 85), ("I'd say 40.", 40),
        ("About 60, perhaps a little less.", 60), ("It is 55 out of 100.", 55), ("Conviction: 35", 35), ("0", 0), ("100", 100),
        ("62.5", 62), ("Around 65 % now, I think, after what he said on 3 May.", 65),
        ("On Tuesday, when the phone rang and I let it ring. (9cd1a21b)", None), ("I am not sure. (2d15d799)", None),
        ("After 3 sessions I'd guess she is less sure.", None), ("He was 34 when it began.", None), ("250", None), ("", None),
        ("It was about 80 and is about 40.", None), ("(f561c3ce)", None), ("2026-11-23", None),
    ],
)  # fmt: skip
def test_a_number_is_an_answer_only_where_it_is_stated_as_one(text: str, number: float | None) -> None:
    assert stated_number(text) == number

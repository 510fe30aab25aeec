"""What is read as yes, no, an option, a number or a confidence, and what is left unread."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from maieutic.gap.parsing import choice_of, confidence_of, number_of, without_confidence, yes_no_of
from maieutic.gap.recording_client import Unusable
from maieutic.reading.plain import plain

TABLE = yaml.safe_load((Path(__file__).parent / "data" / "closed_answers.yaml").read_text(encoding="utf-8"))
OPTIONS = ["she is ashamed", "she is angry with her sister", "she is sad", "it cannot be told yet"]
READERS: dict[str, Callable[[str], Any]] = {
    "choice": lambda text: "ABCD"[choice_of(text, OPTIONS)],
    "yes_no": yes_no_of,
    "number": number_of,
    "confidence": lambda text: round(100 * confidence_of(text)),
}


@pytest.mark.parametrize("kind", TABLE)
def test_every_real_style_form_is_read_and_what_says_nothing_is_not(kind: str) -> None:
    read = READERS[kind.removesuffix("_later")]
    for written, meant in TABLE[kind]:
        text = plain(written, lines=True).text
        if meant == "none":
            with pytest.raises(Unusable):
                read(text)
        else:
            assert read(text) == meant, written


def test_the_table_holds_more_than_a_hundred_forms() -> None:
    assert sum(len(rows) for rows in TABLE.values()) >= 200


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


@pytest.mark.parametrize("text", ["40\nConfidence: 80", "40. I am 80% sure.", "40 (80% sure)"])
def test_a_number_and_its_confidence_are_not_mixed_up(text: str) -> None:
    assert confidence_of(text) == 0.8
    assert number_of(without_confidence(text)) == 40

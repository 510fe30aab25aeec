"""Feelings in nine groups and which a speaker tells of themselves."""

from __future__ import annotations

import pytest

from maieutic.domain.case import EMOTION_GROUPS
from maieutic.language.feelings import LEXICON, disclosed_feelings, feelings_in


@pytest.mark.parametrize("group", EMOTION_GROUPS)
def test_every_word_of_the_lexicon_is_found_in_its_group_and_no_other(group: str) -> None:
    for word in LEXICON[group]:
        assert feelings_in(f"It was {word} then") == {group}, word


def test_a_feeling_counts_as_disclosed_only_when_the_speaker_means_themselves() -> None:
    assert disclosed_feelings("I was so ashamed.") == {"ashamed"}
    assert disclosed_feelings("He was furious with everybody.") == frozenset()


@pytest.mark.parametrize(
    ("text", "group"), [("It's the guilt, mostly.", "guilty"), ("Shame.", "ashamed"), ("Oh, just plain grief.", "sad")]
)
def test_a_feeling_given_as_an_answer_is_disclosed(text: str, group: str) -> None:
    assert disclosed_feelings(text) == {group}

"""Feelings in nine groups and where one is attributed to the listener."""

from __future__ import annotations

import pytest

from maieutic.domain.case import EMOTION_GROUPS
from maieutic.language.feelings import LEXICON, attributions, disclosed_feelings, feelings_in


@pytest.mark.parametrize("group", EMOTION_GROUPS)
def test_every_word_of_the_lexicon_is_found_in_its_group_and_no_other(group: str) -> None:
    for word in LEXICON[group]:
        assert feelings_in(f"It was {word} then") == {group}, word
        assert [a.group for a in attributions(f"You feel {word}.")] == [group], word


@pytest.mark.parametrize(
    ("text", "group", "tentative"),
    [
        ("You felt ashamed.", "ashamed", False),
        ("It sounds like you were scared.", "anxious", True),
        ("Were you so angry with him, or am I wrong?", None, None),
        ("That left you very lonely.", "sad", False),
        ("I wonder if you felt guilty.", "guilty", True),
    ],
)
def test_attributions(text: str, group: str | None, tentative: bool | None) -> None:
    found = [(a.group, a.tentative) for a in attributions(text)]
    assert found == ([] if group is None else [(group, tentative)])


def test_a_feeling_counts_as_disclosed_only_when_the_speaker_means_themselves() -> None:
    assert disclosed_feelings("I was so ashamed.") == {"ashamed"}
    assert disclosed_feelings("He was furious with everybody.") == frozenset()

"""Word counts."""

from __future__ import annotations

from episodes import make_episode, make_states, without_session
from maieutic.measures.moves import words_per_turn


def test_words_are_those_of_the_therapist() -> None:
    episode = make_episode(["One two three.", "Four five.", "Six.", "Seven eight nine ten.", ""])
    assert (words_per_turn(episode).value, words_per_turn(episode).evidence) == (3.0, (3,))


def test_silence_is_missing_and_an_empty_turn_is_not() -> None:
    silent = make_episode(["", "", ""])
    assert words_per_turn(silent).value == 0.0
    assert words_per_turn(without_session(make_states({}, {}))).value is None

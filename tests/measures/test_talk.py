"""Word counts."""

from __future__ import annotations

from episodes import make_episode, make_states, without_session
from maieutic.measures.talk import therapist_talk_share, words_per_turn


def test_words_are_counted_by_speaker() -> None:
    episode = make_episode(["One two three.", "Four five.", "Six.", "Seven eight nine ten.", ""])
    assert (words_per_turn(episode).value, words_per_turn(episode).evidence) == (3.0, (3,))
    assert therapist_talk_share(episode).value == 0.6


def test_silence_is_missing_and_an_empty_turn_is_not() -> None:
    silent = make_episode(["", "", ""])
    assert words_per_turn(silent).value == 0.0
    assert (therapist_talk_share(silent).value, therapist_talk_share(silent).reason) == (None, "nobody said a word")
    assert words_per_turn(without_session(make_states({}, {}))).value is None

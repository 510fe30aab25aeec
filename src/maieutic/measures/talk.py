"""Measures of how much is said, and by whom; session length alone separates quality, so they stand beside the rest."""

from __future__ import annotations

from maieutic.domain.episode import Episode, Speaker
from maieutic.measures.definition import SHARE, Finding, episode_measure, missing


def word_count(episode: Episode, speaker: Speaker) -> int:
    """Number of whitespace-separated words of one speaker."""
    return sum(len(turn.text.split()) for turn in episode.session.by(speaker))


@episode_measure(
    "words",
    (0.0, None),
    None,
    ("therapist_turns",),
    "How many words a therapist turn has on average.",
    human_validated=True,
)
def words_per_turn(episode: Episode) -> Finding:
    """Whitespace-separated words of the therapist, over the number of therapist turns.

    Evidence: the longest therapist turn, the first where several are equally long.
    Source: own.
    Departures: none.
    Blind spots: what the words do.
    Validity: a plain count, so there is nothing to compare with human coding.
    """
    turns = [(i, turn) for i, turn in enumerate(episode.session.turns) if turn.speaker == "therapist"]
    longest = max(turns, key=lambda pair: (len(pair[1].text.split()), -pair[0]))[0]
    return Finding(word_count(episode, "therapist") / len(turns), (longest,))


@episode_measure(
    SHARE,
    (0.0, 1.0),
    None,
    ("therapist_turns",),
    "Share of all words in the session that the therapist says.",
    human_validated=True,
)
def therapist_talk_share(episode: Episode) -> Finding:
    """Whitespace-separated words of the therapist, over those of both speakers.

    Evidence: none; it is a sum over all turns.
    Source: own; talk ratios are common in studies of counselling.
    Departures: none.
    Blind spots: a simulated patient's share depends on its style and voice, so compare arms on the same patients.
    Validity: a plain count, so there is nothing to compare with human coding.
    """
    own, other = word_count(episode, "therapist"), word_count(episode, "patient")
    if own + other == 0:
        return missing("nobody said a word")
    return Finding(own / (own + other))

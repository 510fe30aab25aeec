"""A measure of a stored session: a function of the episode, registered by name."""

from __future__ import annotations

from maieutic import Episode, Score, measure


@measure("long_turns")
def long_turns(episode: Episode) -> Score:
    """Share of therapist turns longer than forty words, 0 to 1. Evidence: those turns."""
    unit = "share of therapist turns"
    spoken = [place for place, turn in enumerate(episode.session.turns) if turn.speaker == "therapist"]
    if not spoken:
        return Score("long_turns", None, unit, reason="the therapist said nothing")
    long = tuple(place for place in spoken if len(episode.session.turns[place].text.split()) > 40)
    return Score("long_turns", len(long) / len(spoken), unit, evidence=long)

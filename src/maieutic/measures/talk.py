"""A measure of how much is said at once; length alone separates quality, so it stands beside the rest."""

from __future__ import annotations

from maieutic.domain.episode import Episode
from maieutic.measures.definition import Finding, episode_measure


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
    spoken = {i: len(turn.text.split()) for i, turn in enumerate(episode.session.turns) if turn.speaker == "therapist"}
    return Finding(sum(spoken.values()) / len(spoken), (max(spoken, key=lambda i: spoken[i]),))

"""Working alliance from text: nearness of turns to twelve own-worded statements about goal, task and bond."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from maieutic.domain.episode import Score
from maieutic.scoring.coded import CodedTranscript

Dimension = Literal["goal", "task", "bond"]
Speaker = Literal["therapist", "client"]
NO_EMBEDDER = "sentence vectors are slow and were not asked for (--alliance)"
MIN_WORDS = 4

ITEMS: Mapping[Dimension, tuple[str, ...]] = {
    "goal": (
        "We both know what we are here to change.",
        "What we are aiming for matters to both of us.",
        "We settled together where this should lead.",
        "We see the same things as worth getting better at.",
    ),
    "task": (
        "What we do in these talks helps with the problem.",
        "Talking like this shows a new side of the matter.",
        "The steps that we chose make sense for this problem.",
        "It is clear to us what to try between now and next time.",
    ),
    "bond": (
        "We trust each other.",
        "We like and respect one another as people.",
        "Even when we disagree there is warmth between us.",
        "I feel understood and taken seriously here.",
    ),
}


def alliance_view(speaker: Speaker, dimension: Dimension) -> Callable[[CodedTranscript], Score]:
    """A measure: mean cosine of a speaker's turns with the four statements of one dimension.

    Unit: cosine. Range: -1 to 1, mostly 0 to 0.4. Evidence: the three nearest turns.
    Source: COMPASS (Lin et al. 2025), sentence vectors against items of an alliance inventory. Departures: twelve
    statements in own words, the same for both speakers; MiniLM; turns of four words or more.
    Blind to: denial ("I do not trust you" is near "I trust you"), irony, and everything not put in words about the
    alliance. Not human-validated: no self-reported alliance is at hand here.
    """
    name = f"{speaker}_{dimension}_alliance"

    def measure(coded: CodedTranscript) -> Score:
        value, reason, evidence = _view(coded, speaker, dimension)
        return Score(name, value, "cosine", reason, evidence)

    measure.__name__ = measure.__qualname__ = name
    measure.__doc__ = alliance_view.__doc__
    return measure


def alliance_gap(dimension: Dimension) -> Callable[[CodedTranscript], Score]:
    """A measure: the therapist's nearness to a dimension less the client's.

    Unit: difference of cosines. Range: -2 to 2; 0 when both are as near. Evidence: none.
    Source: COMPASS's gap between the two sides (Lin et al. 2025). Departures: as `alliance_view`. Blind to: as there.
    """
    name = f"{dimension}_alliance_gap"

    def measure(coded: CodedTranscript) -> Score:
        own, reason, _ = _view(coded, "therapist", dimension)
        other, other_reason, _ = _view(coded, "client", dimension)
        value = own - other if own is not None and other is not None else None
        return Score(name, value, "difference of cosines", None if value is not None else reason or other_reason)

    measure.__name__ = measure.__qualname__ = name
    measure.__doc__ = alliance_gap.__doc__
    return measure


DIMENSIONS: tuple[Dimension, ...] = ("goal", "task", "bond")
SPEAKERS: tuple[Speaker, ...] = ("therapist", "client")
VIEWS: Mapping[tuple[Speaker, Dimension], Callable[[CodedTranscript], Score]] = {
    (speaker, dimension): alliance_view(speaker, dimension) for dimension in DIMENSIONS for speaker in SPEAKERS
}
GAPS: Mapping[Dimension, Callable[[CodedTranscript], Score]] = {name: alliance_gap(name) for name in DIMENSIONS}


def _view(
    coded: CodedTranscript, speaker: Speaker, dimension: Dimension
) -> tuple[float | None, str | None, tuple[int, ...]]:
    if coded.embedder is None:
        return None, NO_EMBEDDER, ()
    turns = [turn for turn in coded.by(speaker) if turn.words >= MIN_WORDS]
    if not turns:
        return None, f"no {speaker} turn of {MIN_WORDS} words or more", ()
    # The embedder keeps the vectors of texts it has seen, so each turn is encoded once for all measures.
    near = (coded.embedder([turn.text for turn in turns]) @ coded.embedder(ITEMS[dimension]).T).mean(axis=1)
    best = sorted(int(at) for at in np.argsort(-near, kind="stable")[:3])
    return float(near.mean()), None, tuple(turns[at].index for at in best)

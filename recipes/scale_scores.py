"""How well the tables of openness, reactance, alliance and distress forecast on left-out development cases (see `fit_tracker.py`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fit_tracker import Exchange, fit_scales, folded, scale_of, shares_of
from maieutic.reading.head import Head
from maieutic.tracking.ear import TARGETS, replied
from maieutic.tracking.space import Floats, Scale, bin_of, normalised
from maieutic.tracking.targets import Push, Reflection, Target

FROM = 5
"""Patient turn from which forecasts are scored."""
EVERY = 4
"""One session in so many is scored."""
TRIED = (1.0, 0.7, 0.5, 0.3, 0.15)
SURELY_NOT = 1e-4
"""Chance that what came true has at least."""


def scale_scores(
    items: Sequence[Exchange], talks: Sequence[Sequence[Exchange]], without: Mapping[str, Head], vectors: Mapping[str, Floats]
) -> dict[str, dict[str, float]]:  # fmt: skip
    """Mean log score of the four scales by world, for each share of what a reply tells; heads and tables have not met the case."""
    scores: dict[str, dict[str, list[float]]] = {str(told): {} for told in TRIED}
    for kept, left in folded(sorted({e.case for e in items})):
        own = [e for e in items if e.case in kept]
        share = shares_of(own)
        for told in TRIED:
            start, steps, replies = fit_scales(own, told)
            for talk in (one for one in talks[::EVERY] if one[0].case in left and len(one) > FROM):
                score = _scored(talk, start, steps, replies, share, without[talk[0].case], vectors)
                scores[str(told)].setdefault(talk[0].world, []).append(score)
    return {told: {world: round(float(np.mean(of)), 2) for world, of in by.items()} for told, by in scores.items()}


def _scored(
    talk: Sequence[Exchange], start: Floats, steps: Floats, replies: Floats, share: Floats, head: Head,
    vectors: Mapping[str, Floats],
) -> float:  # fmt: skip
    """Of one session, by the filter's own rule for scales."""
    belief, found = start, []
    for number, e in enumerate(talk):
        place = TARGETS.index(e.question.target if e.question else Target.NOTHING)
        if e.question is not None:
            moved = steps[:, list(Reflection).index(e.question.reflection), list(Push).index(e.question.push)]
            belief = np.einsum("si,sij->sj", belief, moved)
        told = replied(head, e.text, vectors[e.text], e.question) / np.maximum(share[place], 0.005)
        belief = normalised(belief * (replies[:, place] @ told) + 1e-9)
        if number >= FROM:
            true = [bin_of(scale_of(e.after, scale)) for scale in Scale]
            found.append(np.log(np.maximum(belief[np.arange(len(true)), true], SURELY_NOT)).mean())
    return float(np.mean(found))

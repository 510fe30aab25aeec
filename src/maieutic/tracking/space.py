"""The hypotheses of the tracker: names, bins and their middles. Figures of 0–100 and of 0–1 are cut into equal bins."""

from __future__ import annotations

from enum import StrEnum
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.case import EMOTION_GROUPS, CoreBeliefCategory

Floats = NDArray[np.float64]

BELIEFS: tuple[str, ...] = get_args(CoreBeliefCategory)
EMOTIONS: tuple[str, ...] = EMOTION_GROUPS
STAGES = ("informational", "listening", "summary", "synthesising")
RISKS = ("none", "hint", "passive", "active")

CONVICTION_BINS = 20
CONVICTION: Floats = np.arange(CONVICTION_BINS, dtype=np.float64) * 5.0 + 2.5
"""Middles of the bins of held conviction, points (0–100)."""
MOBILITY = (0.03, 0.26, 0.42)
"""Share of a fully weighed fact that conviction gives way, by kind of patient: hardly, middling, readily."""
MAX_FACTS = 8
"""Facts against the thought that are told apart by number; more count as this many."""


class Reply(StrEnum):
    """What a patient turn does, as far as the tracker tells it apart."""

    TELLS = "tells"
    AGAINST = "against"
    SUPPORTS = "supports"
    THOUGHT = "thought"
    FEELING = "feeling"
    RATING = "rating"
    GIVES_WAY = "gives_way"
    INSIGHT = "insight"
    UNMOVED = "unmoved"
    HOLDS_BACK = "holds_back"
    RESISTS = "resists"
    FEELS_HEARD = "feels_heard"
    AGREES = "agrees"
    PLANS = "plans"
    HOPES = "hopes"
    BACKGROUND = "background"
    RISK = "risk"
    LEAVES = "leaves"


REPLIES: tuple[Reply, ...] = tuple(Reply)


class Scale(StrEnum):
    """The ordered parts of the mind that are followed by fitted tables, each 0–1 in ten bins."""

    OPENNESS = "openness"
    REACTANCE = "reactance"
    ALLIANCE = "alliance"
    DISTRESS = "distress"


BINS = 10
MIDDLES: Floats = (np.arange(BINS, dtype=np.float64) + 0.5) / BINS
"""Middles of the ten bins of every scale, 0–1."""


def bin_of(value: float, bins: int = BINS) -> int:
    """The bin of a value in [0, 1]."""
    return min(bins - 1, max(0, int(value * bins)))


def normalised(weights: Floats) -> Floats:
    """Weights as a distribution; without any weight, the even one. Shape is kept; the last axis sums to 1."""
    total = weights.sum(axis=-1, keepdims=True)
    even = np.full_like(weights, 1.0 / weights.shape[-1])
    return np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), even)

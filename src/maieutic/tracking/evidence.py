"""What has come up in a session so far, as running sums, and what trained heads forecast from them.

Two parts of the mind are forecast at once rather than filtered: held conviction and risk. A filter has to know how a
mind moves, and what it knows of one simulator is wrong in another; what was told, asked, weighed and pushed carries
over. Fitted by `recipes/fit_tracker.py` on sessions of several worlds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from maieutic.tracking.ear import TARGETS, Observation
from maieutic.tracking.space import REPLIES, Floats, Reply
from maieutic.tracking.tables import Tables
from maieutic.tracking.targets import WEIGHING, Push, Reflection, Target

_KEPT: Final = 0.7
"""Share of what was said lately that a turn leaves; chosen by hand."""
_RATED: Final = np.arange(10, dtype=np.float64) * 10.0 + 5.0
_NEAR: Final = 8.0
"""Points around a stated number that it speaks for."""


_CALM: Final = -6.0
"""Log-odds of danger before any turn was graded: lower than of nearly all turns."""
_DOUBTFUL: Final = -1.0
"""Log-odds of danger from which an answer to a question about it counts as a yes, below which as a no."""


def _none(size: int) -> Floats:
    return np.zeros(size)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Running sums over the patient turns that were heard.

    Attributes:
        turns: How many were heard. graded: How many were graded for danger.
        replies: (18,) expected number of each kind of reply. lately: (18,) the same, fading.
        weighing: (18,) the same of replies to questions that weigh.
        targets, reflections, pushes: (14,), (3,), (3,) therapist turns by what they asked, gave back and pressed.
        pushed: Strong pushes, fading.
        rating: The last conviction that was stated, 0–100.
        some: (2,) the two highest log-odds of any risk that a turn had.
        grave: (2,) the highest log-odds of passive and of active danger against none.
        answered: The highest log-odds of any risk in answer to a question about it.
    """

    turns: int
    graded: int
    replies: Floats
    lately: Floats
    weighing: Floats
    targets: Floats
    reflections: Floats
    pushes: Floats
    pushed: float
    rating: float | None
    some: Floats
    grave: Floats
    answered: float | None


def no_evidence() -> Evidence:
    """Before anything was said."""
    kinds = _none(len(REPLIES))
    asked = _none(len(TARGETS)), _none(len(Reflection)), _none(len(Push))
    return Evidence(0, 0, kinds, kinds, kinds, *asked, 0.0, None, np.full(2, _CALM), np.full(2, _CALM), None)


def gathered(before: Evidence, heard: Observation) -> Evidence:
    """With one more patient turn, and the therapist turn that it answers."""
    now, asked = replace(graded(before, heard), turns=before.turns + 1), heard.asked
    now = replace(now, replies=now.replies + heard.replies, lately=_KEPT * now.lately + heard.replies)
    now = replace(now, rating=now.rating if heard.rating is None else heard.rating, pushed=_KEPT * now.pushed)
    if asked is None:
        return now
    return replace(
        now,
        weighing=now.weighing + heard.replies if asked.target in WEIGHING else now.weighing,
        targets=now.targets + np.eye(len(TARGETS))[TARGETS.index(asked.target)],
        reflections=now.reflections + np.eye(len(Reflection))[tuple(Reflection).index(asked.reflection)],
        pushes=now.pushes + np.eye(len(Push))[tuple(Push).index(asked.push)],
        pushed=now.pushed + (asked.push is Push.STRONG),
    )


def graded(before: Evidence, heard: Observation) -> Evidence:
    """With how dangerous one more patient turn looks, and nothing else of it; one that nobody graded adds nothing."""
    if np.ptp(heard.risk) == 0.0:
        return before
    chances = np.maximum(heard.risk / heard.risk.sum(), 1e-4)
    odds = float(np.log(chances[1:].sum() / chances[0]))
    answer = heard.asked is not None and heard.asked.target is Target.RISK
    return replace(
        before,
        graded=before.graded + 1,
        some=np.sort(np.append(before.some, odds))[1:],
        grave=np.maximum(before.grave, np.log(chances[2:] / chances[0])),
        answered=before.answered if not answer else odds if before.answered is None else max(before.answered, odds),
    )


def conviction_features(now: Evidence) -> Floats:
    """What the head for held conviction sees. (87,)"""
    off = np.full(len(_RATED), 9.0) if now.rating is None else (_RATED - now.rating) / _NEAR
    counts = (now.replies, now.weighing, now.targets, now.reflections, now.pushes, np.array([now.turns - 1.0]))
    sums = np.log1p(np.maximum(0.0, np.concatenate(counts)))
    return np.concatenate([sums, now.lately, [now.pushed, now.turns / 20.0], np.exp(-0.5 * off**2)])


def risk_features(now: Evidence) -> Floats:
    """What the head for risk sees: each speaks for it the more the higher it is, but for the last, which leans from
    passive to active danger. (7,)"""
    answer = 0.0 if now.answered is None else now.answered - _DOUBTFUL
    told = float(np.log1p(now.replies[REPLIES.index(Reply.RISK)]))
    passive, active = now.grave
    return np.array([*now.some, max(passive, active), max(0.0, answer), min(0.0, answer), told, active - passive])


def conviction(now: Evidence, tables: Tables) -> Floats:
    """Where held conviction stands after what has come up, (20,)."""
    return np.asarray(tables.conviction_head.probabilities(conviction_features(now)))


def risk(now: Evidence, tables: Tables) -> Floats:
    """P(none, hint, passive, active) after what has come up, (4,)."""
    return np.asarray(tables.risk_head.probabilities(risk_features(now))) if now.graded else tables.risk_start

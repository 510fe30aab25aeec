"""What a step is worth in a moment, learned from sessions in which steps were drawn at random among those that may be
taken, or went by the agenda or earlier weights in between.

A line for each step over what the agent itself knows: what the tracker holds to be likely, what the formulation holds,
what was done so far, and what the last reply told. It was fitted to how far conviction fell in the turns after it, less
what a rupture costs (`recipes/fit_value.py`): one step of policy improvement over a policy that draws (Sutton & Barto
2018, 4.2), with returns of a few turns and what is still to come after them. Sessions in several kinds of world, so
that no simulator's habits are learned. Only turns whose step was drawn count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from maieutic.language.sentences import words
from maieutic.reading.head import Floats, load
from maieutic.therapists.agent.conduct import WEIGHS, barren, little, sayable, tells_fact, told_since
from maieutic.therapists.agent.formulation import Formulation
from maieutic.therapists.agent.memory import Memory
from maieutic.therapists.agent.steps import PULLS_TOGETHER, RECALLS, RISK_STEPS, SEARCHES, VIEWS, Step
from maieutic.therapists.hearing import LINES
from maieutic.tracking.belief import Belief
from maieutic.tracking.space import Reply as Kind
from maieutic.tracking.space import Scale

WEIGHTS: Final = "therapists/weights/value.npz"
CHOSEN: Final = (
    Step.THOUGHT,
    Step.MEANING,
    Step.BACKGROUND,
    Step.RATE,
    Step.KNOW,
    Step.FOLLOW,
    Step.DONT_KNOW,
    Step.REST,
    *(Step.AGAINST, Step.EXCEPTION, Step.OTHERS, Step.DOING, Step.SMALL),
    *VIEWS,
    *RECALLS,
    Step.COMPARE,
    Step.WEIGH,
    Step.ALTERNATIVE,
)
"""Steps that there can be a choice between."""
KINDS: Final = (
    frozenset(SEARCHES),
    frozenset((*VIEWS, *RECALLS)),
    PULLS_TOGETHER,
    frozenset(Step) - {*SEARCHES, *VIEWS, *RECALLS, *PULLS_TOGETHER},
)
"""Kinds of step: one of them is drawn first, and each has a line of its own."""
MANY: Final = 3
"""How often a step was taken, at most, that is told apart."""
LONG_AGO: Final = 8
READ: Final = (
    *(scale.value for scale in Scale),
    *("gives way", "held", "accurate", "waiting", "voiced", "weighed", "guarded", "thought told", "feeling told"),
    *(f"holds {kind}" for kind in LINES),
    *("length", "little", "fact", "people", "facts", "fresh facts", "sayable", "barren", "fruitful"),
    *(f"done {step.value}" for step in CHOSEN),
    *(f"{what} {kind}" for kind in ("searches", "views", "weighs") for what in ("number of", "since", "last of")),
    *("last follow", "last risk", "left", "left squared"),
)
"""What is read of a moment, by name, in order."""


def row(found: Formulation, memory: Memory, belief: Belief, left: float) -> Floats:
    """(d,) what is known in a moment with `left` of the session to come, this turn included: a share of its turns, 0–1.

    It was fitted to sessions of twenty turns; other lengths are read as if stretched or pressed to that.
    """
    return np.array([*_believed(belief), *_told(found, memory, belief), *_done(memory), left, left**2])


def _believed(belief: Belief) -> Iterable[float]:
    yield from (belief.expected(scale) for scale in Scale)
    yield from (belief.mobility, belief.held / 100.0, belief.accurate)
    voiced = float(belief.voiced @ np.arange(len(belief.voiced)))
    yield from (belief.waiting, voiced, belief.weighed, min(belief.guarded, MANY) / MANY)
    yield from (belief.disclosed[Kind.THOUGHT], belief.disclosed[Kind.FEELING])


def _told(found: Formulation, memory: Memory, belief: Belief) -> Iterable[float]:
    reply = found.reply
    yield from (reply.holds[kind] if reply is not None else 0.0 for kind in LINES)
    yield np.log1p(len(words(reply.text))) if reply is not None else 0.0
    yield float(little(found))
    yield float(tells_fact(found, memory))
    yield float(reply is not None and bool(reply.people))
    yield min(len(found.against) + len(found.gave_way), 2 * MANY) / MANY
    yield min(len(told_since(found, memory, *WEIGHS)), MANY) / MANY
    yield float(found.thought is not None and sayable(found.thought))
    without = barren(memory, belief)
    yield min(without, MANY) / MANY
    yield float(memory.times(*SEARCHES) > 0 and not without)


def _done(memory: Memory) -> Iterable[float]:
    yield from (min(memory.times(step), MANY) / MANY for step in CHOSEN)
    for steps in (SEARCHES, VIEWS, WEIGHS):
        yield memory.times(*steps) / MANY
        yield min(memory.since(*steps), LONG_AGO) / LONG_AGO
        yield float(memory.last in steps)
    yield float(memory.last is Step.FOLLOW)
    yield float(memory.last in RISK_STEPS)


def worths(known: Floats, steps: Iterable[Step]) -> Mapping[Step, float]:
    """What each of these steps promises, points of conviction, up to what is the same for all."""
    head = load(WEIGHTS, "value")
    scores = dict(zip(head.labels, head.scores(known).tolist(), strict=True))
    return {step: scores[step.value] for step in steps}

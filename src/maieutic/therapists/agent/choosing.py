"""Which move readers would make next: a head on the last reply and on where the talk stands.

Two readers who know therapy named, for moments of talks with development patients, the best next move and others as
good (`recipes/next_question.py`). What they name weighs beside the rules of `conduct.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.domain.episode import Session
from maieutic.reading.head import Floats, load
from maieutic.therapists.agent.formulation import Formulation
from maieutic.therapists.agent.steps import Lead, Step
from maieutic.therapists.agent.suiting import WEIGHTS, reply_row
from maieutic.tracking.asked import meant
from maieutic.tracking.targets import Target

MOVES: Final[Mapping[str, tuple[Step, ...]]] = {
    "follow": (Step.SITUATION, Step.FOLLOW, Step.GOAL),
    "feeling": (Step.FEELING,),
    "thought": (Step.THOUGHT, Step.MEANING),
    "rate": (Step.RATE, Step.RATE_AGAIN),
    "ground": (Step.KNOW, Step.SUPPORT),
    "against": (Step.AGAINST, Step.REST, Step.PROVE),
    "view": (Step.OTHERWISE, Step.OTHER_VIEW, Step.DOUBLE),
    "weigh": (Step.COMPARE, Step.WEIGH, Step.GAP_BACK),
    "new_thought": (Step.ALTERNATIVE,),
    "origin": (Step.BACKGROUND, Step.COST),
    "plan": (Step.PLAN,),
    "ease": (
        *(Step.EASE, Step.REWORD, Step.REPAIR, Step.LISTEN, Step.DONT_KNOW),
        *(Step.INSULT, Step.EMPTY, Step.FALLBACK, Step.WALL),
    ),
    "support": (Step.COPE, Step.GAP_ASK, Step.GAP_LEAVE, Step.GAP_TELL),
    "safety": (Step.HAND_OVER, Step.STAY, *(step for step in Step if step.value.startswith("risk_"))),
    "close": (Step.CLOSE,),
}
"""What a step amounts to for a reader."""
OF_STEP: Final = {step: move for move, steps in MOVES.items() for step in steps}
LEARNT: Final = tuple(move for move in MOVES if move != "safety")
"""Moves that the head knows; danger is the protocol's."""
_TARGETS: Final = tuple(Target)


def move_of(step: Step, lead: Lead) -> str:
    """The move of a step; a feeling that is met counts as that."""
    return "feeling" if step is Step.FOLLOW and lead is Lead.FEELING else OF_STEP.get(step, "follow")


def stage_row(found: Formulation, targets: Sequence[Target]) -> Floats:
    """(d,) where the talk stands: what was asked so far (one target a therapist turn) and what is known."""
    number = len(targets) + 1
    asked = [float(targets[-1] is one) if targets else 0.0 for one in _TARGETS]
    ever = [float(one in targets) for one in _TARGETS]
    known = (
        *(number / 20, number == 1, number >= 16, found.thought is not None, len(found.against), len(found.gave_way)),
        *(bool(found.feelings), bool(found.ratings), bool(found.reply and found.reply.again)),
    )
    return np.array([*asked, *ever, *map(float, known)])


def targets_of(session: Session) -> tuple[Target, ...]:
    """What each therapist turn asked about."""
    return tuple(meant(turn).target for turn in session.by("therapist"))


def likely_moves(found: Formulation, session: Session) -> Mapping[str, float]:
    """P(a reader names the move as best or as good), by move, at the moment after the last reply."""
    if found.reply is None or not found.reply.text.strip():
        return {}
    return _read(found.reply.text, tuple(stage_row(found, targets_of(session)).tolist()))


@lru_cache(maxsize=500)
def _read(reply: str, stage: tuple[float, ...]) -> Mapping[str, float]:
    return load(WEIGHTS, "moves")(np.concatenate([reply_row(reply), stage]))

"""The moves that readers of a talk tell apart, and which of them each of the agent's steps is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from maieutic.therapists.agent.steps import RECALLS, RISK_STEPS, SEARCHES, VIEWS, Lead, Step

MOVES: Final[Mapping[str, tuple[Step, ...]]] = {
    "follow": (Step.SITUATION, Step.FOLLOW, Step.GOAL, *RECALLS),
    "feeling": (Step.FEELING,),
    "thought": (Step.THOUGHT, Step.MEANING),
    "rate": (Step.RATE, Step.RATE_AGAIN),
    "ground": (Step.KNOW,),
    "against": SEARCHES,
    "view": VIEWS,
    "weigh": (Step.COMPARE, Step.WEIGH, Step.GAP_BACK),
    "new_thought": (Step.ALTERNATIVE,),
    "origin": (Step.BACKGROUND,),
    "plan": (Step.PLAN,),
    "ease": (Step.REWORD, Step.REPAIR, Step.LISTEN, Step.DONT_KNOW, Step.INSULT, Step.EMPTY, Step.FALLBACK, Step.WALL),
    "support": (Step.COPE, Step.GAP_ASK, Step.GAP_LEAVE, Step.GAP_TELL),
    "safety": tuple(step for step in Step if step in RISK_STEPS),
    "close": (Step.CLOSE,),
}
OF_STEP: Final[Mapping[Step, str]] = {step: move for move, steps in MOVES.items() for step in steps}


def move_of(step: Step, lead: Lead) -> str:
    """The move of a step; a feeling that is met counts as that."""
    return "feeling" if step is Step.FOLLOW and lead is Lead.FEELING else OF_STEP.get(step, "follow")

"""What a therapist turn may ask about, give back, and how it may push: the names that tracker and agent reason with."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Target(StrEnum):
    """What the turn asks about; a turn that asks about several things takes the first of these that fits."""

    RISK = "risk"
    RATING = "rating"
    WEIGHING = "weighing"
    ALTERNATIVE = "alternative"
    PLAN = "plan"
    AGAINST = "against"
    SUPPORT = "support"
    FEELING = "feeling"
    THOUGHT = "thought"
    BACKGROUND = "background"
    GOAL = "goal"
    OPEN = "open"
    CLOSED = "closed"
    NOTHING = "nothing"


WEIGHING: Final = (Target.WEIGHING, Target.ALTERNATIVE)
"""What asks to weigh what came up against the thought."""


class Reflection(StrEnum):
    """Whether the turn gives something back."""

    NONE = "none"
    WORDS = "words"
    FEELING = "feeling"


class Push(StrEnum):
    """How hard the turn pushes."""

    NONE = "none"
    MILD = "mild"
    STRONG = "strong"

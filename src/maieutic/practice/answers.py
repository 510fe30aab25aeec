"""What an answer can be about, as the record knows it, and what has been said of danger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from maieutic.domain.appraisal import QuestionForm
from maieutic.domain.state import Act


class About(StrEnum):
    """What an answer is about, as the record knows it."""

    EVENT = "event"
    LIFE = "life"
    FEELING = "feeling"
    BELIEF = "belief"
    VIEW = "view"
    WISH = "wish"


_F = QuestionForm
OF_FORM: Final[Mapping[QuestionForm, About]] = {
    **dict.fromkeys((_F.WHO, _F.WHAT, _F.WHEN, _F.WHERE, _F.HOW_MANY, _F.YES_NO, _F.SEQUENCE), About.EVENT),
    **dict.fromkeys((_F.SAID, _F.DESCRIBE, _F.NOW), About.EVENT),
    **dict.fromkeys((_F.FEELING, _F.BODY), About.FEELING),
    **dict.fromkeys((_F.THOUGHT, _F.MEANING, _F.ORIGIN, _F.HOW_COME, _F.WORST, _F.LIKELY), About.BELIEF),
    **dict.fromkeys((_F.SUPPORT, _F.HOW_KNOW, _F.SCALE), About.BELIEF),
    **dict.fromkeys((_F.OTHER_VIEW, _F.DOUBLE_STANDARD, _F.ALTERNATIVE, _F.BEST, _F.COST_BENEFIT), About.VIEW),
    **dict.fromkeys((_F.SCALE_REST, _F.COMPARE, _F.AGAINST), About.VIEW),
    **dict.fromkeys((_F.GOAL, _F.PLAN), About.WISH),
}
OF_ACT: Final[Mapping[Act, About]] = {
    Act.DETAIL: About.EVENT,
    Act.BACKGROUND: About.LIFE,
    Act.FEELING: About.FEELING,
    Act.THOUGHT: About.BELIEF,
    Act.GAP: About.BELIEF,
    Act.GOAL: About.WISH,
}


@dataclass(frozen=True, slots=True)
class Danger:
    """What has been said of danger in a conversation before a turn.

    Attributes:
        raised: The patient told of it or hinted at it, or the therapist asked.
        unasked: The patient hinted at it, and nobody has asked about it since.
        asked: What was asked more closely since it was raised (`patients.risk_talk`).
        ago: Turns since it was last told of or asked about.
    """

    raised: bool = False
    unasked: bool = False
    asked: frozenset[str] = frozenset()
    ago: int = 0

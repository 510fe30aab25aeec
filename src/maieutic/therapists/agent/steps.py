"""The agent's repertoire: what a turn can ask, how it can lead in, and what each amounts to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from maieutic.tracking.targets import Reflection, Target


class Step(StrEnum):
    """The working part of a turn. Names are keys of the wording banks, but for those built from several."""

    SITUATION = "ask_situation"
    THOUGHT = "ask_thought"
    MEANING = "ask_meaning"
    FEELING = "ask_feeling"
    BACKGROUND = "ask_background"
    GOAL = "ask_goal"
    RATE = "rate_first"
    RATE_AGAIN = "rate_again"
    AGAINST = "ask_against"
    EXCEPTION = "ask_exception"
    OTHERS = "ask_others"
    DOING = "ask_doing"
    SMALL = "ask_small"
    PERSON = "ask_person"
    THREAD = "ask_thread"
    FOLLOW = "follow"
    KNOW = "how_know"
    OTHER_VIEW = "other_view"
    DOUBLE = "double_standard"
    LIKELY = "likely"
    EFFECT = "effect"
    REST = "scale_rest"
    COMPARE = "compare"
    REWORD = "reword"
    WEIGH = "weigh"
    ALTERNATIVE = "alternative"
    PLAN = "plan"
    PROVE = "prove_agreement"
    REPAIR = "repair"
    LISTEN = "listen"
    COPE = "coping"
    GAP_ASK = "gap_ask"
    GAP_LEAVE = "gap_permission"
    GAP_TELL = "gap_tell"
    GAP_BACK = "gap_back"
    CLOSE = "close"
    RISK_HINT = "risk_hint"
    RISK_DOUBT = "risk_doubt"
    RISK_CHECK = "risk_check"
    RISK_SAFETY = "risk_safety"
    RISK_INTENT = "risk_intent"
    RISK_PLAN = "risk_plan"
    RISK_MEANS = "risk_means"
    RISK_PROTECT = "risk_protect"
    RISK_RESOURCES = "risk_resources"
    RISK_FAINT = "risk_faint"
    RISK_LATER = "risk_later"
    RISK_WISH = "risk_wish"
    RISK_KNOWN = "risk_known"
    RISK_REPEAT = "risk_repeat"
    RISK_CHANGED = "risk_changed"
    RISK_RETURN = "risk_return"
    RISK_MORE = "risk_more"
    RISK_FOLLOW = "risk_follow"
    RISK_DOOR = "risk_door"
    RISK_THANKS = "risk_thanks"
    RISK_LAST = "risk_last"
    HAND_OVER = "hand_over"
    STAY = "stay"
    RECALL = "recall"
    RECAP = "recap"
    DONT_KNOW = "dont_know"
    INSULT = "insult"
    HUMAN = "human"
    OTHER_LANGUAGE = "other_language"
    WALL = "wall"
    EMPTY = "empty"
    INJECTION = "injection"
    FALLBACK = "fallback"


class Lead(StrEnum):
    """How a turn leads in, before it asks."""

    NONE = "none"
    FEELING = "echo_feeling"
    WORDS = "echo"
    ACKNOWLEDGE = "acknowledge"
    SLOW = "slow_down"
    SUMMARY = "summary"
    VALIDATE = "validate_accurate"
    THANKED = "thanked"


@dataclass(frozen=True, slots=True)
class Nature:
    """What a step amounts to.

    Attributes:
        target: The form the tracker's tables know it by.
        stage: The stage of Padesky's that it belongs to.
        intensity: How hard it presses on the thought, 0–1. *Assumption*: an order, not a measurement.
    """

    target: Target
    stage: str
    intensity: float


NATURE: dict[Step, Nature] = {
    Step.SITUATION: Nature(Target.OPEN, "informational", 0.05),
    Step.THOUGHT: Nature(Target.THOUGHT, "informational", 0.15),
    Step.MEANING: Nature(Target.THOUGHT, "informational", 0.25),
    Step.FEELING: Nature(Target.FEELING, "informational", 0.05),
    Step.BACKGROUND: Nature(Target.BACKGROUND, "informational", 0.1),
    Step.GOAL: Nature(Target.GOAL, "informational", 0.05),
    Step.RATE: Nature(Target.RATING, "informational", 0.2),
    Step.RATE_AGAIN: Nature(Target.RATING, "synthesising", 0.2),
    Step.AGAINST: Nature(Target.AGAINST, "informational", 0.6),
    Step.EXCEPTION: Nature(Target.AGAINST, "informational", 0.5),
    Step.OTHERS: Nature(Target.AGAINST, "informational", 0.5),
    Step.DOING: Nature(Target.AGAINST, "informational", 0.5),
    Step.SMALL: Nature(Target.AGAINST, "informational", 0.4),
    Step.PERSON: Nature(Target.OPEN, "informational", 0.2),
    Step.THREAD: Nature(Target.OPEN, "informational", 0.1),
    Step.FOLLOW: Nature(Target.OPEN, "informational", 0.3),
    Step.KNOW: Nature(Target.SUPPORT, "informational", 0.4),
    Step.OTHER_VIEW: Nature(Target.OPEN, "synthesising", 0.4),
    Step.DOUBLE: Nature(Target.OPEN, "synthesising", 0.5),
    Step.LIKELY: Nature(Target.OPEN, "synthesising", 0.5),
    Step.EFFECT: Nature(Target.OPEN, "synthesising", 0.3),
    Step.REST: Nature(Target.AGAINST, "synthesising", 0.4),
    Step.COMPARE: Nature(Target.WEIGHING, "synthesising", 0.7),
    Step.REWORD: Nature(Target.OPEN, "listening", 0.1),
    Step.WEIGH: Nature(Target.WEIGHING, "synthesising", 0.8),
    Step.ALTERNATIVE: Nature(Target.ALTERNATIVE, "synthesising", 0.9),
    Step.PLAN: Nature(Target.PLAN, "synthesising", 0.4),
    Step.PROVE: Nature(Target.AGAINST, "synthesising", 0.5),
    Step.REPAIR: Nature(Target.OPEN, "listening", 0.0),
    Step.LISTEN: Nature(Target.NOTHING, "listening", 0.0),
    Step.COPE: Nature(Target.OPEN, "listening", 0.05),
    Step.GAP_ASK: Nature(Target.OPEN, "informational", 0.1),
    Step.GAP_LEAVE: Nature(Target.CLOSED, "informational", 0.05),
    Step.GAP_TELL: Nature(Target.NOTHING, "informational", 0.2),
    Step.GAP_BACK: Nature(Target.WEIGHING, "synthesising", 0.3),
    Step.CLOSE: Nature(Target.NOTHING, "summary", 0.0),
}
OTHER = Nature(Target.OPEN, "listening", 0.0)
"""What a step outside the ordinary repertoire (risk, odd input) amounts to."""

REFLECTS: dict[Lead, Reflection] = {
    Lead.FEELING: Reflection.FEELING,
    Lead.WORDS: Reflection.WORDS,
    Lead.SUMMARY: Reflection.WORDS,
    Lead.VALIDATE: Reflection.WORDS,
}
"""Leads that are missing here reflect nothing."""
RISK_STEPS = frozenset(step for step in Step if step.value.startswith("risk_")) | {Step.HAND_OVER, Step.STAY}
ASKING_OF_RISK = RISK_STEPS - {Step.RISK_THANKS, Step.RISK_DOOR, Step.RISK_RETURN, Step.RISK_FOLLOW}
"""Of these, what does not go back to the talk by itself."""
SEARCHES = (Step.AGAINST, Step.EXCEPTION, Step.OTHERS, Step.DOING, Step.SMALL, Step.PROVE, Step.REST)
"""Questions for a fact against the thought."""
VIEWS = (Step.OTHER_VIEW, Step.DOUBLE, Step.LIKELY, Step.EFFECT)
"""Questions that look at the thought from elsewhere."""
RECALLS = (Step.PERSON, Step.THREAD)
"""Questions about somebody or something that was told earlier."""
PULLS_TOGETHER = frozenset({Step.COMPARE, Step.WEIGH, Step.ALTERNATIVE})
CHALLENGING = frozenset(
    {
        *SEARCHES,
        Step.DOUBLE,
        Step.LIKELY,
        Step.EFFECT,
        Step.COMPARE,
        Step.WEIGH,
        Step.ALTERNATIVE,
    }
)


def nature(step: Step) -> Nature:
    """What a step amounts to."""
    return NATURE.get(step, OTHER)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the next turn is to do.

    Attributes:
        step, lead: The working part and the lead-in.
        reason: Why, in words.
        value: What the planner expects of it, points; None where it was not weighed against others.
        considered: (step, lead, value) of the options that were weighed, best first.
        about: The person or thing to follow, or the patient's own words to give back, where the step does that.
    """

    step: Step
    lead: Lead = Lead.NONE
    reason: str = ""
    value: float | None = None
    considered: tuple[tuple[str, str, float], ...] = ()
    about: str | None = None

    @property
    def intensity(self) -> float:
        """How hard it presses on the thought, 0–1."""
        return nature(self.step).intensity

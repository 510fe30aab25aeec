"""The forms of a therapist's question: what kind of answer it asks for, in the field's terms.

Everyday forms follow the interrogatives; the others are the question types of Socratic questioning in cognitive therapy
(Padesky 1993; Overholser 1993; Beck 2020): evidence, alternatives, another's view, double standard, consequences,
synthesis.
"""

from __future__ import annotations

from enum import StrEnum


class QuestionForm(StrEnum):
    """What kind of answer a question asks for."""

    WHO = "who"
    WHAT = "what"
    WHEN = "when"
    WHERE = "where"
    HOW_MANY = "how_many"
    YES_NO = "yes_no"
    HOW_COME = "how_come"
    SEQUENCE = "sequence"
    SAID = "said"
    DESCRIBE = "describe"
    FEELING = "feeling"
    BODY = "body"
    THOUGHT = "thought"
    MEANING = "meaning"
    ORIGIN = "origin"
    OTHER_VIEW = "other_view"
    DOUBLE_STANDARD = "double_standard"
    ALTERNATIVE = "alternative"
    WORST = "worst"
    BEST = "best"
    LIKELY = "likely"
    COST_BENEFIT = "cost_benefit"
    SUPPORT = "support"
    AGAINST = "against"
    COMPARE = "compare"
    HOW_KNOW = "how_know"
    SCALE = "scale"
    SCALE_REST = "scale_rest"
    SUMMARY = "summary"
    PLAN = "plan"
    GOAL = "goal"
    NOW = "now"
    TALK = "talk"
    ELSE = "else"
    RISK = "risk"


WORK = frozenset(
    {
        QuestionForm.OTHER_VIEW,
        QuestionForm.DOUBLE_STANDARD,
        QuestionForm.ALTERNATIVE,
        QuestionForm.HOW_KNOW,
        QuestionForm.WORST,
        QuestionForm.BEST,
        QuestionForm.LIKELY,
        QuestionForm.COST_BENEFIT,
        QuestionForm.SCALE_REST,
        QuestionForm.COMPARE,
    }
)
"""Forms whose answer is a piece of work on the thought, done by the patient; the answer changes once the thought has
loosened."""


class Follows(StrEnum):
    """What a turn asks of the words that were just said, or of the talk as a whole; these need no piece of a life.

    `MEANING`: what the patient means by their own last words. `MORE`: more of what was just said. `SUMMARY`: whether
    they were heard right. `TAKE_AWAY`: what they take from this session. `BESIDE`: the therapist says that the answer
    did not fit.
    """

    MEANING = "meaning"
    MORE = "more"
    SUMMARY = "summary"
    TAKE_AWAY = "take_away"
    BESIDE = "beside"

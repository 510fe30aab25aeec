"""The patient's own reading of a therapist turn: what kind of answer it asks for, what it reaches, what it presumes.

Forms of a question are in the field's terms: everyday ones follow the interrogatives; the others are the question types
of Socratic questioning in cognitive therapy (Padesky 1993; Overholser 1993; Beck 2020): evidence, alternatives,
another's view, double standard, consequences, synthesis.
"""

from __future__ import annotations

from dataclasses import dataclass
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


class Slot(StrEnum):
    """What a turn asks about, apart from particular facts."""

    SITUATION = "situation"
    THOUGHT = "thought"
    FEELING = "feeling"
    BACKGROUND = "background"
    CONVICTION = "conviction"
    GOAL = "goal"
    RISK = "risk"
    SUPPORT = "support"
    WEIGHING = "weighing"
    ALTERNATIVE = "alternative"
    PLAN = "plan"


@dataclass(frozen=True, slots=True)
class Reach:
    """A fact that the turn reaches; strength in (0, 1]."""

    evidence: str
    strength: float


@dataclass(frozen=True, slots=True)
class FeelingClaim:
    """A feeling that the turn attributes to the patient.

    Attributes:
        group: One of the nine emotion groups.
        tentative: Offered as a guess or question rather than asserted.
        true: The patient feels it in this situation (known to the simulator only), or has said so.
        voiced: The patient has said so before.
    """

    group: str
    tentative: bool
    true: bool
    voiced: bool


@dataclass(frozen=True, slots=True)
class Appraisal:
    """How the patient took one therapist turn.

    Attributes:
        understood: False for an empty turn or one in another language or without words.
        questions: Number of separate questions heard.
        open: The main question is open.
        wide: The question invites disconfirming experience in general, aimed at no particular fact.
        leading: The question carries its own answer.
        asks: Slots asked about.
        reaches: Facts that the question (not advice, not a statement) reaches, strongest first.
        told: Facts that the therapist stated instead of asking for.
        summarised: Voiced facts that the turn gives back.
        claims: Feelings attributed to the patient.
        fit: How well a reflection matches what the patient said or feels, 0–1.
        permission: The turn asks permission or offers a choice.
        informs: The turn gives the information that the patient lacks.
        gap_asked: The turn asks what the patient knows about it, or what they make of it.
        content: The turn disputes or reassures about the content of an intrusion instead of its meaning.
        result_asked: The turn asks how a planned experiment went.
        form: What kind of answer the question asks for; None where nothing is asked or the patient cannot tell.
        follows: What it asks of the patient's own last words or of the talk; None where it does not.
        unit: The answer unit that it asks for, where that is no fact.
        sure: Chance that it asks for just this unit or fact, 0–1.
        again: A fact told before that it goes back to, where it asks for nothing else.
        near: Facts that the turn comes near, likeliest first; strength is the chance that it does.
        unclear: It asks something, and the patient cannot tell what about.
        next_to: The unit beside what was last told that fits such a question best, where one does.
        foreign: Nothing of this life lies near what it asks, so that it may be denied.
        muddled: Its words could not be made out.
        tells: The patient takes the turn for advice or telling; None where nobody asked the patient's own ears.
        risk: What it asks of somebody who told of risk, `other` where it asks something else; None for a patient
            without risk.
        by: Who read the turn where a model was asked to: 'model NAME', or 'embedded, because …'; None where none was.
    """

    understood: bool = True
    questions: int = 0
    open: bool = False
    wide: bool = False
    leading: bool = False
    asks: tuple[Slot, ...] = ()
    reaches: tuple[Reach, ...] = ()
    told: tuple[str, ...] = ()
    summarised: tuple[str, ...] = ()
    claims: tuple[FeelingClaim, ...] = ()
    fit: float = 0.0
    permission: bool = False
    informs: bool = False
    gap_asked: bool = False
    content: bool = False
    result_asked: bool = False
    form: QuestionForm | None = None
    follows: Follows | None = None
    unit: str | None = None
    sure: float = 0.0
    again: str | None = None
    near: tuple[Reach, ...] = ()
    unclear: bool = False
    next_to: str | None = None
    foreign: bool = False
    muddled: bool = False
    tells: bool | None = None
    risk: str | None = None
    by: str | None = None

    @property
    def stacked(self) -> bool:
        """More than one question at once."""
        return self.questions > 1


SILENCE = Appraisal(understood=True)

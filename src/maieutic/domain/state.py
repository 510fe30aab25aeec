"""The hidden state of a simulated patient: what moves turn by turn and nobody in the dialogue sees."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from maieutic.domain.appraisal import QuestionForm


class Act(StrEnum):
    """What the mind has decided to say; the voice only words it."""

    OPEN = "open"
    DETAIL = "detail"
    BACKGROUND = "background"
    THOUGHT = "thought"
    FEELING = "feeling"
    CONVICTION = "conviction"
    GOAL = "goal"
    EVIDENCE = "evidence"
    ANSWER = "answer"
    AGAIN = "again"
    MEANT = "meant"
    BESIDE = "beside"
    TAKE_AWAY = "take_away"
    TAKEN_UP = "taken_up"
    ASK_BACK = "ask_back"
    CONFIRM = "confirm"
    CORRECT = "correct"
    NO_MORE = "no_more"
    CONCEDE = "concede"
    UNMOVED = "unmoved"
    INSIGHT = "insight"
    PLAN = "plan"
    DEFLECT = "deflect"
    RESIST = "resist"
    WARMED = "warmed"
    AGREE = "agree"
    NOT_KNOWING = "not_knowing"
    TANGENT = "tangent"
    RISK_HINT = "risk_hint"
    RISK_DISCLOSURE = "risk_disclosure"
    RISK_DENIAL = "risk_denial"
    RISK_ANSWER = "risk_answer"
    REASSURANCE_BID = "reassurance_bid"
    GAP = "gap"
    INFORMED = "informed"
    RESULT = "result"
    NOT_UNDERSTOOD = "not_understood"
    LEAVE = "leave"


DENIED: Final = "denied"
"""Marks a short answer that may say no."""


@dataclass(frozen=True, slots=True)
class Intent:
    """The decided content of the next utterance.

    Attributes:
        act: What is done.
        evidence: The fact that is told, told again, or taken up.
        unit: The answer unit that is told, or told again.
        about: What is answered of risk that was told: intent, plan, means, what protects, who knows; `DENIED` where a
            short answer may say no, because nothing of this life lies near the question.
        form: What kind of answer was asked for, where none is given.
    """

    act: Act
    evidence: str | None = None
    unit: str | None = None
    about: str | None = None
    form: QuestionForm | None = None


@dataclass(frozen=True, slots=True)
class Voiced:
    """A fact that came up.

    Attributes:
        evidence: Id of the fact in the situation in play.
        by: 'patient' when the patient produced it, 'therapist' when it was told.
        turn: Therapist turn (1-based) that brought it up.
        credit: Quality of the invitation in [0, 1]; 0 for told facts.
    """

    evidence: str
    by: str
    turn: int
    credit: float


@dataclass(frozen=True, slots=True)
class Traits:
    """What differs between patients, drawn once from the population prior (all in [0, 1] unless said).

    Attributes:
        plasticity: Share of a fully weighted fact that conviction gives way (η).
        guardedness: Added to every fact's guard, −0.15 to 0.15.
        reactivity: How much pushing raises reactance.
        warmth: How much fitting reflection opens.
        patience: How much the patient bears before leaving.
        variability: Standard deviation of turn-to-turn noise in held conviction, points (0–100 scale).
    """

    plasticity: float
    guardedness: float
    reactivity: float
    warmth: float
    patience: float
    variability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CognitiveState:
    """The patient's mind after a turn; what no world sets stands as it is before the first.

    Attributes:
        situation: Id of the situation in play.
        turn: Number of therapist turns heard.
        held: Held conviction in the hot thought, 0–100.
        stated: Conviction the patient would state, 0–100; apart from `held`.
        core: Conviction in the core belief, 0–100.
        distress: Intensity of the main feeling, 0–100.
        goal, task, bond: Working alliance, each 0–1 (Bordin's three parts).
        openness, reactance: 0–1.
        disclosed: Slots told so far.
        voiced: Facts that came up, in order.
        weighed: Ids of facts that the patient has set against the thought.
        insight: 0–1; 1 when the balanced thought has been reached.
        felt_heard: Fitting reflections so far.
        risk_disclosed: The patient has told about risk.
        left: The patient has ended the session.
        intent: What the mind has decided to say next.
        traits: The patient's parameters.
        core_start: `core` at the start of the session, 0–100; None stands for `core` as it is.
        intermediate: Conviction in the rules and assumptions between the hot thought and the core belief, 0–100.
        urge: Urge to carry out the ritual, 0–100; None where the situation has none.
        debt: Points of urge and conviction still to come back after a reassurance or a dispute about an intrusion.
        leave: The turn before asked leave, or offered a choice.
        informed: 0 nothing told; 0.5 the missing information was given; 1 it was checked back and taken in.
        planned: An experiment has been agreed for the time until the next session.
        result: An experiment was carried out since the last session and its result has not been told yet.
        astray: The patient has gone off on a tangent and has not been led back.
        told: Units and facts that the patient has told, in order; the last is what was just spoken of.
        worked: Units of the patient's own work on the thought that have been done.
        fished: Wide questions heard so far.
    """

    situation: str
    turn: int = 0
    held: float
    stated: float
    core: float
    distress: float
    goal: float
    task: float
    bond: float
    openness: float
    reactance: float
    disclosed: tuple[str, ...] = ()
    voiced: tuple[Voiced, ...] = ()
    weighed: tuple[str, ...] = ()
    insight: float = 0.0
    felt_heard: int = 0
    risk_disclosed: bool = False
    left: bool = False
    intent: Intent = Intent(Act.OPEN)
    traits: Traits
    core_start: float | None = None
    intermediate: float | None = None
    urge: float | None = None
    debt: float = 0.0
    leave: bool = False
    informed: float = 0.0
    planned: bool = False
    result: bool = False
    astray: bool = False
    told: tuple[str, ...] = ()
    worked: tuple[str, ...] = ()
    fished: int = 0

    @property
    def alliance(self) -> float:
        """Mean of goal, task and bond, 0–1."""
        return (self.goal + self.task + self.bond) / 3.0

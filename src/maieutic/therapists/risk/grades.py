"""The data of the risk protocol: grades, what can be told, what can be asked, and what stands at a moment of a
session."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import Final, Literal

RiskPolicy = Literal["routine", "indicated"]
POLICIES: Final[tuple[RiskPolicy, ...]] = ("routine", "indicated")
"""`routine` asks everybody once, at a natural place; `indicated` asks where something was said that calls for it."""


class Grade(IntEnum):
    """How grave what was told is. The order is that of ordinary suicide-risk assessment (Posner et al. 2011)."""

    NONE = 0
    HINT = 1
    PASSIVE = 2
    ACTIVE = 3
    PREPARED = 4
    DANGER = 5


class Facet(StrEnum):
    """What is found out in an assessment, in the order in which it is asked about."""

    THOUGHTS = "thoughts"
    WISH = "wish"
    INTENT = "intent"
    PLAN = "plan"
    MEANS = "means"
    PROTECTS = "protects"
    KNOWN = "known"


class Ask(StrEnum):
    """A turn of the protocol; the values are names of the agent's steps."""

    ROUTINE = "risk_check"
    SIGN = "risk_hint"
    FAINT = "risk_faint"
    AGAIN = "risk_doubt"
    LATER = "risk_later"
    WISH = "risk_wish"
    INTENT = "risk_intent"
    PLAN = "risk_plan"
    MEANS = "risk_means"
    PROTECTS = "risk_protect"
    KNOWN = "risk_known"
    REPEAT = "risk_repeat"
    CHANGED = "risk_changed"
    HELP = "risk_resources"
    MORE = "risk_more"
    RETURN = "risk_return"
    FOLLOW = "risk_follow"
    SAFETY = "risk_safety"
    DOOR = "risk_door"
    THANKS = "risk_thanks"
    LAST = "risk_last"
    HAND_OVER = "hand_over"
    STAY = "stay"


OPENING: Final = (Ask.ROUTINE, Ask.FAINT, Ask.SIGN, Ask.AGAIN, Ask.LATER)
"""Questions whether there are thoughts of suicide at all."""
ASSESSING: Final = (Ask.WISH, Ask.INTENT, Ask.PLAN, Ask.MEANS, Ask.PROTECTS, Ask.KNOWN)
"""Questions of an assessment, in order."""
ABOUT: Final[dict[Ask, Facet]] = {
    **dict.fromkeys(OPENING, Facet.THOUGHTS),
    Ask.WISH: Facet.WISH,
    Ask.INTENT: Facet.INTENT,
    Ask.PLAN: Facet.PLAN,
    Ask.MEANS: Facet.MEANS,
    Ask.PROTECTS: Facet.PROTECTS,
    Ask.KNOWN: Facet.KNOWN,
    Ask.CHANGED: Facet.INTENT,
}
"""What a question finds out."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One patient turn as an answer to a question of the protocol.

    Attributes:
        yes, no: What it affirms and what it denies.
        unsure: It says that the speaker does not know what they will do.
        evades: It turns the question away.
        quote: The words that affirm most, as they were said; empty where nothing is affirmed.
        told: It tells something, where that was asked of which whatever is told is an answer.
        refers: It says only that it is as was told before.
    """

    yes: frozenset[Facet] = frozenset()
    no: frozenset[Facet] = frozenset()
    unsure: bool = False
    evades: bool = False
    quote: str = ""
    told: bool = False
    refers: bool = False

    def answers(self, facet: Facet) -> bool:
        """It says something about what was asked."""
        if facet in OPEN and self.told:
            return True
        if facet is Facet.WISH:
            return bool(self.yes or self.no)
        if facet is Facet.THOUGHTS and self.yes & GRAVE:
            return True
        return facet in self.yes | self.no or (facet is Facet.INTENT and self.unsure)

    @property
    def denies(self) -> bool:
        """A clear denial: a no, and nothing that goes against it."""
        return Facet.THOUGHTS in self.no and not self.yes & GRAVE and not self.unsure


OPEN: Final = frozenset({Facet.WISH, Facet.PROTECTS, Facet.KNOWN})
"""What is answered with whatever there is in a life."""
GRAVE: Final = frozenset({Facet.WISH, Facet.THOUGHTS, Facet.INTENT, Facet.PLAN})
_PREPARING: Final = frozenset({Facet.INTENT, Facet.PLAN, Facet.MEANS})


@dataclass(frozen=True, slots=True)
class RiskState:
    """Where the protocol stands before a turn.

    Attributes:
        asked: The turns of the protocol so far, in order.
        last: The therapist's latest turn, where it was one of the protocol.
        pending: The question that the latest turn put or put again.
        answered: The patient answered it.
        yes, no: What has been told and denied; a later word takes the place of an earlier one.
        unsure: The patient does not know what they will do, and has not said otherwise since.
        fresh, wavers: What the latest patient turn affirms, and whether it says that they do not know what they will
            do.
        denied: Thoughts of suicide were clearly denied.
        quote: The patient's words that told of it.
        refers: The latest answer says only that it is as was told before.
    """

    asked: tuple[Ask, ...] = ()
    last: Ask | None = None
    pending: Ask | None = None
    answered: bool = False
    yes: frozenset[Facet] = frozenset()
    no: frozenset[Facet] = frozenset()
    unsure: bool = False
    fresh: frozenset[Facet] = frozenset()
    wavers: bool = False
    denied: bool = False
    quote: str = ""
    refers: bool = False

    def times(self, *asks: Ask) -> int:
        """How often one of these was said."""
        return sum(ask in asks for ask in self.asked)

    @property
    def grade(self) -> Grade:
        """The grade that what was told supports; danger stands on the latest words alone."""
        if danger_in(self):
            return Grade.DANGER
        if self.yes & {Facet.PLAN, Facet.MEANS} and self.yes & {Facet.THOUGHTS, Facet.WISH}:
            return Grade.PREPARED
        if Facet.THOUGHTS in self.yes or Facet.INTENT in self.yes:
            return Grade.ACTIVE
        if Facet.WISH in self.yes:
            return Grade.PASSIVE
        return Grade.HINT if Ask.SIGN in self.asked and not self.denied else Grade.NONE

    @property
    def told(self) -> bool:
        """A wish to be dead or thoughts of suicide were told."""
        return self.grade >= Grade.PASSIVE

    @property
    def spoken(self) -> bool:
        """Suicide was spoken of: told, or asked about."""
        return self.told or self.times(*OPENING) > 0

    @property
    def finished(self) -> bool:
        """What was told has been talked through."""
        return bool(self.times(Ask.HELP, Ask.LAST))

    def known(self, facet: Facet) -> bool:
        """Nothing is left to find out about it."""
        return facet in self.yes | self.no

    def with_answer(self, answer: Answer) -> RiskState:
        """The state after the patient answered the latest turn; pure."""
        about = ABOUT.get(self.pending) if self.pending is not None else None
        if answer.refers and about is not None:
            answer = replace(answer, yes=answer.yes & {about}, no=answer.no & {about})
        if answer.refers and about in _PREPARING and not self.yes & _PREPARING and self.no & _PREPARING:
            # With intent or a plan denied before, a yes that only points back affirms neither: it is asked once more;
            # said again it is one.
            yes = answer.yes if self.last is Ask.REPEAT else answer.yes - _PREPARING
            answer = replace(answer, yes=yes, no=(answer.no | self._as_told(about)) - yes)
        yes, no = (self.yes | answer.yes) - answer.no, (self.no | answer.no) - answer.yes
        return replace(
            self,
            yes=yes,
            no=no,
            fresh=answer.yes,
            wavers=answer.unsure,
            unsure=(self.unsure or answer.unsure) and Facet.INTENT not in no,
            # Who does not know whether it has come closer has not said that it hasn't.
            answered=(about is None or answer.answers(about) or answer.denies or self._no_closer(answer))
            and not (self.pending is Ask.CHANGED and answer.unsure and Facet.INTENT not in answer.no),
            denied=(self.denied or (about is Facet.THOUGHTS and answer.denies)) and not answer.yes & GRAVE,
            quote=answer.quote if answer.quote and answer.yes & GRAVE and not answer.refers else self.quote,
            refers=answer.refers,
        )

    def _as_told(self, about: Facet) -> frozenset[Facet]:
        """What is denied by pointing back to what was told; whether it has come closer is not answered by that."""
        return frozenset({about}) if self.last is Ask.REPEAT and self.pending is not Ask.CHANGED else frozenset()

    def _no_closer(self, answer: Answer) -> bool:
        """Whether it has come closer was asked, and "I've made no plan" says so."""
        return self.pending is Ask.CHANGED and bool(answer.no & {Facet.PLAN, Facet.MEANS})

    def with_turn(self, ask: Ask | None) -> RiskState:
        """The state after a therapist turn, which was one of the protocol or none; pure."""
        if ask is None:
            if self.last is None and self.pending is None and self.answered and not self.fresh and not self.wavers:
                return self  # most turns of a session
            return replace(self, last=None, pending=None, answered=True, fresh=frozenset(), wavers=False)
        pending = self.pending if ask is Ask.REPEAT else ask
        return replace(
            self, asked=(*self.asked, ask), last=ask, pending=pending, answered=False, fresh=frozenset(), wavers=False
        )


def danger_in(state: RiskState) -> bool:
    """The latest words are danger: an intent, a plan with the means for it, or a plan in somebody who does not know
    what they will do."""
    if Facet.INTENT in state.fresh:
        return True
    now = bool(state.fresh & {Facet.PLAN, Facet.MEANS}) or state.wavers
    return now and Facet.PLAN in state.yes and (Facet.MEANS in state.yes or state.unsure)

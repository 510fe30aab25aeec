"""The ceiling of the second world: a therapist that sees case and state and asks what this mind rewards most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from maieutic.domain.case import Case, Evidence
from maieutic.domain.episode import Ending, Session, Turn
from maieutic.domain.question_form import QuestionForm
from maieutic.domain.state import CognitiveState
from maieutic.registry import therapist

NAME: Final = "second_world_oracle"
BEGIN: Final = ("Can you tell me what happened that day?", "What went through your mind just then?")
WEIGH: Final = (
    "How does that fit with the thought?",
    "When you put that next to the belief, what happens to it?",
    "What does that tell you about the idea you started with?",
    "How do you square that with what you believed?",
    "What do you say to the thought when you hear yourself tell me this?",
    "Does that change anything about how you see it?",
    "What do you make of that, next to the thought?",
    "Looking at both sides, how do you see it now?",
    "Taking it all together, what would you conclude now?",
    "So where does this leave the thought?",
    "What would be a fairer way of saying it?",
    "How would you put it, now that we have looked at all this?",
)
HEARING: Final = "Did I get that right?"
LOOKS: Final = {QuestionForm.OTHER_VIEW, QuestionForm.DOUBLE_STANDARD, QuestionForm.ALTERNATIVE}
FULL: Final = 0.75
"""A fact that is taken in so far is left."""


@dataclass(frozen=True, slots=True)
class SecondWorldOracle:
    """Asks for the facts by weight as they can be told, has each weighed, then has the patient look from elsewhere."""

    case: Case | None = None
    state: CognitiveState | None = None
    name: str = NAME
    needs: tuple[str, ...] = ("case", "state")

    def informed(self, *, case: Case, state: CognitiveState) -> SecondWorldOracle:
        """The oracle that knows them."""
        return SecondWorldOracle(case, state)

    async def respond(self, session: Session) -> Turn:
        """The next question; the patient's last words are given back before it."""
        asked = [turn.text for turn in session.by("therapist")]
        question = self._question(asked)
        if question is None:
            return Turn("therapist", "Thank you for talking with me today.", ending=Ending("completed"))
        heard = session.last("patient")
        words = heard.text.split(". ")[0].rstrip(".?!…") if heard and asked else ""
        return Turn("therapist", f"You say: {words}. {question}" if words and "?" not in words else question)

    def _question(self, asked: list[str]) -> str | None:
        case, state = self.case, self.state
        if case is None or state is None:
            return BEGIN[0]
        if len(asked) < len(BEGIN):
            return BEGIN[len(asked)]
        situation = case.situation(state.situation)
        taken = {one.evidence: one for one in state.voiced if one.by == "patient"}
        against = [fact for fact in situation.evidence if fact.bearing == "against"]
        awake = [f for f in against if f.id in taken and state.turn - taken[f.id].turn <= 2]
        fresh = [f for f in awake if f.id not in state.weighed]
        if fresh and (weigh := _unasked(WEIGH, asked)):
            return weigh
        for fact in sorted(against, key=lambda one: -one.weight):
            if fact.id not in taken and fact.guard <= state.openness and (ask := _unasked(fact.asks, asked)):
                return ask
        units = case.memory.within(situation.id) if case.memory else ()
        looks = [u for u in units if LOOKS & set(u.forms) and u.id not in state.told and u.guard <= state.openness]
        if len(state.worked) < 5 and looks and (ask := _unasked([u.asks[0] for u in looks], asked)):
            return ask
        return self._again(against, taken, state, asked) or _unasked((*WEIGH, "What else?", "What was that like?"), asked)

    def _again(self, against: list[Evidence], taken: dict[str, Any], state: CognitiveState, asked: list[str]) -> str | None:
        """Facts that were told and count for too little are given back and weighed together."""
        left = [f for f in against if f.id in taken and taken[f.id].credit < FULL]
        least = sorted(left, key=lambda f: taken[f.id].credit * f.weight)[:2]
        weigh = _unasked(WEIGH, asked)
        return f"So you told me this: {' '.join(f.said[0] for f in least)} {weigh}" if least and weigh else None


def _unasked(questions: Any, asked: list[str]) -> str | None:
    return next((one for one in questions if not any(one in said for said in asked)), None)


@therapist(NAME)
def make(model: Any = None) -> SecondWorldOracle:
    """The oracle of the second world."""
    return SecondWorldOracle()

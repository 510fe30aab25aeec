"""The ceiling of the second world: a therapist that sees case and state and asks what this mind rewards most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from maieutic.domain.appraisal import QuestionForm
from maieutic.domain.case import Case
from maieutic.domain.episode import Ending, Session, Turn
from maieutic.domain.state import CognitiveState
from maieutic.registry import therapist
from maieutic.second_world.ear import examples

NAME: Final = "second_world_oracle"
BEGIN: Final = ("Can you tell me what happened that day?", "What went through your mind just then?")
WEIGH: Final = tuple(text for text, kind in zip(*examples()[:2], strict=True) if kind == "weighing")
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
        if case is None or state is None or len(asked) < len(BEGIN):
            return BEGIN[min(len(asked), len(BEGIN) - 1)]
        situation = case.situation(state.situation)
        taken = {one.evidence: one for one in state.voiced if one.by == "patient"}
        against = [fact for fact in situation.evidence if fact.bearing == "against"]
        awake = [name for name, one in taken.items() if state.turn - one.turn <= 2 and name not in state.weighed]
        weigh = _unasked(WEIGH, asked)
        if weigh and any(fact.id in awake for fact in against):
            return weigh
        for fact in sorted(against, key=lambda one: -one.weight):
            if fact.id not in taken and fact.guard <= state.openness and (ask := _unasked(fact.asks, asked)):
                return ask
        units = case.memory.within(situation.id) if case.memory else ()
        looks = [u for u in units if LOOKS & set(u.forms) and u.id not in state.told and u.guard <= state.openness]
        if len(state.worked) < 5 and looks and (ask := _unasked([u.asks[0] for u in looks], asked)):
            return ask
        left = [f for f in against if f.id in taken and taken[f.id].credit < FULL]
        least = sorted(left, key=lambda f: taken[f.id].credit * f.weight)[:2]
        return f"So you told me this: {' '.join(f.said[0] for f in least)} {weigh}" if least and weigh else weigh


def _unasked(questions: Any, asked: list[str]) -> str | None:
    return next((one for one in questions if not any(one in said for said in asked)), None)


@therapist(NAME)
def make(model: Any = None) -> SecondWorldOracle:
    """The oracle of the second world."""
    return SecondWorldOracle()

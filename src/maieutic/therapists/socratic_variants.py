"""The Socratic agent with a part taken out or changed: ablations, the second wording bank, and timing put out of
joint."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from maieutic.domain.episode import Session, Turn
from maieutic.protocols import LanguageModel
from maieutic.registry import therapist
from maieutic.therapists.agent.memory import Memory
from maieutic.therapists.agent.steps import REFLECTS, RISK_STEPS, Lead, Plan, Step, nature
from maieutic.therapists.socratic import Considered, SocraticTherapist
from maieutic.tracking.asked import Asked
from maieutic.tracking.ear import expected
from maieutic.tracking.filter import predicted, updated
from maieutic.tracking.targets import Reflection


@therapist("socratic_no_tracker")
def without_tracker() -> SocraticTherapist:
    """The tracker hears no patient turn: minds are moved on by what the therapist does and what usually comes back."""
    return SocraticTherapist(name="socratic_no_tracker", tracks=False)


@therapist("socratic_no_planner")
def without_planner() -> SocraticTherapist:
    """Steps are not weighed: the first one of the agenda is taken."""
    return SocraticTherapist(name="socratic_no_planner", plans=False)


@therapist("socratic_no_validator")
def without_validator() -> SocraticTherapist:
    """Drafts are said as they come."""
    return SocraticTherapist(name="socratic_no_validator", validates=False)


@therapist("socratic_second_bank")
def with_second_bank() -> SocraticTherapist:
    """Worded by a bank that shares no run of four words with the first."""
    return SocraticTherapist(name="socratic_second_bank", wording="second")


@therapist("socratic_model_ear")
def with_model_ear(model: LanguageModel) -> SocraticTherapist:
    """`socratic:MODEL` whose tracker listens by the model too; risk is still graded by the trained heads."""
    return SocraticTherapist(name=f"socratic_model_ear:{model.name}", model=model, listener=model)


with_model_ear.needs_model = True  # type: ignore[attr-defined]


IN_PLACE = RISK_STEPS | {
    Step.EMPTY,
    Step.INJECTION,
    Step.OTHER_LANGUAGE,
    Step.HUMAN,
    Step.INSULT,
    Step.WALL,
    Step.RECALL,
    Step.RECAP,
    Step.GAP_ASK,
    Step.GAP_LEAVE,
    Step.GAP_TELL,
    Step.GAP_BACK,
}
"""What stays where it belongs: risk, odd input, answers to what the patient asks back, and information with leave,
whose parts hang together."""


@therapist("socratic_shuffled")
@dataclass(frozen=True, slots=True)
class ShuffledTiming:
    """The agent's plans for the turns of a session in an order drawn by the seed, each worded for the moment.

    The plans are those of a session carried on in thought from the opening, with what usually comes back; which of them
    is used when is drawn too. Both are fixed before the patient says a second thing, so that by construction no timing
    is related to the patient. The first and the last turn, and `IN_PLACE`, are not moved.
    """

    name: str = "socratic_shuffled"
    inner: SocraticTherapist = field(default_factory=SocraticTherapist)

    async def respond(self, session: Session) -> Turn:
        """The turn with its trace, which says for which turn it was planned."""
        number = len(session.by("therapist")) + 1
        now = self.inner.consider(session)
        if not 1 < number < self.inner.turns or now.plan.step in IN_PLACE:
            return await self.inner.carry_out(now, session)
        place = shuffled(session.seed, self.inner.turns)[number]
        turn = await self.inner.carry_out(self.foreseen(session, place), session)
        return replace(turn, trace={**(turn.trace or {}), "planned for turn": place})

    def foreseen(self, session: Session, place: int) -> Considered:
        """The plan for a turn (1-based) if the patient goes on after the opening as patients usually do."""
        first = next(at for at, turn in enumerate(session.turns, start=1) if turn.speaker == "patient")
        opening = Session(session.turns[:first], session.seed)
        tracker, memory = self.inner.tracker, Memory((), ())
        belief, tables = tracker.belief(opening), tracker.tables
        found = self.inner.planned(opening, memory, belief, tracker.heard(opening), None)
        while memory.number < place:
            plan = found.plan
            asked = Asked(nature(plan.step).target, REFLECTS.get(plan.lead, Reflection.NONE))
            heard = expected(asked, tables)
            belief = updated(predicted(belief, asked, tables), heard, tables)
            memory = Memory((*memory.steps, plan.step), (*memory.said, ""))
            found = self.inner.planned(opening, memory, belief, heard, None)
        return _LISTENS if found.plan.step in IN_PLACE else found


_LISTENS = Considered(Plan(Step.LISTEN, Lead.ACKNOWLEDGE, "what was planned for that turn is not moved"))


def shuffled(seed: int, turns: int) -> dict[int, int]:
    """Which turn's plan each turn takes, 1-based; a permutation that leaves the first and the last turn where they
    are."""
    places = list(range(2, turns))
    Session((), seed).generator("shuffled timing").shuffle(places)
    return dict(zip(range(2, turns), places, strict=True))

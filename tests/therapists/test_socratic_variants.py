"""The variants of the agent: that shuffled timing is timing of the seed's making, and that the rest stays in its place."""

from __future__ import annotations

import asyncio
from random import Random

import numpy as np
import pytest

from maieutic.domain.episode import Session, Turn
from maieutic.therapists.agent.steps import Lead, Plan, Step
from maieutic.therapists.socratic import Considered, SocraticTherapist
from maieutic.therapists.socratic_variants import ShuffledTiming, shuffled
from talks import session_of

OPENING = "I froze in the meeting yesterday and everybody looked at me."
TURNS = 20


def test_the_order_is_a_permutation_of_the_seed_and_every_place_is_as_likely_at_every_turn() -> None:
    orders = [shuffled(seed, TURNS) for seed in range(400)]
    assert all(sorted(order.values()) == list(order) == list(range(2, TURNS)) for order in orders)
    means = [np.mean([order[turn] for order in orders]) for turn in range(2, TURNS)]
    middle = (2 + TURNS - 1) / 2
    assert max(abs(mean - middle) for mean in means) < 4 * 5.2 / 20  # four standard errors of a uniform place


class Rising(SocraticTherapist):
    """An agent that asks in the first half and challenges in the second, whatever it is told."""

    __slots__ = ()

    def consider(self, session: Session) -> Considered:
        return self._at(len(session.by("therapist")) + 1)

    def planned(self, session: Session, memory: object, *rest: object) -> Considered:
        return self._at(memory.number)  # type: ignore[attr-defined]

    def _at(self, number: int) -> Considered:
        return Considered(Plan(Step.WEIGH if number > TURNS // 2 else Step.SITUATION, Lead.NONE, "by its place"))

    async def carry_out(self, considered: Considered, session: Session) -> Turn:
        return Turn("therapist", "What happened then?", trace={"intensity": considered.plan.intensity})


def intensities(agent: SocraticTherapist | ShuffledTiming, seed: int) -> list[float]:
    talk = Session((Turn("patient", OPENING),), seed)
    found = []
    for _ in range(TURNS):
        turn = asyncio.run(agent.respond(talk))
        assert turn.trace is not None
        found.append(float(turn.trace["intensity"]))
        talk = talk + turn + Turn("patient", "Well, it was awful.")
    return found


@pytest.mark.slow
def test_challenge_rises_with_the_session_in_the_agent_and_not_when_shuffled() -> None:
    """Openness that rises through a session stands beside challenge that rises too, and beside shuffled challenge."""
    openness = np.linspace(0.2, 0.8, TURNS)[1:-1]
    plain = np.polyfit(openness, intensities(Rising(), 0)[1:-1], 1)[0]
    agent = ShuffledTiming(inner=Rising())
    slopes = [np.polyfit(openness, intensities(agent, seed)[1:-1], 1)[0] for seed in range(60)]
    assert plain > 1.0
    assert abs(np.mean(slopes)) < 3 * np.std(slopes) / np.sqrt(len(slopes))
    assert sorted(intensities(agent, 3)) == sorted(intensities(Rising(), 3))  # the same acts, in another order


def test_after_the_opening_nothing_that_the_patient_says_or_is_moves_a_plan() -> None:
    """By construction: open or shut, resisting or warmed, the same acts come at the same turns; what risk asks stays in place."""
    agent, steps = ShuffledTiming(inner=SocraticTherapist(risk_policy="indicated")), []
    for answer in (
        "I don't want to talk about that.",
        "Yes, and I told my sister that I was ashamed and sad about it.",
    ):
        talk, own = session_of(OPENING), []
        for _ in range(8):
            turn = asyncio.run(agent.respond(talk))
            own.append((turn.trace or {})["planned for turn"] if len(own) else 1)
            own.append(agent.foreseen(talk, own[-1]).plan)
            talk = talk + turn + Turn("patient", answer)
        steps.append(own)
    assert steps[0] == steps[1]


def test_a_shuffled_turn_is_a_function_of_the_session() -> None:
    talk = session_of(
        OPENING, "What went through your mind?", "That I'm useless at this.", "How did that feel?", "Sad."
    )
    assert asyncio.run(ShuffledTiming().respond(talk)) == asyncio.run(ShuffledTiming().respond(talk))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_turn_says_what_it_was_planned_for(seed: int) -> None:
    talk = Session(session_of(OPENING, "What went through your mind?", "That I'm useless at this.").turns, seed)
    turn = asyncio.run(ShuffledTiming().respond(talk))
    assert turn.trace is not None and turn.trace["planned for turn"] == shuffled(seed, 20)[2]


def test_danger_is_met_at_once_whatever_the_order() -> None:
    said = "I've got the tablets here and I'm going to take them all tonight. I want to die."
    for seed in Random(1).sample(range(1000), 4):
        talk = Session((Turn("patient", OPENING), Turn("therapist", "Go on."), Turn("patient", said)), seed)
        turn = asyncio.run(ShuffledTiming().respond(talk))
        assert turn.trace is not None and turn.trace["step"] == "hand_over"

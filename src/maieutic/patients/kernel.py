"""The constants of the patient's dynamics and the population prior, each with its source or marked *assumption*."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from maieutic.domain.case import Case, Situation
from maieutic.domain.state import Act, CognitiveState, Intent, Traits


@dataclass(frozen=True, slots=True)
class Kernel:
    """Rates of the transition, per therapist turn unless said otherwise; all are *assumptions* about size.

    The signs follow METHODS' content-gated rule (conviction falls by evidence the patient produces while open; pushing
    raises reactance) and, for the bond that rises after change, the common finding that early gains precede alliance.

    Attributes:
        on_voicing: Share of a fact's effect that comes when the patient voices it; the rest comes when it is weighed.
        for_facts: Relative effect of a fact that speaks for the thought.
        backfire: Share of the remaining doubt that a push removes at full reactance.
        gate_width: Softness of the disclosure gate on the openness scale.
        wide_gate: Openness from which a wide question may bring up the least guarded fact.
        wide_chance: Chance that it does.
        wide_credit: Credit of a fact that came up by a wide question.
        opening_gain: Rise of openness at a perfectly fitting reflection.
        relief: Fall of distress, points, at a perfectly fitting reflection.
        reactance_decay: Share of reactance that stays after a turn without a push.
        core_share: Share of a change in held conviction that reaches the core belief.
        core_cap: Largest change of core conviction in a session, points.
        bond_after_change: Rise of the bond for a fall of ten points in held conviction.
    """

    on_voicing: float = 0.45
    for_facts: float = 0.25
    backfire: float = 0.10
    gate_width: float = 0.06
    wide_gate: float = 0.45
    wide_chance: float = 0.6
    wide_credit: float = 0.6
    opening_gain: float = 0.10
    relief: float = 3.0
    reactance_decay: float = 0.7
    core_share: float = 0.15
    core_cap: float = 10.0
    bond_after_change: float = 0.05


STANDARD = Kernel()

_START_OPENNESS = {
    "plain": 0.42, "verbose": 0.45, "tangent": 0.42, "pleasing": 0.40, "reserved": 0.28, "upset": 0.30,
}  # fmt: skip
_START_REACTANCE = {"upset": 0.30, "reserved": 0.10}


def draw_traits(rng: Random) -> Traits:
    """Draw a patient's parameters from the population prior (*assumption*: one patient in five hardly moves)."""
    rigid = rng.random() < 0.2
    return Traits(
        plasticity=rng.uniform(0.02, 0.08) if rigid else rng.uniform(0.18, 0.42),
        guardedness=rng.uniform(-0.12, 0.12),
        reactivity=rng.uniform(0.5, 1.0),
        warmth=rng.uniform(0.6, 1.0),
        patience=rng.uniform(0.65, 0.95),
        variability=rng.uniform(0.3, 1.0),
    )


def first_state(case: Case, situation: Situation, rng: Random) -> CognitiveState:
    """The mind before the first therapist turn: the case's numbers with a spread of a few points by seed."""
    traits = draw_traits(rng)
    held = _bounded(situation.conviction + rng.gauss(0.0, 4.0), 60.0, 95.0)
    return CognitiveState(
        situation=situation.id,
        turn=0,
        held=held,
        stated=held,
        core=_bounded(held - 5.0 + rng.gauss(0.0, 5.0), 30.0, 95.0),
        distress=_bounded(max(e.intensity for e in situation.emotions) + rng.gauss(0.0, 4.0), 30.0, 95.0),
        goal=_bounded(rng.gauss(0.40, 0.05), 0.0, 1.0),
        task=_bounded(rng.gauss(0.40, 0.05), 0.0, 1.0),
        bond=_bounded(rng.gauss(0.45, 0.05), 0.0, 1.0),
        openness=_bounded(_START_OPENNESS[case.style] + rng.gauss(0.0, 0.04), 0.05, 0.8),
        reactance=_START_REACTANCE.get(case.style, 0.05),
        disclosed=("situation",),
        voiced=(),
        weighed=(),
        insight=0.0,
        felt_heard=0,
        risk_disclosed=False,
        left=False,
        intent=Intent(Act.OPEN),
        traits=traits,
    )


def carry_over(fresh: CognitiveState, last: CognitiveState, rng: Random) -> CognitiveState:
    """The first state of a following session: 30–70 % of the fall is kept, alliance and disclosure carry on. *Assumption.*"""
    kept = rng.uniform(0.3, 0.7)
    held = fresh.held - kept * max(0.0, fresh.held - last.held)
    return replace(
        fresh,
        held=held,
        stated=held,
        core=last.core,
        core_start=last.core,
        goal=last.goal,
        task=last.task,
        bond=last.bond,
        openness=(fresh.openness + last.openness) / 2.0,
        disclosed=last.disclosed,
        voiced=last.voiced,
        weighed=last.weighed,
        risk_disclosed=last.risk_disclosed,
        traits=last.traits,
    )


def _bounded(value: float, low: float, high: float) -> float:
    return min(high, max(low, value))

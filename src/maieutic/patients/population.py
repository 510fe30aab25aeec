"""Patients as they begin: traits drawn from the population, the first state, and what is kept until the next
session."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from maieutic.domain.case import Case, Experiment, Situation
from maieutic.domain.state import Act, CognitiveState, Intent, Traits, Voiced
from maieutic.patients.kernel import PRIOR, START_OPENNESS, START_REACTANCE, Population
from maieutic.patients.pressure import bounded

EXPERIMENT = "experiment"
"""Stands among the voiced facts for the result of a planned experiment."""


def draw_traits(rng: Random, prior: Population = PRIOR) -> Traits:
    """Draw a patient's parameters (*assumption*: three patients in ten hardly move).

    Every patient uses the same number of draws, so that worlds with other priors meet the same luck.
    """
    rigid = rng.random() < prior.rigid
    spread = rng.random()
    middle = prior.rigid_plasticity * (0.4 + 1.2 * spread) if rigid else prior.plasticity * (0.6 + 0.8 * spread)
    return Traits(
        plasticity=middle,
        guardedness=rng.uniform(-1.0, 1.0) * prior.guardedness,
        reactivity=prior.reactivity + rng.uniform(-0.25, 0.25),
        warmth=prior.warmth + rng.uniform(-0.2, 0.2),
        patience=prior.patience + rng.uniform(-0.15, 0.15),
        variability=max(0.0, prior.variability + rng.uniform(-0.35, 0.35)),
    )


def first_state(case: Case, situation: Situation, rng: Random, prior: Population = PRIOR) -> CognitiveState:
    """The mind before the first therapist turn: the case's numbers with a spread of a few points by seed."""
    traits = draw_traits(rng, prior)
    held = bounded(situation.conviction + rng.gauss(0.0, 4.0), 60.0, 95.0)
    core = bounded(held - 5.0 + rng.gauss(0.0, 5.0), 30.0, 95.0)
    compulsion = situation.compulsion
    return CognitiveState(
        situation=situation.id,
        turn=0,
        held=held,
        stated=held,
        core=core,
        distress=bounded(max(e.intensity for e in situation.emotions) + rng.gauss(0.0, 4.0), 30.0, 95.0),
        goal=bounded(rng.gauss(prior.alliance, 0.05), 0.0, 1.0),
        task=bounded(rng.gauss(prior.alliance, 0.05), 0.0, 1.0),
        bond=bounded(rng.gauss(prior.alliance + 0.05, 0.05), 0.0, 1.0),
        openness=bounded(START_OPENNESS[case.style] * prior.openness + rng.gauss(0.0, 0.04), 0.05, 0.8),
        reactance=bounded(START_REACTANCE[case.style] * prior.reactance, 0.0, 1.0),
        disclosed=("situation",),
        voiced=(),
        weighed=(),
        insight=0.0,
        felt_heard=0,
        risk_disclosed=False,
        left=False,
        intent=Intent(Act.OPEN),
        traits=traits,
        intermediate=(held + core) / 2.0,
        urge=compulsion.urge if compulsion else None,
    )


def carry_over(
    fresh: CognitiveState, last: CognitiveState, rng: Random, experiment: Experiment | None = None
) -> CognitiveState:
    """The first state of a following session. *Assumptions* throughout.

    30–70 % of the fall is kept; alliance, disclosure and facts carry on; what is owed after reassurances comes back; an
    agreed experiment is carried out with a chance that grows with agreement on the task.
    """
    kept, chance = rng.uniform(0.3, 0.7), rng.random()
    same = last.situation == fresh.situation
    fallen = max(0.0, fresh.held - last.held) if same else 0.0
    held = bounded(fresh.held - kept * fallen + 0.5 * last.debt, 0.0, 100.0)
    done = same and experiment is not None and last.planned and chance < 0.3 + 0.6 * last.task
    urge = fresh.urge if last.urge is None or fresh.urge is None else bounded(last.urge + last.debt, 0.0, 100.0)
    voiced = tuple(v for v in last.voiced if same and not (done and v.evidence == EXPERIMENT))
    return replace(
        fresh,
        held=held,
        stated=held,
        core=last.core,
        core_start=last.core,
        intermediate=last.intermediate,
        goal=last.goal,
        task=last.task,
        bond=last.bond,
        openness=(fresh.openness + last.openness) / 2.0,
        disclosed=last.disclosed
        if same
        else tuple(s for s in last.disclosed if s in ("situation", "background", "goal")),
        voiced=tuple(Voiced(v.evidence, v.by, 0, v.credit) for v in voiced),
        weighed=tuple(n for n in last.weighed if same and not (done and n == EXPERIMENT)),
        risk_disclosed=last.risk_disclosed,
        traits=last.traits,
        urge=urge,
        informed=last.informed if same else 0.0,
        result=done,
    )

"""The constants of the patient's dynamics and the population they are drawn from, each an *assumption* about size; and
patients as they begin: traits drawn, the first state, and what is kept until the next session.

The signs follow a content-gated rule of our own (conviction falls by evidence that the patient produces while open;
pushing raises reactance) and, for the bond that rises after change, the common finding that early gains precede
alliance."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from random import Random
from typing import TypeVar

from maieutic.domain.case import Case, Experiment, Situation, Style
from maieutic.domain.state import CognitiveState, Traits, Voiced

World = TypeVar("World", "Kernel", "Population")


@dataclass(frozen=True, slots=True)
class Kernel:
    """Rates of the transition, per therapist turn unless said otherwise.

    Attributes:
        on_voicing: Share of a fact's effect that comes when the patient voices it; the rest comes when it is weighed.
        for_facts: Relative effect of a fact that supports the thought.
        unnamed: Share of the weighing effect for a fact that the turn does not name again.
        backfire: Share of the remaining doubt that a push removes at full reactance.
        gate_width: Softness of the disclosure gate on the openness scale.
        wide_gate: Openness around which a wide question comes to bring up the least guarded fact.
        wide_chance: Chance that it does when the patient is wide open.
        wide_credit: Credit of a fact that came up by a wide question.
        wide_decay: Factor on that chance for each wide question before.
        near_chance: Chance that a fact which the talk came near comes up, when the patient is open enough to tell it.
        near_credit: Credit of a fact that came up so.
        work: Weight, like that of a fact, of one piece of the patient's own work on the thought (another's view,
            another explanation, what is known for certain) done on nothing but itself.
        work_on_facts: Weight added for each fact against the thought that the patient has told and the work brings
            together.
        closed_quality, second_quality, stacked_quality: Quality of a closed question, and factor where two are asked at
            once, or more.
        opening_gain: Rise of openness at a perfectly fitting reflection.
        clear_gain: Rise of openness for one clear question that asks for something in particular.
        tiring: How much a further fitting reflection loses for each one before.
        agreement_gain: Rise of openness per point of goal and task agreement above the start.
        closing: Fall of openness at a full push.
        relief: Fall of distress, points, at a perfectly fitting reflection.
        expression: Fall of distress, points, when the patient is invited to tell and does.
        upset_by_push: Rise of distress, points, at a full push.
        reactance_gain, reactance_decay: Rise at a full push, and share that stays after a turn without one.
        core_share, intermediate_share: Share of a change in held conviction that reaches the beliefs below.
        core_cap: Largest change of core conviction in a session, points.
        bond_gain: Rise of the bond at a perfectly fitting reflection.
        bond_after_change: Rise of the bond for a fall of ten points in held conviction.
        head_gain, head_decay: Points that stated conviction runs ahead for each told fact, and share that stays.
        pleasing_gain: Points that a pleasing patient gives way in words at a full push.
        advice, early_advice, lecture, information, challenge, fitting_challenge, reassurance, leading, stacked,
        wrong_feeling, too_early: How hard each move pushes, 0–1.
        leaving_by_reactance: Chance of leaving in a turn once reactance exceeds the patient's patience.
        leaving_unheard: Chance of leaving in a turn at no alliance at all and no fit.
        informed_share: Share of the gap's effect that comes when the information is given with leave; the rest follows
            when it is checked back.
        reassured_relief, reassured_debt: Relief now, and urge and conviction that come back, for a reassurance about an
            intrusion, points.
        debt_rate: Share of what is owed that comes back in a turn.
        urge_on_appraisal: Fall of urge for each point that conviction in the appraisal falls.
        noise: Share of the patient's variability that reaches held conviction.
        told_share: *Structural alternative*, 0: told facts count this share of self-produced ones.
        alliance_pull: *Structural alternative*, 0: points that alliance above its start takes off conviction in a turn.
        contact: *Structural alternative*, 0: points that twenty turns of any contact take off conviction.
        relief_pull: *Structural alternative*, 0: points of conviction that a point of relief takes off.
        saturation: *Structural alternative*, 0: share of a fact's effect lost for each thirty points already fallen.
    """

    on_voicing: float = 0.45
    for_facts: float = 0.25
    unnamed: float = 0.85
    backfire: float = 0.10
    gate_width: float = 0.06
    wide_gate: float = 0.34
    wide_chance: float = 0.85
    wide_credit: float = 0.5
    wide_decay: float = 0.5
    near_chance: float = 0.8
    near_credit: float = 0.9
    work: float = 0.25
    work_on_facts: float = 0.25
    closed_quality: float = 0.6
    second_quality: float = 0.75
    stacked_quality: float = 0.35
    opening_gain: float = 0.12
    clear_gain: float = 0.012
    tiring: float = 0.06
    agreement_gain: float = 0.02
    closing: float = 0.22
    relief: float = 3.0
    expression: float = 0.4
    upset_by_push: float = 4.0
    reactance_gain: float = 0.6
    reactance_decay: float = 0.7
    core_share: float = 0.15
    intermediate_share: float = 0.35
    core_cap: float = 10.0
    bond_gain: float = 0.06
    bond_after_change: float = 0.05
    head_gain: float = 4.0
    head_decay: float = 0.8
    pleasing_gain: float = 8.0
    advice: float = 0.25
    early_advice: float = 0.45
    lecture: float = 0.35
    information: float = 0.05
    challenge: float = 0.40
    fitting_challenge: float = 0.15
    reassurance: float = 0.08
    leading: float = 0.20
    stacked: float = 0.12
    wrong_feeling: float = 0.25
    too_early: float = 0.08
    leaving_by_reactance: float = 0.35
    leaving_unheard: float = 0.10
    informed_share: float = 0.4
    reassured_relief: float = 5.0
    reassured_debt: float = 6.0
    debt_rate: float = 0.15
    urge_on_appraisal: float = 0.8
    noise: float = 0.3
    told_share: float = 0.0
    alliance_pull: float = 0.0
    contact: float = 0.0
    relief_pull: float = 0.0
    saturation: float = 0.0


STRUCTURAL = ("told_share", "alliance_pull", "contact", "relief_pull", "saturation")
"""Fields of `Kernel` that are off in the standard world and switch on another one."""

ALTERNATIVES: dict[str, Kernel] = {
    "told facts count 25 %": Kernel(told_share=0.25),
    "told facts count 50 %": Kernel(told_share=0.5),
    "alliance moves conviction": Kernel(alliance_pull=2.0),
    "any contact lowers conviction by 5": Kernel(contact=5.0),
    "gain saturates": Kernel(saturation=0.6),
}


@dataclass(frozen=True, slots=True)
class Population:
    """The prior that a patient's parameters are drawn from; ranges are uniform.

    Attributes:
        rigid: Share of patients who hardly move.
        rigid_plasticity, plasticity: Middle of the range of η for them and for the others; both spread by ± 60 and 40
            %.
        guardedness: Half-width of the range added to every fact's guard.
        reactivity, warmth, patience: Middle of the range; spread by ± 0.25, 0.2 and 0.15.
        variability: Middle of the range of turn-to-turn noise, points; spread by ± 0.35.
        openness: Factor on the starting openness of each style.
        reactance: Factor on the starting reactance of each style.
        alliance: Middle of the starting goal and task; the bond starts 0.05 above.
    """

    rigid: float = 0.3
    rigid_plasticity: float = 0.03
    plasticity: float = 0.30
    guardedness: float = 0.12
    reactivity: float = 0.75
    warmth: float = 0.8
    patience: float = 0.8
    variability: float = 0.65
    openness: float = 1.0
    reactance: float = 1.0
    alliance: float = 0.40


STANDARD = Kernel()
PRIOR = Population()

START_OPENNESS: dict[Style, float] = {
    "plain": 0.42,
    "verbose": 0.45,
    "tangent": 0.42,
    "pleasing": 0.40,
    "reserved": 0.28,
    "upset": 0.30,
}
START_REACTANCE: dict[Style, float] = {
    "plain": 0.05,
    "verbose": 0.05,
    "tangent": 0.05,
    "pleasing": 0.05,
    "reserved": 0.10,
    "upset": 0.30,
}


def bounded(value: float, low: float = 0.0, high: float = 1.0) -> float:
    """Clip to an interval."""
    return min(high, max(low, value))


def shifted(world: World, name: str, factor: float) -> World:
    """The same world with one parameter multiplied; chances and shares stay at most 1, factors on a start do not."""
    value = getattr(world, name) * factor
    return replace(world, **{name: min(1.0, value) if getattr(world, name) < 1.0 else value})


def parameters(world: Kernel | Population) -> tuple[str, ...]:
    """Names of the parameters that are on in this world."""
    return tuple(f.name for f in fields(world) if getattr(world, f.name) != 0.0)


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

"""How one therapist turn moves the mind: a pure function of state, code and appraisal.

Held conviction falls only through facts against the thought that the patient produced because the turn asked for them
(own *assumption*: Δ = −η · q · salience · openness · affect in window, and + ρ · reactance on pushing).
Warmth has effects of its own on openness, distress and bond, and none on conviction. Equations in docs/patients.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from maieutic.domain.appraisal import Appraisal, Slot
from maieutic.domain.case import Case, Evidence, Experiment, Situation
from maieutic.domain.codes import TurnCode
from maieutic.domain.state import CognitiveState, Voiced
from maieutic.patients.kernel import STANDARD, Kernel
from maieutic.patients.population import EXPERIMENT
from maieutic.patients.pressure import bounded, push_of, question_quality
from maieutic.patients.relation import Heard, related, stated_after
from maieutic.patients.special import soothed, taken_in


@dataclass(frozen=True, slots=True)
class Mind:
    """What of the case the dynamics read."""

    case: Case
    situation: Situation
    kernel: Kernel = STANDARD

    def fact(self, name: str) -> Evidence:
        """The fact, or the result of the experiment in the form of one."""
        experiment = self.situation.experiment
        if name == EXPERIMENT and experiment is not None:
            return _as_fact(experiment)
        return self.situation.fact(name)


@lru_cache(maxsize=256)
def _as_fact(experiment: Experiment) -> Evidence:
    """The result of an experiment in the form of a fact; kept, because building one validates it."""
    return Evidence(
        id=EXPERIMENT, bearing="against", fact=experiment.outcome, said=experiment.said,
        topics=("the experiment", "the test"), asks=("How did it go?",) * 3, guard=0.0, weight=experiment.weight,
    )  # fmt: skip


def workable(distress: float) -> float:
    """How workable the affect is, 0.3–1: little is learned flooded (above 90) or untouched (below 15). *Assumption.*"""
    if distress > 80.0:
        return bounded(1.0 - (distress - 80.0) / 20.0, 0.3, 1.0)
    return bounded(distress / 15.0, 0.4, 1.0)


def reached_fact(
    mind: Mind, state: CognitiveState, appraisal: Appraisal, rng: Random
) -> tuple[str, float, bool] | None:
    """The fact the turn brings within reach: (id, strength, came by a wide question), or None.

    A pointed question reaches what it asks for; a wide one may bring up the least guarded fact against the thought
    (or for it, where that is asked), and never more than one. What the therapist has told, in this turn or before, is
    no longer the patient's to find.
    """
    known = {v.evidence for v in state.voiced} | set(appraisal.told)
    chance = rng.random()
    if state.result and (appraisal.result_asked or appraisal.wide) and EXPERIMENT not in known:
        return EXPERIMENT, 1.0, False
    for reach in appraisal.reaches:
        if reach.evidence not in known:
            return reach.evidence, reach.strength, False
    bearing = "against" if appraisal.wide else "for" if Slot.SUPPORT in appraisal.asks else None
    kernel = mind.kernel
    if bearing is None or chance > kernel.wide_chance * _logistic(state.openness - kernel.wide_gate, kernel.gate_width):
        return None
    waiting = [e for e in mind.situation.evidence if e.bearing == bearing and e.id not in known]
    if not waiting:
        return None
    return min(waiting, key=lambda e: (e.guard, e.id)).id, 1.0, True


def gate(mind: Mind, state: CognitiveState, evidence: Evidence) -> float:
    """Probability that the patient tells a fact that has been asked for, by openness against its guard."""
    return _logistic(state.openness - (evidence.guard + state.traits.guardedness), mind.kernel.gate_width)


def _logistic(margin: float, width: float) -> float:
    return 1.0 / (1.0 + math.exp(bounded(-margin / max(1e-6, width), -60.0, 60.0)))


def give_way(mind: Mind, state: CognitiveState, evidence: Evidence, credit: float) -> float:
    """Points of held conviction that one fact moves at full effect; negative is a fall."""
    force = state.traits.plasticity * credit * evidence.weight * state.openness * workable(state.distress)
    if evidence.bearing == "for":
        return mind.kernel.for_facts * force * (100.0 - state.held)
    fallen = max(0.0, mind.situation.conviction - state.held)
    return -force * state.held * max(0.0, 1.0 - mind.kernel.saturation * fallen / 30.0)


def transition(
    mind: Mind, state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, rng: Random
) -> CognitiveState:
    """The state after one therapist turn (everything but the next intent). Pure: the same inputs give the same state."""
    kernel, traits = mind.kernel, state.traits
    noise, gate_draw, leave_draw = rng.gauss(0.0, traits.variability), rng.random(), rng.random()
    push = push_of(code, appraisal, state, kernel)
    quality = question_quality(appraisal, code, kernel)
    voiced, change = _voice(mind, state, appraisal, quality, gate_draw, rng)
    weighed, more = _weigh(mind, state, appraisal, quality)
    informed, by_information = taken_in(mind.situation, state, code, appraisal, kernel)
    relief, debt, back = soothed(mind.situation, state, code, appraisal, kernel)
    change += more + by_information
    reactance = bounded(kernel.reactance_decay * state.reactance + traits.reactivity * kernel.reactance_gain * push)
    backfire = kernel.backfire * reactance * push * (100.0 - state.held)
    other = _structural(mind, state, voiced)
    held = bounded(state.held + change + backfire + 0.5 * back + other + kernel.noise * noise, 0.0, 100.0)
    core_start = state.core if state.core_start is None else state.core_start
    core = state.core + kernel.core_share * (change + backfire)
    moved = replace(
        state,
        turn=state.turn + 1,
        held=held,
        core=bounded(core, max(0.0, core_start - kernel.core_cap), min(100.0, core_start + kernel.core_cap)),
        core_start=core_start,
        intermediate=None
        if state.intermediate is None
        else bounded(state.intermediate + kernel.intermediate_share * (change + backfire), 0.0, 100.0),
        voiced=voiced,
        weighed=weighed,
        reactance=reactance,
        insight=_insight(mind, state, held, weighed, appraisal),
        informed=informed,
        leave=appraisal.permission,
        debt=debt,
        urge=None
        if state.urge is None
        else bounded(state.urge + back + kernel.urge_on_appraisal * (change + backfire), 0.0, 100.0),
        result=state.result and EXPERIMENT not in {v.evidence for v in voiced},
        planned=state.planned
        or (Slot.PLAN in appraisal.asks and quality > 0.0 and push < 0.25 and "thought" in state.disclosed),
    )
    heard = Heard(state, code, appraisal, push, change)
    moved = related(kernel, moved, heard, relief=relief)
    moved = replace(moved, stated=stated_after(kernel, moved, heard, style=mind.case.style))
    unheard = kernel.leaving_unheard * (1.0 - moved.alliance) ** 2 * _unheard(appraisal)
    chance = unheard + (kernel.leaving_by_reactance * (1.0 - moved.alliance) if reactance > traits.patience else 0.0)
    return replace(moved, left=state.left or (moved.turn >= 3 and leave_draw < chance))


def _unheard(appraisal: Appraisal) -> float:
    """How little the turn shows that anybody listened: 0 after a fit or a question that follows, 1 after neither."""
    if appraisal.fit >= 0.3 or appraisal.reaches:
        return 0.0
    return 0.5 if appraisal.asks or appraisal.wide else 1.0


def _voice(
    mind: Mind, state: CognitiveState, appraisal: Appraisal, quality: float, gate_draw: float, rng: Random
) -> tuple[tuple[Voiced, ...], float]:
    """Facts that came up after the turn, and points that voicing moved."""
    kernel, voiced, change = mind.kernel, state.voiced, 0.0
    found = reached_fact(mind, state, appraisal, rng) if appraisal.understood else None
    if found and quality > 0.0:
        name, strength, by_wide = found
        fact = mind.fact(name)
        if gate_draw < gate(mind, state, fact):
            credit = quality * strength * (kernel.wide_credit if by_wide else 1.0)
            voiced = (*voiced, Voiced(name, "patient", state.turn + 1, credit))
            change = kernel.on_voicing * give_way(mind, state, fact, credit)
    told = tuple(n for n in appraisal.told if n not in {v.evidence for v in voiced})
    return (*voiced, *(Voiced(n, "therapist", state.turn + 1, 0.0) for n in told)), change


def _weigh(mind: Mind, state: CognitiveState, appraisal: Appraisal, quality: float) -> tuple[tuple[str, ...], float]:
    """Facts set against the thought after the turn, and points that weighing moved."""
    weighed, change = state.weighed, 0.0
    if Slot.WEIGHING in appraisal.asks and quality > 0.0:
        for item in state.voiced:
            if item.by == "patient" and item.evidence not in weighed:
                fresh = item.evidence in appraisal.summarised or item.turn == state.turn
                named = 1.0 if fresh else mind.kernel.unnamed
                fact = mind.fact(item.evidence)
                change += (1.0 - mind.kernel.on_voicing) * named * give_way(mind, state, fact, item.credit)
                weighed = (*weighed, item.evidence)
    return weighed, change


def _structural(mind: Mind, state: CognitiveState, voiced: tuple[Voiced, ...]) -> float:
    """Points that the structural alternatives move; 0 in the standard world."""
    kernel, moved = mind.kernel, 0.0
    if kernel.told_share:
        fresh = [v for v in voiced[len(state.voiced) :] if v.by == "therapist"]
        moved += kernel.told_share * sum(give_way(mind, state, mind.fact(v.evidence), 1.0) for v in fresh)
    if kernel.alliance_pull:
        moved -= kernel.alliance_pull * max(0.0, state.alliance - 0.42) * (state.held / 100.0)
    return moved - kernel.contact / 20.0


def left_alone(state: CognitiveState, rng: Random, kernel: Kernel = STANDARD) -> CognitiveState:
    """One turn's worth of time without a session: the same noise as in a session and nothing else."""
    noise = rng.gauss(0.0, state.traits.variability)
    held = bounded(state.held + kernel.noise * noise, 0.0, 100.0)
    return replace(state, turn=state.turn + 1, held=held, stated=held)


def _insight(mind: Mind, before: CognitiveState, held: float, weighed: tuple[str, ...], appraisal: Appraisal) -> float:
    against = [n for n in weighed if mind.fact(n).bearing == "against"]
    asked = Slot.WEIGHING in appraisal.asks or Slot.ALTERNATIVE in appraisal.asks
    ready = len(against) >= 2 and held <= 0.8 * mind.situation.conviction
    return bounded(before.insight + 0.5) if asked and ready else before.insight

"""How one therapist turn moves the mind: a pure function of state, code and appraisal.

Held conviction falls only through facts against the thought that the patient produced because the turn asked for them
(METHODS' "proposed state": Δ = −η · q · salience · openness · affect in window, and + ρ · reactance on pushing).
Warmth has effects of its own on openness, distress and bond, and none on conviction. Equations in docs/patients.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from random import Random

from maieutic.domain.appraisal import Appraisal, Slot
from maieutic.domain.case import Case, Evidence, Situation
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.state import CognitiveState, Voiced
from maieutic.patients.kernel import STANDARD, Kernel


@dataclass(frozen=True, slots=True)
class Mind:
    """What of the case the dynamics read."""

    case: Case
    situation: Situation
    kernel: Kernel = STANDARD

    def fact(self, name: str) -> Evidence:
        return next(e for e in self.situation.evidence if e.id == name)


def bounded(value: float, low: float = 0.0, high: float = 1.0) -> float:
    """Clip to an interval."""
    return min(high, max(low, value))


def workable(distress: float) -> float:
    """How workable the affect is, 0.3–1: little is learned flooded (above 90) or untouched (below 15). *Assumption.*"""
    if distress > 80.0:
        return bounded(1.0 - (distress - 80.0) / 20.0, 0.3, 1.0)
    return bounded(distress / 15.0, 0.4, 1.0)


def push_of(code: TurnCode | None, appraisal: Appraisal, state: CognitiveState) -> float:
    """How hard a turn pushes, 0–1: advice, lecture, leading, disputing, stacking, a wrong feeling asserted."""
    push = 0.0
    explored = {"thought", "feeling"} <= set(state.disclosed)
    if code is not None:
        if Move.ADVICE in code:
            push += 0.25 if explored else 0.45
        if Move.LECTURE in code:
            push += 0.35
        elif Move.INFORMATION in code and not appraisal.permission:
            push += 0.1
        if Move.CHALLENGE in code:
            push += 0.15 if state.voiced and state.openness >= 0.5 else 0.4
        if Move.REASSURANCE in code:
            push += 0.08
    push += 0.2 * appraisal.leading + (0.12 if appraisal.stacked else 0.0)
    push += 0.25 * sum(1 for c in appraisal.claims if not c.true and not c.tentative)
    early = appraisal.wide and "thought" not in state.disclosed
    return bounded(push + (0.15 if early else 0.0))


def question_quality(appraisal: Appraisal, code: TurnCode | None) -> float:
    """q in [0, 1]: one clear open question counts fully, a closed one less, leading or advising ones not at all."""
    if appraisal.questions == 0 or appraisal.leading:
        return 0.0
    if code is not None and code.any_of(frozenset({Move.ADVICE, Move.LECTURE, Move.CHALLENGE})):
        return 0.2 if Move.CHALLENGE not in code else 0.0
    return (1.0 if appraisal.open else 0.6) * (0.35 if appraisal.stacked else 1.0)


def reached_fact(
    mind: Mind, state: CognitiveState, appraisal: Appraisal, rng: Random
) -> tuple[str, float, bool] | None:
    """The fact the turn brings within reach: (id, strength, came by a wide question), or None.

    A pointed question reaches what it asks for; a wide one may bring up the least guarded fact against the thought,
    and never more than one. What the therapist has told, in this turn or before, is no longer the patient's to find.
    """
    known = {v.evidence for v in state.voiced} | set(appraisal.told)
    for reach in appraisal.reaches:
        if reach.evidence not in known:
            return reach.evidence, reach.strength, False
    chance = rng.random()
    if not appraisal.wide or state.openness < mind.kernel.wide_gate or chance > mind.kernel.wide_chance:
        return None
    waiting = [e for e in mind.situation.evidence if e.bearing == "against" and e.id not in known]
    if not waiting:
        return None
    return min(waiting, key=lambda e: (e.guard, e.id)).id, 1.0, True


def gate(mind: Mind, state: CognitiveState, evidence: Evidence) -> float:
    """Probability that the patient tells a fact that has been asked for, by openness against its guard."""
    margin = state.openness - (evidence.guard + state.traits.guardedness)
    return 1.0 / (1.0 + math.exp(-margin / mind.kernel.gate_width))


def give_way(mind: Mind, state: CognitiveState, evidence: Evidence, credit: float) -> float:
    """Points of held conviction that one fact moves at full effect; negative is a fall."""
    force = state.traits.plasticity * credit * evidence.weight * state.openness * workable(state.distress)
    if evidence.bearing == "for":
        return mind.kernel.for_facts * force * (100.0 - state.held)
    return -force * state.held


def transition(
    mind: Mind, state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, rng: Random
) -> CognitiveState:
    """The state after one therapist turn (everything but the next intent). Pure: the same inputs give the same state."""
    kernel, traits = mind.kernel, state.traits
    noise, gate_draw = rng.gauss(0.0, traits.variability), rng.random()
    push = push_of(code, appraisal, state)
    quality = question_quality(appraisal, code)
    change = 0.0
    voiced, weighed = state.voiced, state.weighed

    found = reached_fact(mind, state, appraisal, rng) if appraisal.understood else None
    if found and quality > 0.0:
        name, strength, by_wide = found
        fact = mind.fact(name)
        if gate_draw < gate(mind, state, fact):
            credit = quality * strength * (kernel.wide_credit if by_wide else 1.0)
            voiced = (*voiced, Voiced(name, "patient", state.turn + 1, credit))
            change += kernel.on_voicing * give_way(mind, state, fact, credit)
    told = tuple(n for n in appraisal.told if n not in {v.evidence for v in voiced})
    voiced = (*voiced, *(Voiced(n, "therapist", state.turn + 1, 0.0) for n in told))

    if Slot.WEIGHING in appraisal.asks and quality > 0.0:
        for item in state.voiced:
            if item.by == "patient" and item.evidence not in weighed:
                named = 1.0 if item.evidence in appraisal.summarised or item.turn == state.turn else 0.7
                change += (
                    (1.0 - kernel.on_voicing) * named * give_way(mind, state, mind.fact(item.evidence), item.credit)
                )
                weighed = (*weighed, item.evidence)

    reactance = bounded(kernel.reactance_decay * state.reactance + traits.reactivity * 0.6 * push)
    backfire = kernel.backfire * reactance * push * (100.0 - state.held)
    held = bounded(state.held + change + backfire + 0.3 * noise, 0.0, 100.0)
    core_start = state.core if state.core_start is None else state.core_start
    core = state.core + kernel.core_share * (change + backfire)
    moved = replace(
        state,
        turn=state.turn + 1,
        held=held,
        core=bounded(core, max(0.0, core_start - kernel.core_cap), min(100.0, core_start + kernel.core_cap)),
        core_start=core_start,
        voiced=voiced,
        weighed=weighed,
        reactance=reactance,
        insight=_insight(mind, state, held, weighed, appraisal),
    )
    moved = _relate(mind, state, moved, code, appraisal, push=push, change=change)
    moved = replace(moved, stated=_stated(mind, state, moved, code, push))
    leaving = moved.turn >= 3 and reactance > traits.patience and rng.random() < 0.35 * (1.0 - moved.alliance)
    return replace(moved, left=state.left or leaving)


def left_alone(state: CognitiveState, rng: Random) -> CognitiveState:
    """One turn's worth of time without a session: the same noise as in a session and nothing else."""
    noise = rng.gauss(0.0, state.traits.variability)
    held = bounded(state.held + 0.3 * noise, 0.0, 100.0)
    return replace(state, turn=state.turn + 1, held=held, stated=held)


def _relate(
    mind: Mind,
    before: CognitiveState,
    now: CognitiveState,
    code: TurnCode | None,
    appraisal: Appraisal,
    *,
    push: float,
    change: float,
) -> CognitiveState:
    """Warmth's own effects: openness, distress, alliance. None of them touches conviction."""
    kernel, traits = mind.kernel, before.traits
    tired = 1.0 / (1.0 + 0.10 * before.felt_heard)
    fit = appraisal.fit * traits.warmth * tired
    affirmed = 0.02 if code is not None and Move.AFFIRMATION in code else 0.0
    wrong = sum(1 for c in appraisal.claims if not c.true)
    clear = 1.0 if appraisal.questions == 1 and not appraisal.leading and push < 0.1 else 0.0
    agreed = 0.12 if Slot.GOAL in appraisal.asks or Slot.PLAN in appraisal.asks or appraisal.permission else 0.0
    bond = before.bond + 0.06 * fit * (1.0 - before.bond) + affirmed * (1.0 - before.bond)
    bond += kernel.bond_after_change * max(0.0, -change) / 10.0 - 0.10 * push
    task = before.task + (0.03 * clear + 0.05 * (Slot.WEIGHING in appraisal.asks)) * (1.0 - before.task) - 0.06 * push
    goal = before.goal + agreed * (1.0 - before.goal) - 0.04 * push
    openness = before.openness + kernel.opening_gain * fit * (1.0 - before.openness)
    openness += 0.015 * clear + 0.02 * (before.goal + before.task - 0.8) + 0.02 * appraisal.permission
    openness -= 0.22 * push * traits.reactivity + 0.05 * wrong
    distress = before.distress - kernel.relief * fit + 4.0 * push - 0.25 * max(0.0, -change)
    return replace(
        now,
        bond=bounded(bond),
        task=bounded(task),
        goal=bounded(goal),
        openness=bounded(openness, 0.03, 0.97),
        distress=bounded(distress, 0.0, 100.0),
        felt_heard=before.felt_heard + (1 if appraisal.fit >= 0.3 else 0),
    )


def _insight(mind: Mind, before: CognitiveState, held: float, weighed: tuple[str, ...], appraisal: Appraisal) -> float:
    against = [n for n in weighed if mind.fact(n).bearing == "against"]
    asked = {Slot.WEIGHING, Slot.ALTERNATIVE} & set(appraisal.asks)
    ready = len(against) >= 2 and held <= 0.8 * mind.situation.conviction
    return bounded(before.insight + 0.5) if asked and ready else before.insight


def _stated(mind: Mind, before: CognitiveState, now: CognitiveState, code: TurnCode | None, push: float) -> float:
    """What the patient would say it is: pleasing patients give way in words, the others say what they hold."""
    if mind.case.style != "pleasing":
        return now.held
    gap = 0.8 * (before.held - before.stated)
    soothed = code is not None and (Move.REASSURANCE in code or Move.AFFIRMATION in code)
    return bounded(now.held - bounded(gap + 8.0 * push + (3.0 if soothed else 0.0), 0.0, 30.0), 0.0, 100.0)

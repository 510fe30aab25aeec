"""How one therapist turn moves the mind: a pure function of state, code and appraisal.

Held conviction falls only through facts against the thought that the patient produced because the turn asked for them
(own *assumption*: Δ = −η · q · salience · openness · affect in window, and + ρ · reactance on pushing).
Warmth has effects of its own on openness, distress and bond, and none on conviction. Equations in docs/patients.md."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from maieutic.domain.appraisal import WORK, Appraisal, Slot
from maieutic.domain.case import Case, Evidence, Experiment, Situation, Style
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.state import CognitiveState, Voiced
from maieutic.patients.kernel import EXPERIMENT, STANDARD, Kernel, bounded


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

    def next_to(self, names: Sequence[str]) -> tuple[str, ...]:
        """The facts of the situation that lie next to these units or facts."""
        if self.case.memory is None:
            return ()
        facts = {e.id for e in self.situation.evidence}
        units = [u for u in self.case.memory.within(self.situation.id) if u.id in names]
        return tuple(dict.fromkeys(link for unit in units for link in unit.links if link in facts))

    def works(self, name: str | None) -> bool:
        """The unit is a piece of the patient's own work on the thought."""
        if name is None or self.case.memory is None:
            return False
        return bool(WORK & set(self.case.memory.unit(name).forms))


@lru_cache(maxsize=256)
def _as_fact(experiment: Experiment) -> Evidence:
    """The result of an experiment in the form of a fact; kept, because building one validates it."""
    return Evidence(
        id=EXPERIMENT,
        bearing="against",
        fact=experiment.outcome,
        said=experiment.said,
        topics=("the experiment", "the test"),
        asks=("How did it go?",) * 3,
        guard=0.0,
        weight=experiment.weight,
    )


def workable(distress: float) -> float:
    """How workable the affect is, 0.3–1: little is learned flooded (above 90) or untouched (below 15). *Assumption.*"""
    if distress > 80.0:
        return bounded(1.0 - (distress - 80.0) / 20.0, 0.3, 1.0)
    return bounded(distress / 15.0, 0.4, 1.0)


def reached_fact(
    mind: Mind, state: CognitiveState, appraisal: Appraisal, rng: Random
) -> tuple[str, float, bool] | None:
    """The fact the turn brings within reach: (id, strength, came by a wide question), or None.

    A pointed question reaches what it asks for. A turn that comes near facts may bring one of them up; beside an answer
    to something else only one that lies next to it. A wide one may bring up the least guarded fact, against the thought
    or for it, and the more seldom the more often it was asked. Never more than one comes up. What the therapist has
    told, in this turn or before, is no longer the patient's to find.
    """
    known = {v.evidence for v in state.voiced} | set(appraisal.told)
    chance = rng.random()
    if state.result and (appraisal.result_asked or appraisal.wide) and EXPERIMENT not in known:
        return EXPERIMENT, 1.0, False
    for reach in appraisal.reaches:
        if reach.evidence not in known:
            return reach.evidence, reach.strength, False
    kernel = mind.kernel
    edge = chance
    beside = mind.next_to((unit,)) if (unit := appraisal.unit) is not None and unit not in state.told else None
    for near in appraisal.near:
        if near.evidence not in known and (beside is None or near.evidence in beside):
            edge -= kernel.near_chance * near.strength
            if edge < 0.0:
                return near.evidence, kernel.near_credit, False
    sought = appraisal.wide or Slot.SUPPORT in appraisal.asks
    common = kernel.wide_chance * kernel.wide_decay**state.fished
    if not sought or chance > common * _logistic(state.openness - kernel.wide_gate, kernel.gate_width):
        return None
    waiting = [e for e in mind.situation.evidence if e.id not in known and (appraisal.wide or e.bearing == "for")]
    if not waiting:
        return None
    return min(waiting, key=lambda e: (e.guard, e.id)).id, 1.0, True


def gate(mind: Mind, state: CognitiveState, evidence: Evidence) -> float:
    """Probability that the patient tells a fact that has been asked for, by openness against its guard."""
    return _logistic(state.openness - (evidence.guard + state.traits.guardedness), mind.kernel.gate_width)


def _logistic(margin: float, width: float) -> float:
    return 1.0 / (1.0 + math.exp(bounded(-margin / max(1e-6, width), -60.0, 60.0)))


def belief_delta(mind: Mind, state: CognitiveState, evidence: Evidence, credit: float) -> float:
    """Points of held conviction that one fact moves at full effect; negative is a fall."""
    force = state.traits.plasticity * credit * evidence.weight * state.openness * workable(state.distress)
    if evidence.bearing == "for":
        return mind.kernel.for_facts * force * (100.0 - state.held)
    fallen = max(0.0, mind.situation.conviction - state.held)
    return -force * state.held * max(0.0, 1.0 - mind.kernel.saturation * fallen / 30.0)


def transition(
    mind: Mind, state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, rng: Random
) -> CognitiveState:
    """The state after one therapist turn (everything but the next intent). Pure: the same inputs give the same
    state."""
    kernel, traits = mind.kernel, state.traits
    noise, gate_draw, leave_draw = rng.gauss(0.0, traits.variability), rng.random(), rng.random()
    push = push_of(code, appraisal, state, kernel)
    quality = question_quality(appraisal, code, kernel)
    voiced, change = _voice(mind, state, appraisal, quality, gate_draw, rng)
    weighed, more = _weigh(mind, state, appraisal, quality)
    informed, by_information = taken_in(mind.situation, state, code, appraisal, kernel)
    relief, debt, back = reassurance_cycle(mind.situation, state, code, appraisal, kernel)
    worked, by_work = _worked(mind, state, appraisal, quality, voiced)
    change += more + by_information + by_work
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
        worked=worked,
        fished=state.fished + (appraisal.wide and quality > 0.0),
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
    if kernel.relief_pull:
        pull = kernel.relief_pull * (state.distress - moved.distress) * (state.held / 100.0)
        moved = replace(moved, held=bounded(moved.held - pull, 0.0, 100.0))
    moved = replace(moved, stated=stated_after(kernel, moved, heard, style=mind.case.style))
    unheard = kernel.leaving_unheard * (1.0 - moved.alliance) ** 2 * _unheard(appraisal)
    chance = unheard + (kernel.leaving_by_reactance * (1.0 - moved.alliance) if reactance > traits.patience else 0.0)
    return replace(moved, left=state.left or (moved.turn >= 3 and leave_draw < chance))


def _unheard(appraisal: Appraisal) -> float:
    """How little the turn shows that anybody listened: 0 after a fit or a question that surely follows, 1 after
    neither."""
    if appraisal.fit >= 0.3 or appraisal.reaches:
        return 0.0
    return min(0.5 if appraisal.asks or appraisal.wide else 1.0, 1.0 - appraisal.sure)


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
            change = kernel.on_voicing * belief_delta(mind, state, fact, credit)
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
                change += (1.0 - mind.kernel.on_voicing) * named * belief_delta(mind, state, fact, item.credit)
                weighed = (*weighed, item.evidence)
    return weighed, change


def _worked(
    mind: Mind, state: CognitiveState, appraisal: Appraisal, quality: float, voiced: tuple[Voiced, ...]
) -> tuple[tuple[str, ...], float]:
    """Work done on the thought after the turn, and points that it moved; never below what the facts warrant.

    Each piece counts once; it weighs more with the facts against the thought, told by the patient, that lie next to it.
    """
    name = appraisal.unit
    if name is None or quality <= 0.0 or name in state.worked or not mind.works(name):
        return state.worked, 0.0
    own = {v.evidence for v in voiced if v.by == "patient"}
    brought = [n for n in mind.next_to((name,)) if n in own and mind.fact(n).bearing == "against"]
    weight = mind.kernel.work + mind.kernel.work_on_facts * len(brought)
    room = max(0.0, state.held - mind.situation.warranted)
    force = state.traits.plasticity * quality * appraisal.sure * weight * state.openness * workable(state.distress)
    return (*state.worked, name), -force * room


def _structural(mind: Mind, state: CognitiveState, voiced: tuple[Voiced, ...]) -> float:
    """Points that the structural alternatives move; 0 in the standard world."""
    kernel, moved = mind.kernel, 0.0
    if kernel.told_share:
        fresh = [v for v in voiced[len(state.voiced) :] if v.by == "therapist"]
        moved += kernel.told_share * sum(belief_delta(mind, state, mind.fact(v.evidence), 1.0) for v in fresh)
    if kernel.alliance_pull:
        moved -= kernel.alliance_pull * max(0.0, state.alliance - 0.42) * (state.held / 100.0)
    return moved - kernel.contact / 20.0


LOOSENED = 6.0
"""Points below the start from which the patient speaks as one whose thought has loosened. *Assumption.*"""


def loosened(mind: Mind, state: CognitiveState) -> bool:
    """The thought is held clearly less than at the start."""
    return state.held <= mind.situation.conviction - LOOSENED


def left_alone(state: CognitiveState, rng: Random, kernel: Kernel = STANDARD) -> CognitiveState:
    """One turn's worth of time without a session: the same noise as in a session and nothing else."""
    noise = rng.gauss(0.0, state.traits.variability)
    held = bounded(state.held + kernel.noise * noise, 0.0, 100.0)
    return replace(state, turn=state.turn + 1, held=held, stated=held)


def _insight(mind: Mind, before: CognitiveState, held: float, weighed: tuple[str, ...], appraisal: Appraisal) -> float:
    against = [n for n in weighed if mind.fact(n).bearing == "against"]
    asked = Slot.WEIGHING in appraisal.asks or Slot.ALTERNATIVE in appraisal.asks or mind.works(appraisal.unit)
    ready = len(against) + len(before.worked) >= 2 and held <= 0.8 * mind.situation.conviction
    return bounded(before.insight + 0.5) if asked and ready else before.insight


_TELLING = frozenset({Move.ADVICE, Move.LECTURE, Move.CHALLENGE})
_DISPUTING = _TELLING - {Move.ADVICE}
"""What a coder may say of a turn that the patient does not take for advice."""
PAIR = 2
"""Questions that people ask in one breath and mean as one; more of them push. *Assumption.*"""


def push_of(code: TurnCode | None, appraisal: Appraisal, state: CognitiveState, kernel: Kernel = STANDARD) -> float:
    """How hard a turn pushes, 0–1: advice, lecture, leading, disputing, stacking, a wrong feeling asserted."""
    push = 0.0
    if code is not None:
        if Move.ADVICE in code and appraisal.tells is not False:
            explored = "thought" in state.disclosed and "feeling" in state.disclosed
            push += kernel.advice if explored else kernel.early_advice
        if Move.LECTURE in code:
            push += kernel.lecture
        elif Move.INFORMATION in code and not (appraisal.permission or appraisal.informs):
            push += kernel.information
        if Move.CHALLENGE in code:
            fitting = bool(state.voiced) and state.openness >= 0.5
            push += kernel.fitting_challenge if fitting else kernel.challenge
        if Move.REASSURANCE in code:
            push += kernel.reassurance
    if appraisal.leading:
        push += kernel.leading
    if appraisal.questions > PAIR:
        push += kernel.stacked
    push += kernel.wrong_feeling * sum(1 for c in appraisal.claims if not c.true and not c.tentative)
    if appraisal.wide and "thought" not in state.disclosed:
        push += kernel.too_early
    return bounded(push)


def question_quality(appraisal: Appraisal, code: TurnCode | None, kernel: Kernel = STANDARD) -> float:
    """q in [0, 1]: one clear open question counts fully, a closed one less, leading or advising ones not at all."""
    if appraisal.questions == 0 or appraisal.leading:
        return 0.0
    if code is not None and code.any_of(_TELLING if appraisal.tells is not False else _DISPUTING):
        return 0.2 if Move.CHALLENGE not in code else 0.0
    piled = kernel.stacked_quality if appraisal.questions > PAIR else kernel.second_quality
    many = piled if appraisal.stacked else 1.0
    return (1.0 if appraisal.open else kernel.closed_quality) * many


@dataclass(frozen=True, slots=True)
class Heard:
    """One therapist turn as it met the patient.

    Attributes:
        before: The mind that heard it.
        code: Moves of the turn; None where nobody coded it.
        appraisal: The patient's own reading of it.
        push: How hard it pushed, 0–1.
        change: Points of held conviction that facts and information moved; negative is a fall.
    """

    before: CognitiveState
    code: TurnCode | None
    appraisal: Appraisal
    push: float
    change: float


def related(kernel: Kernel, now: CognitiveState, heard: Heard, *, relief: float) -> CognitiveState:
    """`now` with alliance, openness and distress as the turn leaves them; `relief` is in points of distress.

    Alliance has Bordin's three parts; agreement on goal and task feeds openness, and the bond rises partly after
    change.
    """
    before, code, appraisal, push, change = heard.before, heard.code, heard.appraisal, heard.push, heard.change
    traits = before.traits
    fit = appraisal.fit * traits.warmth / (1.0 + kernel.tiring * before.felt_heard)
    affirmed = 0.02 if code is not None and Move.AFFIRMATION in code else 0.0
    wrong = sum(1 for c in appraisal.claims if not c.true)
    aimed = bool(appraisal.asks or appraisal.reaches or appraisal.unit or appraisal.wide)
    clear = 1.0 if aimed and appraisal.questions == 1 and not appraisal.leading and push < 0.1 else 0.0
    agreed = 0.12 if Slot.GOAL in appraisal.asks or Slot.PLAN in appraisal.asks or appraisal.permission else 0.0
    weighing = Slot.WEIGHING in appraisal.asks
    bond = before.bond + (kernel.bond_gain * fit + affirmed) * (1.0 - before.bond)
    bond += kernel.bond_after_change * max(0.0, -change) / 10.0 - 0.10 * push
    task = before.task + (0.02 * clear + 0.05 * weighing) * (1.0 - before.task) - 0.06 * push
    goal = before.goal + agreed * (1.0 - before.goal) - 0.04 * push
    openness = before.openness + kernel.opening_gain * fit * (1.0 - before.openness)
    openness += kernel.clear_gain * clear + 0.02 * appraisal.permission
    openness += kernel.agreement_gain * (before.goal + before.task - 0.8)
    openness -= kernel.closing * push * traits.reactivity + 0.05 * wrong
    told = kernel.expression if appraisal.open and push < 0.1 else 0.0
    distress = before.distress - kernel.relief * fit - told - relief
    distress += kernel.upset_by_push * push - 0.25 * max(0.0, -change)
    return replace(
        now,
        bond=bounded(bond),
        task=bounded(task),
        goal=bounded(goal),
        openness=bounded(openness, 0.03, 0.97),
        distress=bounded(distress, 0.0, 100.0),
        felt_heard=before.felt_heard + (1 if appraisal.fit >= 0.3 else 0),
    )


def stated_after(kernel: Kernel, now: CognitiveState, heard: Heard, *, style: Style) -> float:
    """What the patient would state, 0–100.

    The head runs ahead of the heart ("I know it, but I don't feel it") after told facts and after change; pleasing
    patients give way in words under a push or a kindness. Both are at most 30 points. *Assumption.*
    """
    before, code = heard.before, heard.code
    gap = kernel.head_decay * max(0.0, before.held - before.stated)
    gap += kernel.head_gain * len(heard.appraisal.told) + 0.2 * max(0.0, -heard.change)
    if style == "pleasing":
        reassured = code is not None and (Move.REASSURANCE in code or Move.AFFIRMATION in code)
        gap += kernel.pleasing_gain * heard.push + (3.0 if reassured else 0.0)
    return bounded(now.held - bounded(gap, 0.0, 30.0), 0.0, 100.0)


def taken_in(
    situation: Situation, state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, kernel: Kernel
) -> tuple[float, float]:
    """(how far the information is taken in after the turn, 0–1; points of conviction that it moves).

    Brief information counts only with leave (asked for in this turn or the one before) and outside a lecture;
    the rest of its effect comes when the patient is asked what they make of it. *Assumption.*
    """
    gap = situation.knowledge_gap
    if gap is None or not appraisal.understood:
        return state.informed, 0.0
    whole = gap.share * max(0.0, situation.conviction - situation.warranted) * state.openness
    brief = code is None or (Move.LECTURE not in code and Move.CHALLENGE not in code)
    if state.informed == 0.0 and appraisal.informs and brief and (state.leave or appraisal.permission):
        return 0.5, -kernel.informed_share * whole
    if state.informed == 0.5 and appraisal.gap_asked and appraisal.questions > 0 and not appraisal.leading:
        return 1.0, -(1.0 - kernel.informed_share) * whole
    return state.informed, 0.0


def reassurance_cycle(
    situation: Situation, state: CognitiveState, code: TurnCode | None, appraisal: Appraisal, kernel: Kernel
) -> tuple[float, float, float]:
    """(relief now, debt after the turn, points that come back now) where there is an intrusion.

    Reassurance and disputing its content relieve for the moment; what was relieved comes back with interest, as
    reassurance-seeking does in obsessional problems. Sizes are *assumptions*.
    """
    if situation.compulsion is None:
        return 0.0, 0.0, 0.0
    back = kernel.debt_rate * state.debt
    calmed = appraisal.content or (code is not None and Move.REASSURANCE in code)
    if not calmed:
        return 0.0, state.debt - back, back
    return kernel.reassured_relief, min(40.0, state.debt - back + kernel.reassured_debt), back

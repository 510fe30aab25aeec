"""Warmth's own effects (openness, distress, alliance) and what the patient would state; none touches held
conviction."""

from __future__ import annotations

from dataclasses import dataclass, replace

from maieutic.domain.appraisal import Appraisal, Slot
from maieutic.domain.case import Style
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.state import CognitiveState
from maieutic.patients.kernel import Kernel
from maieutic.patients.pressure import bounded


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

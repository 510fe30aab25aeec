"""What moves in the special groups: a gap in knowledge, an intrusion with its ritual, the result of an experiment."""

from __future__ import annotations

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.case import Situation
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.state import CognitiveState
from maieutic.patients.kernel import Kernel


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

"""How hard a therapist turn pushes, and how good a question it holds."""

from __future__ import annotations

from maieutic.domain.appraisal import Appraisal
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.state import CognitiveState
from maieutic.patients.kernel import STANDARD, Kernel

_TELLING = frozenset({Move.ADVICE, Move.LECTURE, Move.CHALLENGE})
_DISPUTING = _TELLING - {Move.ADVICE}
"""What a coder may say of a turn that the patient does not take for advice."""
PAIR = 2
"""Questions that people ask in one breath and mean as one; more of them push. *Assumption.*"""


def bounded(value: float, low: float = 0.0, high: float = 1.0) -> float:
    """Clip to an interval."""
    return min(high, max(low, value))


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

"""What the mind decides to say next: a pure choice from the new state and the appraisal of the turn."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from maieutic.domain.appraisal import Appraisal, Slot
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.state import Act, CognitiveState, Intent
from maieutic.patients.dynamics import Mind, push_of

_SLOT_ACTS = (
    (Slot.CONVICTION, Act.CONVICTION),
    (Slot.FEELING, Act.FEELING),
    (Slot.THOUGHT, Act.THOUGHT),
    (Slot.BACKGROUND, Act.BACKGROUND),
    (Slot.GOAL, Act.GOAL),
    (Slot.PLAN, Act.PLAN),
    (Slot.SITUATION, Act.DETAIL),
)
_DISCLOSES = {Act.FEELING: "feeling", Act.THOUGHT: "thought", Act.BACKGROUND: "background", Act.GOAL: "goal"}
_OPENNESS_NEEDED = {Act.FEELING: 0.22, Act.THOUGHT: 0.30, Act.BACKGROUND: 0.35}


def with_intent(
    mind: Mind,
    before: CognitiveState,
    now: CognitiveState,
    code: TurnCode | None,
    appraisal: Appraisal,
    rng: Random,
) -> CognitiveState:
    """The state with its next intent, and with what that intent discloses noted."""
    intent = _decide(mind, before, now, code, appraisal, rng)
    disclosed = now.disclosed
    slot = _DISCLOSES.get(intent.act)
    if slot and slot not in disclosed:
        disclosed = (*disclosed, slot)
    told_risk = now.risk_disclosed or intent.act is Act.RISK_DISCLOSURE
    return replace(now, intent=intent, disclosed=disclosed, risk_disclosed=told_risk)


def _decide(
    mind: Mind, before: CognitiveState, now: CognitiveState, code: TurnCode | None, appraisal: Appraisal, rng: Random
) -> Intent:
    draw, style = rng.random(), mind.case.style
    if now.left:
        return Intent(Act.LEAVE)
    if not appraisal.understood:
        return Intent(Act.NOT_UNDERSTOOD)
    risk = _risk_intent(mind, now, appraisal, draw)
    if risk is not None:
        return risk
    if push_of(code, appraisal, before) >= 0.25:
        if style == "pleasing":
            return Intent(Act.AGREE)
        return Intent(Act.RESIST if now.reactance >= 0.3 else Act.DEFLECT)
    fresh = [v for v in now.voiced if v.turn == now.turn and v.by == "patient"]
    if fresh:
        return Intent(Act.EVIDENCE, fresh[0].evidence)
    if style == "tangent" and draw < 0.22 and not appraisal.reaches:
        return Intent(Act.TANGENT)
    if style == "reserved" and draw < 0.35 - 0.5 * now.openness:
        return Intent(Act.DEFLECT)
    if {Slot.WEIGHING, Slot.ALTERNATIVE} & set(appraisal.asks):
        return _weighing(mind, now)
    for slot, act in _SLOT_ACTS:
        if slot in appraisal.asks:
            return Intent(act if now.openness >= _OPENNESS_NEEDED.get(act, 0.0) else Act.DEFLECT)
    if appraisal.reaches and appraisal.reaches[0].evidence in {v.evidence for v in before.voiced}:
        return Intent(Act.DETAIL)
    if appraisal.reaches or appraisal.wide:
        return Intent(Act.DEFLECT if appraisal.reaches else Act.NOT_KNOWING)
    return _unprompted(now, code, appraisal, draw)


def _weighing(mind: Mind, now: CognitiveState) -> Intent:
    if now.insight >= 1.0:
        return Intent(Act.INSIGHT)
    against = [n for n in now.weighed if mind.fact(n).bearing == "against"]
    if not against:
        return Intent(Act.NOT_KNOWING)
    return Intent(Act.CONCEDE if now.held <= mind.situation.conviction - 6.0 else Act.UNMOVED)


def _risk_intent(mind: Mind, now: CognitiveState, appraisal: Appraisal, draw: float) -> Intent | None:
    risk = mind.case.risk
    if Slot.RISK in appraisal.asks:
        if risk.level == "none":
            return Intent(Act.RISK_DENIAL)
        return Intent(Act.RISK_DISCLOSURE if now.openness >= 0.25 or risk.disclosure == "open" else Act.RISK_DENIAL)
    if risk.level == "none" or now.risk_disclosed:
        return None
    if risk.disclosure == "open" and now.turn == 2:
        return Intent(Act.RISK_DISCLOSURE)
    if risk.hints and now.turn in (3, 8, 13) and draw < 0.7:
        return Intent(Act.RISK_HINT)
    return None


def _unprompted(now: CognitiveState, code: TurnCode | None, appraisal: Appraisal, draw: float) -> Intent:
    """Nothing in particular was asked: warmth draws out feeling and thought in time, an open question gets detail."""
    if appraisal.fit >= 0.3:
        for act in (Act.FEELING, Act.THOUGHT, Act.BACKGROUND):
            if _DISCLOSES[act] not in now.disclosed and now.openness >= _OPENNESS_NEEDED[act] + 0.12:
                return Intent(act)
    if appraisal.questions:
        return Intent(Act.DETAIL if draw < 0.65 else Act.NOT_KNOWING)
    if appraisal.fit >= 0.3 or (code is not None and (Move.AFFIRMATION in code or Move.REASSURANCE in code)):
        return Intent(Act.WARMED if draw < 0.6 else Act.DETAIL)
    return Intent(Act.DETAIL if draw < 0.5 else Act.DEFLECT)

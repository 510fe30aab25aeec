"""The planner: weighs the steps that make sense by how they follow from the last reply and what they are expected to
bring."""

from __future__ import annotations

from maieutic.therapists.agent.conduct import barren
from maieutic.therapists.agent.memory import Memory
from maieutic.therapists.agent.planner_state import Model, planner_state, valued
from maieutic.therapists.agent.reasoner import Understanding
from maieutic.therapists.agent.steps import Lead, Plan, Step
from maieutic.tracking.belief import Belief

SHOWN = 6
AHEAD = 0.2
"""Weight of what looking ahead promises beside how well a step follows from what was just said; chosen on development
cases."""
_ECHOED = frozenset({Step.FOLLOW, Step.THOUGHT, Step.MEANING, Step.COPE})
"""Steps that ask about what has just been said: only before these are the patient's words said back."""


def planned(
    understanding: Understanding, belief: Belief, memory: Memory, model: Model, *, turns: int, looks: bool = True
) -> Plan:
    """The next turn's plan. With `looks` off (the ablation) the first step that makes sense is taken, unweighed."""
    if understanding.forced is not None:
        step, lead, reason = understanding.forced
        return Plan(step, lead, reason)
    if not looks:
        step = understanding.steps[0]
        return Plan(step, _lead_for(step, understanding.leads[0]), "what is due")
    now = planner_state(belief, turns - memory.number + 1, barren(memory, belief))
    options = [(_lead_for(step, lead), step) for step in understanding.steps for lead in understanding.leads]
    promised = valued(now, list(dict.fromkeys(options)), model)
    worth = ((AHEAD * value + understanding.fits[step], lead, step) for value, lead, step in promised)
    ranked = sorted(worth, key=lambda option: -option[0])
    value, lead, step = ranked[0]
    return Plan(
        step,
        lead,
        _why(step, lead, understanding),
        value=round(value, 3),
        considered=tuple((step.value, lead.value, round(worth, 2)) for worth, lead, step in ranked[:SHOWN]),
    )


def _lead_for(step: Step, lead: Lead) -> Lead:
    """The lead that goes with a step: weighing is led in by the patient's own facts."""
    if step is Step.WEIGH:
        return Lead.SUMMARY
    return lead if step in _ECHOED else Lead.NONE


def _why(step: Step, lead: Lead, understanding: Understanding) -> str:
    """The plan in words."""
    missing = (
        f"missing: {', '.join(understanding.missing)}" if understanding.missing else "nothing essential is missing"
    )
    led = "" if lead is Lead.NONE else f" after {lead.value.replace('_', ' ')}"
    return f"{step.value.replace('_', ' ')}{led} follows best from the last reply and what it promises ({missing})"

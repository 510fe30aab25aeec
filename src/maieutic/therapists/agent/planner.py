"""The planner: weighs the steps that make sense by what they are expected to bring over the next turns, and takes the best."""

from __future__ import annotations

from maieutic.therapists.agent.memory import Memory
from maieutic.therapists.agent.outlook import Model, outlook, valued
from maieutic.therapists.agent.reasoner import Understanding
from maieutic.therapists.agent.steps import Lead, Plan, Step
from maieutic.tracking.belief import Belief

SHOWN = 6
_NO_LEAD = frozenset({Step.LEAD_BACK, Step.REPAIR, Step.PROVE, Step.DONT_KNOW})
_SEARCHES = (Step.AGAINST, Step.ELSE, Step.FOLLOW, Step.PROVE)


def planned(
    understanding: Understanding, belief: Belief, memory: Memory, model: Model, *, turns: int, looks: bool = True
) -> Plan:
    """The next turn's plan. With `looks` off (the ablation) the first step that makes sense is taken, unweighed."""
    if understanding.forced is not None:
        step, lead, reason = understanding.forced
        return Plan(step, lead, reason)
    if not looks:
        step = _by_order(understanding.steps)
        return Plan(
            step,
            _lead_for(step, understanding.leads[0], belief),
            "the first thing that is missing",
            about=understanding.about,
        )
    now = outlook(belief, turns - memory.number + 1, dry(memory, belief))
    options = [(_lead_for(step, lead, belief), step) for step in understanding.steps for lead in understanding.leads]
    ranked = valued(now, list(dict.fromkeys(options)), model)
    value, lead, step = ranked[0]
    return Plan(
        step,
        lead,
        _why(step, lead, understanding),
        value=round(value, 3),
        considered=tuple((step.value, lead.value, round(worth, 2)) for worth, lead, step in ranked[:SHOWN]),
        about=understanding.about,
    )


def _lead_for(step: Step, lead: Lead, belief: Belief) -> Lead:
    """The lead that goes with a step: weighing is led in by the patient's own facts."""
    if step in _NO_LEAD:
        return Lead.NONE
    if step in (Step.WEIGH, Step.ALTERNATIVE) and belief.facts:
        return Lead.SUMMARY
    return lead


_ORDER = (
    Step.THOUGHT, Step.MEANING, Step.FEELING, Step.RATE, Step.COPE, Step.WEIGH, Step.AGAINST, Step.ELSE, Step.ALTERNATIVE,
    Step.PLAN, Step.FOLLOW,
)  # fmt: skip


def _by_order(steps: tuple[Step, ...]) -> Step:
    return next((step for step in _ORDER if step in steps), steps[0])


def dry(memory: Memory, belief: Belief) -> int:
    """Searches in a row, up to now, that brought no fact."""
    found = {said.exchange for said in belief.facts if said.chance >= 0.5}
    count = 0
    for number in range(len(memory.steps), 0, -1):
        if memory.steps[number - 1] not in _SEARCHES:
            continue
        if number in found:
            break
        count += 1
    return count


def _why(step: Step, lead: Lead, understanding: Understanding) -> str:
    """The plan in words."""
    missing = (
        f"missing: {', '.join(understanding.missing)}" if understanding.missing else "nothing essential is missing"
    )
    return f"{step.value.replace('_', ' ')} after {lead.value.replace('_', ' ')} promises most now ({missing})"

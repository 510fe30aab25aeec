"""The planner: of the steps that may be taken, the one that promises most by what was learned of their worth."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from maieutic.therapists.agent.reasoner import Understanding
from maieutic.therapists.agent.steps import Lead, Plan, Step
from maieutic.therapists.agent.value import CHOSEN, KINDS, worths

SHOWN = 6
DRAWN = "drawn among what may be taken"
"""Reason of a step that was drawn."""
_ECHOED = frozenset({Step.FOLLOW, Step.THOUGHT, Step.MEANING, Step.COPE})
"""Steps that ask about what has just been said: only before these are the patient's words said back."""


def planned(understanding: Understanding, *, looks: bool = True, draws: Random | None = None) -> Plan:
    """The next turn's plan. With `looks` off (the ablation) the first step of the agenda is taken, unweighed.

    Given `draws`, first a kind of step and then one of it is drawn among those that may be taken: sessions to learn
    worths from.
    """
    if understanding.forced is not None:
        step, lead, reason = understanding.forced
        return Plan(step, lead, reason)
    steps, lead = understanding.steps, understanding.leads[0]
    if draws is not None:
        kinds = [kind for kind in KINDS if kind & set(steps)] or [frozenset(steps)]
        drawn = draws.choice(kinds)
        step = draws.choice([one for one in steps if one in drawn])
        return Plan(step, _lead_for(step, lead), DRAWN)
    if not looks or len(steps) == 1 or not set(steps) <= set(CHOSEN):
        return Plan(steps[0], _lead_for(steps[0], lead), "what is due")
    promised = worths(understanding.known, steps)
    ranked = sorted(steps, key=lambda step: -promised[step])
    return _weighed(ranked, promised, understanding)


def _weighed(ranked: list[Step], promised: Mapping[Step, float], understanding: Understanding) -> Plan:
    step, lead = ranked[0], understanding.leads[0]
    return Plan(
        step,
        _lead_for(step, lead),
        _why(step, _lead_for(step, lead), understanding),
        value=round(promised[step], 3),
        considered=tuple((one.value, _lead_for(one, lead).value, round(promised[one], 2)) for one in ranked[:SHOWN]),
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
    return f"{step.value.replace('_', ' ')}{led} promises most of what may be asked now ({missing})"

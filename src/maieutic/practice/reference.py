"""The reference diagram of a case for the situation that was talked about; it leaves the server only after handing in."""

from __future__ import annotations

from maieutic.domain.case import Case
from maieutic.evaluation.plan import drawn_situation
from maieutic.practice.model import Formulation
from maieutic.serving.patient import RUN_SEED


def reference(case: Case, seed: int, heard: frozenset[str]) -> Formulation:
    """The diagram as a formulation; of the evidence, the facts that came up (`heard`: their ids)."""
    situation = case.situation(drawn_situation(case, RUN_SEED, seed))
    beliefs = case.intermediate_beliefs
    return Formulation(
        situations=(situation.happened,),
        automatic_thoughts=(situation.automatic_thought,),
        emotions=tuple(f"{one.group} ({one.intensity:.0f} of 100)" for one in situation.emotions),
        behaviours=(situation.behaviour,),
        core_beliefs=tuple(one.statement for one in case.core_beliefs),
        intermediate_beliefs=(*beliefs.attitudes, *beliefs.rules, *beliefs.assumptions),
        coping=case.coping,
        evidence_heard=tuple(one.fact for one in situation.evidence if one.id in heard),
    )


__all__ = ["reference"]

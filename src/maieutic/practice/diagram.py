"""The diagram of a case as the reference that a formulation is held against, for the situation in play."""

from __future__ import annotations

from collections.abc import Collection

from maieutic.domain.case import Case
from maieutic.domain.question_form import QuestionForm
from maieutic.domain.state import CognitiveState
from maieutic.practice.model import Formulation


def diagram(case: Case, situation: str, heard: Collection[str] = ()) -> Formulation:
    """The reference, field by field.

    Args:
        case: The case.
        situation: Id of the situation that was in play.
        heard: Ids of the facts that the patient told (`heard_from`); the evidence is what could be heard, not what
            there is.

    Meanings are the memories that the case words as what it means to the patient; where it has none, what the core
    belief says. Departure from Beck's diagram: one situation, not three.
    """
    here, beliefs = case.situation(situation), case.intermediate_beliefs
    units = () if case.memory is None else case.memory.within(situation)
    meanings = tuple(unit.said for unit in units if QuestionForm.MEANING in unit.forms)
    return Formulation(
        situations=(here.happened,),
        automatic_thoughts=(here.automatic_thought,),
        meanings=meanings or tuple(one.statement for one in case.core_beliefs),
        emotions=tuple(one.group for one in here.emotions),
        behaviours=(here.behaviour,),
        core_beliefs=tuple(one.statement for one in case.core_beliefs),
        intermediate_beliefs=(*beliefs.attitudes, *beliefs.rules, *beliefs.assumptions),
        coping=case.coping,
        evidence_heard=tuple(one.fact for one in here.evidence if one.id in heard),
    )


def heard_from(last: CognitiveState) -> frozenset[str]:
    """Ids of the facts that the patient, and not the therapist, has told."""
    return frozenset(one.evidence for one in last.voiced if one.by == "patient")

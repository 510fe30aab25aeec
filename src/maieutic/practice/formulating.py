"""A trainee's formulation: saved as it is written, handed in once, and then shown beside the reference."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any

from sqlalchemy.orm import Session

from maieutic.domain.appraisal import QuestionForm
from maieutic.domain.case import Case
from maieutic.domain.state import CognitiveState
from maieutic.evaluation.plan import drawn_situation
from maieutic.practice.accounts import note
from maieutic.practice.formulation import score
from maieutic.practice.minds import episode_of
from maieutic.practice.model import FIELDS, Formulation, FormulationScore
from maieutic.practice.tables import Spoken, Talk, Written, now
from maieutic.serving.patient import RUN_SEED


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


LONGEST = 4_000
"""Characters of one field."""


def formulation_of(body: Mapping[str, Any]) -> Formulation:
    """A formulation from what was kept or sent: one entry a line."""
    fields = {
        name: tuple(line.strip() for line in str(body.get(name, "")).splitlines() if line.strip()) for name in FIELDS
    }
    return Formulation(**fields)


def written(db: Session, talk: Talk) -> Written | None:
    """The formulation of a session as it was last saved."""
    return db.get(Written, talk.id)


def save(db: Session, talk: Talk, form: Mapping[str, str], done: bool) -> None:
    """Keep a formulation; one that was handed in stays as it was."""
    found = db.get(Written, talk.id)
    if found is None:
        found = Written(talk_id=talk.id, body={})
        db.add(found)
    if found.handed_in is not None:
        return
    found.body = {name: form.get(name, "")[:LONGEST] for name in FIELDS}
    found.saved = now()
    if done:
        found.handed_in = now()
        note(db, talk.user_id, "formulation handed in", talk.id)


def handed_in(
    case: Case, form: Written, turns: Sequence[Spoken], seed: int, others: Sequence[Case]
) -> tuple[Formulation, Formulation, FormulationScore]:
    """A formulation that was handed in, the reference, and the score with the chance line of other cases."""
    episode = episode_of([one.lines for one in turns if one.lines is not None], case, seed)
    heard = heard_from(episode.states[-1]) if episode.states else frozenset()
    wanted = diagram(case, drawn_situation(case, RUN_SEED, seed), heard)
    strangers = [
        diagram(one, one.situations[0].id, [fact.id for fact in one.situations[0].evidence][:3])
        for one in others
        if one.id.partition("@")[0] != case.id.partition("@")[0]
    ]
    given = formulation_of(form.body)
    return given, wanted, score(given, wanted, strangers, Random(seed))

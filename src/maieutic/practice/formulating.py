"""A trainee's formulation: saved as it is written, handed in once, and then shown beside the reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from sqlalchemy.orm import Session

from maieutic.domain.case import Case
from maieutic.evaluation.plan import drawn_situation
from maieutic.practice.accounts import note
from maieutic.practice.diagram import diagram, heard_from
from maieutic.practice.formulation import score
from maieutic.practice.minds import episode_of
from maieutic.practice.model import FIELDS, Formulation, FormulationScore
from maieutic.practice.tables import Spoken, Talk, Written, now
from maieutic.serving.patient import RUN_SEED

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


__all__ = ["formulation_of", "handed_in", "save", "written"]

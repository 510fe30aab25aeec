"""A trainee's formulation: saved as it is written, handed in once, and then shown beside the reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from maieutic.domain.case import Case
from maieutic.practice.accounts import note
from maieutic.practice.minds import episode_of
from maieutic.practice.model import FIELDS, Formulation
from maieutic.practice.reference import reference
from maieutic.practice.tables import Spoken, Talk, Written, now

LONGEST = 4_000
"""Characters of one field."""


def formulation_of(body: Mapping[str, Any]) -> Formulation:
    """A formulation from what was kept or sent: one entry a line."""
    fields = {
        name: tuple(line.strip() for line in str(body.get(name, "")).splitlines() if line.strip()) for name in FIELDS
    }
    return Formulation(**fields)  # type: ignore[arg-type]


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


def handed_in(case: Case, form: Written, turns: Sequence[Spoken], seed: int) -> tuple[Formulation, Formulation]:
    """A formulation that was handed in, and the reference."""
    episode = episode_of([one.lines for one in turns if one.lines is not None], case, seed)
    heard = frozenset(one.evidence for one in episode.states[-1].voiced) if episode.states else frozenset()
    return formulation_of(form.body), reference(case, seed, heard)


__all__ = ["formulation_of", "handed_in", "save", "written"]

"""What people said in practice, said again to the same patient: an arm beside models, so that sessions can be
compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from maieutic.domain.episode import Ending, Session, Turn
from maieutic.domain.randomness import derive_seed
from maieutic.errors import InputError, WrongReply, why
from maieutic.registry import therapist

KNOWN_AS = "people"
RUN_SEED = 0
"""The run seed under which practice plays its patients (`serving.patient`); in a run with another nobody is met
again."""


@therapist(KNOWN_AS)
@dataclass(frozen=True, slots=True)
class People:
    """Says word for word what people said to this patient in practice, as long as the patient answers as then.

    Patients are drawn from the case and the seed, whoever talks to them. A patient who answers otherwise than in
    practice (other weights, another version, a model that words them) ends the session as failed: nobody said the next
    turn to that.

    Attributes:
        name: Of the arm.
        sessions: By the seed of a session in a run, what was said: (speaker, text) in order.
    """

    name: str
    sessions: Mapping[int, Sequence[tuple[str, str]]]

    needs_model = True
    people = True
    elsewhere = True

    @property
    def known_as(self) -> str:
        """People draw nothing; the name makes the seed of a session the same for all of them."""
        return KNOWN_AS

    async def respond(self, session: Session) -> Turn:
        """The next turn of the person who met this patient. Raises `WrongReply` where nobody did, or it answers
        otherwise."""
        spoken = [(turn.speaker, turn.text) for turn in session.turns]
        kept = self.sessions.get(session.seed)
        if kept is None:
            raise WrongReply(
                "nobody of this export talked to this patient: name the cases that were practised, --run-seed 0"
            )
        if list(kept[: len(spoken)]) != spoken:
            raise WrongReply(f"the patient answers otherwise than in practice, from turn {len(spoken) // 2} on")
        if len(kept) == len(spoken):
            return Turn("therapist", "", ending=Ending("completed", "the session in practice ended here"))
        return Turn("therapist", kept[len(spoken)][1])

    @classmethod
    def read(cls, place: str) -> People:
        """`FILE.jsonl[#PERSON]`, an export of a class → the arm. Branches are left out: they are second tries.

        Raises:
            InputError: no such export or person, or two sessions with one patient and nobody named.
        """
        file, _, person = place.partition("#")
        rows = _rows(Path(file))
        persons = sorted({row["person"] for row in rows})
        if person and person not in persons:
            raise InputError(f"nobody is called {person!r} in {file}; it has {', '.join(persons) or 'nobody'}")
        talks: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            if row["branch_of"] is None and row["person"] == (person or row["person"]):
                talks.setdefault(row["session"], []).append(row)
        found: dict[int, tuple[tuple[str, str], ...]] = {}
        for own in talks.values():
            seed = derive_seed(RUN_SEED, own[0]["case_id"], own[0]["seed"], "therapist", KNOWN_AS)
            if seed in found and not person:
                raise InputError(
                    f"several people talked to {own[0]['case_id']} with seed {own[0]['seed']}; make an arm of each, "
                    f"for example people:{file}#{persons[0]}"
                )
            found.setdefault(seed, tuple((row["speaker"], row["text"]) for row in own))
        return cls(person or KNOWN_AS, found)


def _rows(file: Path) -> list[dict[str, Any]]:
    try:
        rows = [orjson.loads(line) for line in file.read_bytes().splitlines()]
    except (OSError, orjson.JSONDecodeError) as error:
        told = why(error) if isinstance(error, OSError) else "it is no JSONL"
        raise InputError(f"{file} cannot be read as an export of a class: {told}") from error
    needed = {"person", "session", "case_id", "seed", "speaker", "text", "branch_of"}
    if missing := sorted(needed - set(rows[0])) if rows else sorted(needed):
        raise InputError(f"{file} is no export of a class as JSONL: it has no {', '.join(missing)}")
    return rows

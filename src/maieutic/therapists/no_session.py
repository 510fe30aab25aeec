"""The arm without a session: the patient is left alone for as long as a session would take."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Ending, Session, Turn
from maieutic.registry import therapist


@therapist("no_session")
@dataclass(frozen=True, slots=True)
class NoSession:
    """Marks the dialogue loop to leave the patient alone; every other arm's effect is a difference to this one."""

    name: str = "no_session"
    absent: bool = True

    async def respond(self, session: Session) -> Turn:
        """Says nothing and ends; only reached when somebody talks to it by hand."""
        return Turn("therapist", "", Ending("completed", "no session"))

"""What the pages show of a session: the feedback, the formulation's score, and the agent beside the trainee."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.exc import IntegrityError

from maieutic.domain.case import Case
from maieutic.domain.episode import Episode
from maieutic.library import case_hash
from maieutic.practice.feedback import curve, turns_told
from maieutic.practice.minds import Minds, episode_of
from maieutic.practice.model import ASSUMPTION, Point
from maieutic.practice.storage import Storage
from maieutic.practice.tables import Comparator, Talk

_AGENT, _ORACLE = "socratic", "oracle"


@dataclass(frozen=True, slots=True)
class Beside:
    """One therapist on the same case and seed. `moved` is the change of held conviction in points."""

    who: str
    turns: int
    moved: float
    curve: tuple[Point, ...]


def compared(
    storage: Storage, minds: Minds, case: Case, talk: Talk, episode: Episode, *, oracle: bool
) -> tuple[Beside, ...]:
    """The trainee, the agent and, where the teacher allows it, the oracle on the same patient, over as many turns."""
    turns = max(1, len(episode.states) - 1)
    found = [_beside("you", episode)]
    for name in (_AGENT, *([_ORACLE] if oracle else [])):
        key = f"{case_hash(case)} {talk.seed} {turns} {name}"
        with storage.begin() as db:
            kept = db.get(Comparator, key)
        lines = kept.lines.splitlines() if kept is not None else minds.compared(case, talk.seed, name, turns)
        if kept is None:
            try:
                with storage.begin() as db:
                    db.add(Comparator(key=key, lines=b"\n".join(line.strip() for line in lines)))
            except IntegrityError:
                pass  # somebody else asked for the same comparison at the same time
        shown = "the agent" if name == _AGENT else "the oracle, which sees the case"
        found.append(_beside(shown, episode_of(lines, case, talk.seed, name)))
    return tuple(found)


def _beside(who: str, episode: Episode) -> Beside:
    points = curve(episode)
    return Beside(who, len(points) - 1, points[-1].conviction - points[0].conviction, points)


__all__ = ["ASSUMPTION", "Beside", "compared", "curve", "turns_told"]

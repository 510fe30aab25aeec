"""A kept session beside the agent's, and held against the goal it was begun with."""

from __future__ import annotations

from sqlalchemy.exc import IntegrityError

from maieutic.domain.case import Case
from maieutic.domain.episode import Episode
from maieutic.library import case_hash
from maieutic.practice.beside import comparisons
from maieutic.practice.exercise import GOALS_BY_ID, NO_GOAL, goal_met
from maieutic.practice.minds import Minds, episode_of
from maieutic.practice.model import Comparison, GoalMet
from maieutic.practice.storage import Storage
from maieutic.practice.tables import Comparator, Talk

_AGENT, _ORACLE = "socratic", "oracle"


def compared(
    storage: Storage, minds: Minds, case: Case, talk: Talk, episode: Episode, *, oracle: bool
) -> tuple[Comparison, ...]:
    """The trainee, the agent and, where the teacher allows it, the oracle on the same patient, over as many turns."""
    turns = max(1, len(episode.states) - 1)
    others: dict[str, Episode] = {}
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
        shown = "the agent" if name == _AGENT else "the oracle"
        others[shown] = episode_of(lines, case, talk.seed, name)
    return comparisons(episode, case, others)


def goal_of(talk: Talk, episode: Episode) -> GoalMet | None:
    """How far the goal of an exercise was met; None where none was set."""
    return None if talk.goal == NO_GOAL else goal_met(GOALS_BY_ID[talk.goal], episode)


__all__ = ["compared", "goal_of"]

"""What the pages show of a session: the feedback, the formulation's score, and the agent beside the trainee."""

from __future__ import annotations

from sqlalchemy.exc import IntegrityError

from maieutic.domain.case import Case
from maieutic.domain.episode import Episode
from maieutic.library import case_hash
from maieutic.practice.beside import comparisons
from maieutic.practice.exercise import GOALS as EXERCISE_GOALS
from maieutic.practice.exercise import GOALS_BY_ID, goal_met
from maieutic.practice.feedback import curve, turns_told
from maieutic.practice.minds import Minds, episode_of
from maieutic.practice.model import ASSUMPTION, Comparison, GoalMet
from maieutic.practice.storage import Storage
from maieutic.practice.tables import Comparator, Talk

_AGENT, _ORACLE = "socratic", "oracle"


NO_GOAL = "none"
GOALS = {NO_GOAL: "No particular goal", **{one.id: one.text for one in EXERCISE_GOALS}}
"""Goals that can be chosen, as they are read."""


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


__all__ = ["ASSUMPTION", "GOALS", "compared", "curve", "goal_of", "turns_told"]

"""A session beside others (the agent and the oracle on the same case and seed, earlier sessions) and its goal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy.exc import IntegrityError

from maieutic.domain.case import Case
from maieutic.domain.episode import Episode
from maieutic.library import case_hash
from maieutic.measures.definition import EpisodeMeasure
from maieutic.practice.exercise import GOALS_BY_ID, NO_GOAL, goal_met
from maieutic.practice.feedback import known
from maieutic.practice.minds import Minds, episode_of
from maieutic.practice.model import Compared, Comparison, GoalMet, Growth
from maieutic.practice.storage import Storage
from maieutic.practice.tables import Comparator, Talk
from maieutic.registry import load_measures

COMPARED: Final = (
    "conviction_change",
    "evidence_reached",
    "openness_change",
    "open_among_asking_turns",
    "stacked_or_leading",
)
"""Measures on which sessions are put side by side: what moved, what came to light, and how it was asked."""


def _measures(names: Sequence[str]) -> list[EpisodeMeasure]:
    own = {one.id: one for one in load_measures() if isinstance(one, EpisodeMeasure)}
    return [own[name] for name in names]


def comparisons(
    own: Episode, case: Case, others: Mapping[str, Episode], names: Sequence[str] = COMPARED
) -> tuple[Comparison, ...]:
    """The trainee and other therapists by the same measures; only for after the formulation is handed in.

    Args:
        own: The trainee's session.
        case: The case.
        others: Sessions on the same case and seed, by the name of the therapist.
        names: Ids of measures.
    """
    everybody = {"you": known(own, case), **{who: known(one, case) for who, one in others.items()}}
    found = []
    for measure in _measures(names):
        scores = {who: measure(one) for who, one in everybody.items()}
        rows = tuple(
            Compared(who, bool(everybody[who].provenance.get("privileged")) or who == "oracle", one.value, one.reason)
            for who, one in scores.items()
        )
        found.append(Comparison(measure.id, measure.meaning, measure.unit, measure.better, rows))
    return tuple(found)


def growth(sessions: Sequence[tuple[Episode, Case]], names: Sequence[str] = COMPARED) -> tuple[Growth, ...]:
    """A person's sessions in the order they were held, by the same measures; growth within this simulation."""
    ready = [known(episode, case) for episode, case in sessions]
    return tuple(
        Growth(one.id, one.meaning, one.unit, one.better, tuple(one(episode).value for episode in ready))
        for one in _measures(names)
    )


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

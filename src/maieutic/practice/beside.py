"""A session beside others: the agent and the oracle on the same case and seed, and earlier sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from maieutic.domain.case import Case
from maieutic.domain.episode import Episode
from maieutic.measures.definition import EpisodeMeasure
from maieutic.practice.feedback import known
from maieutic.practice.model import Compared, Comparison, Growth
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

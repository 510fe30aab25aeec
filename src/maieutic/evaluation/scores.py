"""Applies the registered measures to episodes and writes the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from maieutic.domain.episode import Episode, EpisodeKey, Score
from maieutic.evaluation.summary import EpisodeScore, Summary, group_of
from maieutic.measures.definition import score_of
from maieutic.registry import load_measures
from maieutic.runs.files import write_parquet

_SCHEMA = {
    "therapist": "String",
    "case": "String",
    "seed": "Int64",
    "group": "String",
    "measure": "String",
    "value": "Float64",
    "unit": "String",
    "reason": "String",
    "evidence": "String",
}


Scores = Mapping[str, Score]
"""Of one episode, by measure."""


def score_episodes(
    episodes: Sequence[Episode], measures: tuple[str, ...] = (), *, known: Mapping[EpisodeKey, Scores] | None = None
) -> list[EpisodeScore]:
    """Every measure on every episode; a failed dialogue is missing with its reason, never a number.

    Args:
        known: Scores of these measures that were computed where the dialogue was played.
    """
    chosen, known = load_measures(measures), known or {}
    return [
        EpisodeScore(
            episode.key, group_of(episode), known.get(episode.key, {}).get(measure.id) or score_of(measure, episode)
        )
        for episode in sorted(episodes, key=lambda e: e.key)
        for measure in chosen
    ]


def write_scores(folder: Path, scores: Sequence[EpisodeScore]) -> None:
    """scores.parquet: one row an episode and measure."""
    rows = [
        {
            **item.key._asdict(),
            "group": item.group,
            "measure": item.score.measure,
            "value": item.score.value,
            "unit": item.score.unit,
            "reason": item.score.reason,
            "evidence": ",".join(map(str, item.score.evidence)),
        }
        for item in scores
    ]
    write_parquet(folder / "scores.parquet", rows, _SCHEMA)


def scores_json(summary: Summary) -> list[dict[str, Any]]:
    """What a CI gate reads: one entry a measure and group; special cases are groups of their own.

    `cleaned.SPEAKER.KIND` is the share of turns in which something was made plain; there is no entry where nothing was.
    """
    return [
        {
            "measure": row.measure,
            "group": row.therapist if row.group == "regular" else f"{row.therapist} [{row.group}]",
            "value": row.interval.estimate,
            "low": row.interval.low,
            "high": row.interval.high,
            "n": row.interval.n,
            "missing": sum(row.missing.values()),
        }
        for row in summary.rows
    ] + [
        {
            "measure": f"cleaned.{one.speaker}.{kind}",
            "group": one.therapist,
            "value": count / one.turns,
            "low": None,
            "high": None,
            "n": one.turns,
            "missing": 0,
        }
        for one in summary.cleaned
        for kind, count in one.counts.items()
    ]

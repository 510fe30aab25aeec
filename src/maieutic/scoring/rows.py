"""Columns and rows of the tables in the run folder of `score`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from maieutic.domain.episode import Score
from maieutic.scoring.coded import LABELS, CodedTranscript, CodedTurn
from maieutic.scoring.doubt import Forms, Readings, forms_of, readings_of
from maieutic.scoring.session_measures import chance_of_open
from maieutic.transcripts.utterance import Transcript

_OPEN = 7 + len(LABELS)
"""Where `p_open` stands in a row of turns."""


def turn_schema(keep_text: bool) -> dict[str, Any]:
    """Columns of turns.parquet; what was said only where it was asked for."""
    import polars as pl

    schema: dict[str, Any] = {
        "source": pl.String,
        "session": pl.String,
        "index": pl.Int32,
        "speaker": pl.String,
        "words": pl.Int32,
        "predicted": pl.String,
        "sure": pl.Boolean,
    }
    schema |= {f"p_{label}": pl.Float64 for label in LABELS} | {"p_open": pl.Float64}
    return schema | ({"text": pl.String} if keep_text else {})


def score_schema() -> dict[str, Any]:
    """Columns of scores.parquet."""
    import polars as pl

    return {
        "source": pl.String,
        "session": pl.String,
        "group": pl.String,
        "measure": pl.String,
        "value": pl.Float64,
        "unit": pl.String,
        "reason": pl.String,
        "evidence": pl.List(pl.Int32),
    }


def session_schema() -> dict[str, Any]:
    """Columns of sessions.parquet: every session that was read, scored or not."""
    import polars as pl

    return {
        "source": pl.String,
        "session": pl.String,
        "group": pl.String,
        "scored": pl.Boolean,
        "reason": pl.String,
        "turns": pl.Int32,
        "words": pl.Int32,
        "notes": pl.List(pl.String),
    }


def turn_rows(coded: CodedTranscript, texts: Sequence[str] | None) -> list[tuple[Any, ...]]:
    """One row a turn, in the order of the columns; `texts` is what is to be kept of what was said, or None."""
    one = coded.transcript
    return [
        (one.source, one.id, turn.index, turn.speaker, turn.words, turn.label, turn.sure)
        + tuple(turn.probabilities.get(label) for label in LABELS)
        + (open_of(turn),)
        + (() if texts is None else (texts[place],))
        for place, turn in enumerate(coded.turns)
    ]


def readings_of_rows(rows: Sequence[Sequence[Any]]) -> list[Readings]:
    """What each coded turn may be, from its row."""
    return [
        readings_of(label, sure, dict(zip(LABELS, probabilities, strict=False)))
        for _, _, _, _, _, label, sure, *probabilities in rows
        if label is not None
    ]


def open_of(turn: CodedTurn) -> float | None:
    """Probability that the question of a turn is open; None where the turn can be no question."""
    if turn.label is None or "question" not in readings_of(turn.label, turn.sure, turn.probabilities):
        return None
    return chance_of_open(turn)


def forms_of_rows(rows: Sequence[Sequence[Any]]) -> list[Forms]:
    """What the question of each coded turn may be, from its row."""
    return [forms_of(row[_OPEN]) for row in rows if row[5] is not None]


def score_row(one: Transcript, score: Score) -> tuple[Any, ...]:
    """One row a measure."""
    evidence = list(score.evidence)
    return one.source, one.id, one.group, score.measure, score.value, score.unit, score.reason, evidence


def session_row(one: Transcript, reason: str | None) -> tuple[Any, ...]:
    """One row a session."""
    return one.source, one.id, one.group, reason is None, reason, len(one.utterances), one.words, list(one.notes)

"""The tables of a run: `episodes.parquet` and `turns.parquet`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from maieutic.domain.episode import Episode, Turn
from maieutic.runs.files import write_parquet


def _json(value: Any) -> str | None:
    return (
        None if value is None else orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SORT_KEYS).decode()
    )


def write_tables(folder: Path, episodes: Sequence[Episode]) -> None:
    """episodes.parquet and turns.parquet, sorted by (therapist, case, seed, turn); no clock, host or path.

    turns.parquet has a column `original` where a turn was made plain.
    """
    ordered = sorted(episodes, key=lambda e: e.key)
    write_parquet(folder / "episodes.parquet", [_episode_row(e) for e in ordered], _EPISODE_SCHEMA)
    rows = [row for e in ordered for row in _turn_rows(e)]
    written = {"original": "String"} if any(row["original"] is not None for row in rows) else {}
    write_parquet(folder / "turns.parquet", rows, _TURN_SCHEMA | written)


_EPISODE_SCHEMA = {
    "therapist": "String",
    "case": "String",
    "seed": "Int64",
    "ending": "String",
    "reason": "String",
    "therapist_turns": "Int64",
    "held_start": "Float64",
    "held_end": "Float64",
    "calls": "Int64",
    "input_tokens": "Int64",
    "output_tokens": "Int64",
    "provenance": "String",
}
_TURN_SCHEMA = {
    "therapist": "String",
    "case": "String",
    "seed": "Int64",
    "turn": "Int64",
    "speaker": "String",
    "text": "String",
    "moves": "String",
    "act": "String",
    "held": "Float64",
    "stated": "Float64",
    "core": "Float64",
    "distress": "Float64",
    "openness": "Float64",
    "reactance": "Float64",
    "goal": "Float64",
    "task": "Float64",
    "bond": "Float64",
    "code": "String",
    "appraisal": "String",
    "state": "String",
    "trace": "String",
}
_STATE_COLUMNS = ("held", "stated", "core", "distress", "openness", "reactance", "goal", "task", "bond")


def _episode_row(episode: Episode) -> dict[str, Any]:
    usages = [t.usage for t in episode.session.turns if t.usage is not None]
    states = episode.states
    return {
        **episode.key._asdict(),
        "ending": episode.ending.kind,
        "reason": episode.ending.reason,
        "therapist_turns": len(episode.therapist_turns),
        "held_start": states[0].held if states else None,
        "held_end": states[-1].held if states else None,
        "calls": sum(u.calls for u in usages),
        "input_tokens": _total(u.input_tokens for u in usages),
        "output_tokens": _total(u.output_tokens for u in usages),
        "provenance": _json(episode.provenance),
    }


def _total(counts: Iterator[int | None]) -> int | None:
    known = list(counts)
    return None if not known or any(c is None for c in known) else sum(c for c in known if c is not None)


def _turn_rows(episode: Episode) -> Iterator[dict[str, Any]]:
    """One row an utterance; a state stands in the row of the patient turn that follows from it."""
    turns = episode.session.turns
    if not turns and episode.states:
        turns = (Turn("patient", ""),) * len(episode.states)
    spoken = therapist_turns = 0
    for index, turn in enumerate(turns):
        row: dict[str, Any] = {
            **episode.key._asdict(),
            "turn": index,
            "speaker": turn.speaker,
            "text": turn.text,
            "trace": _json(turn.trace),
            "original": turn.original,
        }
        if turn.speaker == "therapist":
            code, appraisal = _at(episode.codes, therapist_turns), _at(episode.appraisals, therapist_turns)
            row |= {"code": _json(code), "appraisal": _json(appraisal)}
            row["moves"] = None if code is None else "|".join(code.moves)
            therapist_turns += 1
        else:
            state = _at(episode.states, spoken)
            spoken += 1
            if state is not None:
                row |= {name: getattr(state, name) for name in _STATE_COLUMNS}
                row |= {"act": state.intent.act.value, "state": _json(state)}
        yield row


def _at(items: Sequence[Any], index: int) -> Any:
    return items[index] if index < len(items) else None

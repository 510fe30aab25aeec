"""The tables of a run folder."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import polars as pl

from maieutic.dialogue import converse
from maieutic.evaluation.tables import write_tables
from maieutic.registry import load_therapist
from talks import Speaker, make_patient, make_talk


def test_tables_are_sorted_typed_and_free_of_clock_host_and_path(tmp_path: Path) -> None:
    therapists = (Speaker("z"), Speaker("a", ends_at=1), Speaker("m", breaks_at=1), load_therapist("no_session"))
    episodes = [
        asyncio.run(converse(make_talk(t, make_patient(), turns=3, seed=s), guarded=True))
        for t in therapists
        for s in (1, 0)
    ]
    write_tables(tmp_path, episodes)
    first = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    write_tables(tmp_path, episodes[::-1])
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == first
    rows = pl.read_parquet(tmp_path / "episodes.parquet")
    turns = pl.read_parquet(tmp_path / "turns.parquet")
    assert rows.select("therapist", "seed").rows() == sorted(rows.select("therapist", "seed").rows())
    keys = turns.select("therapist", "case", "seed", "turn").rows()
    assert keys == sorted(set(keys))
    closed = rows.filter(pl.col("therapist") == "a").row(0, named=True)
    assert (closed["ending"], closed["therapist_turns"], closed["calls"]) == ("completed", 2, 2)
    broken = rows.filter(pl.col("therapist") == "m").row(0, named=True)
    assert (broken["ending"], broken["reason"]) == ("failed", "ZeroDivisionError: a bug of its own")
    alone = turns.filter((pl.col("therapist") == "no_session") & (pl.col("seed") == 0))
    assert alone["held"].to_list() == [
        s.held for s in next(e for e in episodes if e.key[::2] == ("no_session", 0)).states
    ]
    spoken = turns.filter((pl.col("therapist") == "z") & (pl.col("seed") == 1))
    expected = next(e for e in episodes if e.key[::2] == ("z", 1))
    assert spoken["text"].to_list() == [t.text for t in expected.session.turns]
    assert spoken["held"].drop_nulls().to_list() == [s.held for s in expected.states]
    assert not any(str(tmp_path).encode() in data or os.uname().nodename.encode() in data for data in first.values())

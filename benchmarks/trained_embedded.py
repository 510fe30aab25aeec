"""A model trained in an afternoon: does the packaged model, taught the turns of a script, move patients whom it has not met?

    python benchmarks/trained_embedded.py          # plays the teacher, trains, plays test cases, writes the result

The plan, written before the training, is `benchmarks/plans/trained_embedded.md`. Everything goes through the commands that a user
has. Runs that are there are not made again, and one that was stopped is gone on with.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from maieutic.library import select_cases
from maieutic.models.trained import GGUF_ADAPTER, read_card

RESULTS = Path(__file__).parent / "results"
TEACHER = "padesky_script"
SETTINGS = "--steps 60 --rank 4 --layers 15 --rate 1e-3 --length 768 --precision bfloat16".split()
TURNS = 12
CASES = 12
TOKENS = 72
LARGEST = 1_500_000
"""Bytes of an adapter that could go into the package."""
BESIDE = ("wide", "worksheet", TEACHER, "no_session")
MEASURES = ("advice_before_exploration", "open_among_asking_turns", "turns_that_reflect", "words_per_turn")


def test_cases() -> list[str]:
    """The first test cases by id that stand in arm means."""
    return sorted(case.id for case in select_cases(split="test") if case.special is None)[:CASES]


def played(out: Path, arms: Sequence[str], cases: Sequence[str], *more: str) -> Path:
    """The run folder of the arms; played, or played to its end, where it is not whole."""
    if (out / "manifest.json").exists():
        maieutic("evaluate", "--resume", str(out))
        return out
    names = [word for arm in arms for word in ("--therapist", arm)]
    given = [word for case in cases for word in ("--cases", case)]
    maieutic("evaluate", *names, *given, "--seeds", "1", "--out", str(out), *more)
    return out


def trained(out: Path, data: Path, *settings: str, finish: bool = False) -> Path:
    """The folder of the adapter; with `finish`, of the last checkpoint of a training that was stopped."""
    going_on = [*(["--resume"] if out.exists() else []), *(["--finish"] if finish else [])]
    maieutic("train", "sft", "--data", str(data), *settings, "--out", str(out), *going_on)
    return out


def maieutic(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "maieutic", *words], check=True)


def arms_of(run: Path, wanted: Sequence[str] = MEASURES) -> dict[str, dict[str, Any]]:
    """Of every arm: effect beyond no session, verdict, failures, and the measures of the plan on regular cases."""
    found: dict[str, dict[str, Any]] = {}
    for row in pl.read_parquet(run / "tables" / "arms.parquet").iter_rows(named=True):
        kept = ("verdict", "effect", "low", "high", "fall", "cases", "sessions", "failed")
        found[row["arm"]] = {key: row[key] for key in kept}
    measures = pl.read_parquet(run / "tables" / "measures.parquet").filter(pl.col("group") == "regular")
    for row in measures.iter_rows(named=True):
        if row["measure"] in wanted and row["arm"] in found:
            kept = ("estimate", "low", "high", "cases", "missing")
            found[row["arm"]][row["measure"]] = {key: row[key] for key in kept}
    return found


def turns_of(run: Path) -> int:
    """Therapist turns at most, as the run was asked for."""
    return int(json.loads((run / "manifest.json").read_bytes())["turns"])


def beyond(run: Path, arm: str, other: str) -> dict[str, Any]:
    """The difference of two arms over cases, first minus second."""
    table = pl.read_parquet(run / "tables" / "differences.parquet")
    for sign, first, second in ((1, arm, other), (-1, other, arm)):
        rows = table.filter((pl.col("first") == first) & (pl.col("second") == second)).to_dicts()
        if rows:
            ends = [None if rows[0][key] is None else sign * rows[0][key] for key in ("low", "high")][::sign]
            return {"estimate": sign * rows[0]["estimate"], "low": ends[0], "high": ends[1], "cases": rows[0]["cases"]}
    raise LookupError(f"{run} holds no difference of {arm} and {other}")


def shipped(effect: Mapping[str, Any], size: int) -> bool:
    """The decision of the plan."""
    return effect["low"] is not None and effect["low"] > 0 and size <= LARGEST


def main() -> None:
    """Plays, trains, plays, prints, and writes the result."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--out", type=Path, default=Path("runs/trained-embedded"))
    asked.add_argument("--teacher", type=Path, help="a run that holds the teacher's sessions with development cases")
    asked.add_argument("--finish", action="store_true", help="take the last checkpoint of a training that was stopped")
    asked.add_argument("--only", choices=("untrained", "train", "trained"), help="do this part alone")
    asked.add_argument(
        "--turns", type=int, default=TURNS, help="therapist turns at most, of runs that are not there yet"
    )
    asked.add_argument("--no-write", action="store_true")
    told = asked.parse_args()
    cases, how = test_cases(), ("--turns", str(told.turns), "--max-tokens", f"model={TOKENS}")
    if told.only in (None, "untrained"):
        untrained = played(told.out / "untrained", ("model=prompted:embedded", *BESIDE), cases, *how)
    if told.only == "untrained":
        return
    teacher = told.teacher or played(told.out / "teacher", (TEACHER,), ("dev",), "--turns", "20")
    adapter = trained(told.out / "adapter", teacher, "--arm", TEACHER, *SETTINGS, finish=told.finish)
    if told.only == "train":
        return
    run = played(told.out / "trained", (f"model=trained:{adapter}", "wide", "no_session"), cases, *how)
    card, size = read_card(adapter), (adapter / GGUF_ADAPTER).stat().st_size
    runs = {"trained": run} | ({} if told.only else {"untrained": untrained})
    result = {
        "made": date.today().isoformat(),
        "settings": {"train": SETTINGS, "tokens": TOKENS, "cases": cases},
        "adapter": {"bytes": size, "steps_done": card["steps_done"], "seconds": card["seconds"], "loss": card["loss"]},
        "runs": {name: {"turns": turns_of(one), "arms": arms_of(one)} for name, one in runs.items()},
        "trained_beyond_wide": beyond(run, "model", "wide"),
        "goes_into_the_package": shipped(arms_of(run)["model"], size),
    }
    print(json.dumps(result, indent=1))
    if not told.no_write:
        (RESULTS / "trained_embedded.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""`maieutic train` as a user meets it: a small real run, its rewards, its pairs, a stop, and bad input in one clear line."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from command_line import hears_ctrl_c, killed, maieutic
from maieutic.evaluation.evaluate import Request, evaluate
from maieutic.training.pairs import PairRequest, plan_pairs
from maieutic.training.rewarded import reward_run
from maieutic.training.rewards import LookAhead

SMALL = ("--limit", "4", "--samples", "2", "--window", "1", "--least", "0.1")
PATIENCE = 100.0


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, one on a case that is kept for testing, and the pairs of the first."""
    folder = tmp_path_factory.mktemp("runs")
    evaluate(Request(("no_session", "oracle", "warm", "worksheet"), ("gethin", "ifeoma", "nilani"), 1, 4), folder / "a")
    evaluate(Request(("warm", "worksheet"), ("carmen-tse",), 1, 2), folder / "kept")
    done = maieutic("train", "pairs", "a", *SMALL, "--out", "pairs", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_rewards_are_the_figures_of_the_report_and_the_table_says_what_each_picks(runs: Path) -> None:
    done = maieutic("train", "reward", "a", cwd=runs)
    assert done.returncode == 0, done.stderr
    assert (
        "picked by" in done.stdout
        and "oracle *" in done.stdout
        and "Not human-validated" in " ".join(done.stdout.split())
    )
    found = json.loads((runs / "a" / "reward" / "reward.json").read_text())
    scored = json.loads((runs / "a" / "scores.json").read_text())
    for reward, measure in (("conviction", "conviction_change"), ("emotion", "distress_change")):
        for arm in ("warm", "worksheet", "oracle"):
            (row,) = (r for r in scored if r["measure"] == measure and r["group"] == arm)
            assert found["means"]["regular"][arm][reward]["estimate"] == pytest.approx(row["value"])


@pytest.mark.slow
def test_look_ahead_is_played_once_and_read_back_after_a_kill_too(runs: Path) -> None:
    words = "train reward a --reward conviction --reward multi_turn --samples 8 --turns 1".split()
    first = maieutic(*words, "--out", "ahead", cwd=runs)
    assert first.returncode == 0, first.stderr
    kept = (runs / "ahead" / "look_ahead.jsonl").read_bytes()
    assert len(kept.splitlines()) == 6  # three arms, two regular cases, one turn
    again = maieutic(*words, "--out", "ahead", cwd=runs)
    assert again.stdout == first.stdout and (runs / "ahead" / "look_ahead.jsonl").read_bytes() == kept
    stopped = runs / "stopped" / "look_ahead.jsonl"
    killed(*words, "--out", "stopped", cwd=runs, when=lambda: stopped.exists() and stopped.stat().st_size)
    assert len(stopped.read_bytes().splitlines()) < 6
    rest = maieutic(*words, "--out", "stopped", cwd=runs)
    assert rest.returncode == 0 and stopped.read_bytes() == kept


def test_pairs_are_in_the_format_that_trainers_read(runs: Path) -> None:
    rows = lines(runs / "pairs" / "pairs.jsonl")
    assert rows and pl.read_ndjson(runs / "pairs" / "pairs.jsonl").height == len(rows)
    for row in rows:
        roles = [one["role"] for one in row["prompt"]]
        assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
        assert [one["role"] for one in (*row["chosen"], *row["rejected"])] == ["assistant"] * 2
        assert row["chosen"] != row["rejected"] and row["margin"] >= 0.1
        assert row["case"] in ("gethin", "nilani") and row["arm"] in (
            "warm",
            "worksheet",
        )  # no accurate thought, no oracle
        assert len(roles) == 2 * row["turn"] - 1
    told = json.loads((runs / "pairs" / "pairs.json").read_text())
    assert told["pairs"] == len(rows) and told["forks"] == 4
    assert len(rows) + sum(told["rejected"].values()) == 4
    # Even where every pair holds up, two cases say little.
    assert told["holds"]["low"] < 0.7 and told["holds"]["n"] <= 2


def test_the_chosen_reply_is_the_better_one_when_the_reward_is_another(runs: Path) -> None:
    done = maieutic("train", "pairs", "a", *SMALL, "--reward", "emotion", "--out", "emotion", cwd=runs)
    assert done.returncode == 0, done.stderr
    rows = lines(runs / "emotion" / "pairs.jsonl")
    assert rows and all(row["reward"] == "emotion" for row in rows)
    assert sum(row["difference"]["distress"] for row in rows) < 0


def test_replies_meet_the_same_luck_and_samples_differ_in_it(runs: Path) -> None:
    making = plan_pairs(PairRequest(runs / "a", limit=1))
    fork, futures = making.forks[0], making.futures

    async def played() -> list[tuple[float, ...]]:
        ends = [await futures.played(fork, fork.said, sample) for sample in (0, 0, 1)]
        return [tuple(state.held for state in one.states[fork.turn + 1 :]) for one in ends]

    first, same, other = asyncio.run(played())
    assert first == same != other and len(first) == making.request.ahead.window + 1


def test_more_forks_keep_those_that_were_made(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "pairs", tmp_path / "more")
    before = lines(tmp_path / "more" / "forks.jsonl")
    words = ["train", "pairs", str(runs / "a"), *SMALL, "--limit", "6", "--out", "more", "--resume"]
    done = maieutic(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    after = lines(tmp_path / "more" / "forks.jsonl")
    assert after[:4] == before and len(after) == 6


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("press", [signal.SIGINT, signal.SIGKILL])
def test_a_stop_loses_no_finished_fork_and_the_end_is_the_same(
    runs: Path, tmp_path: Path, press: signal.Signals
) -> None:
    words = ["train", "pairs", str(runs / "a"), *SMALL, "--out", "pairs"]
    going = subprocess.Popen(
        [sys.executable, "-m", "maieutic", *words], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, env={**os.environ, "COLUMNS": "200"}, preexec_fn=hears_ctrl_c,
    )  # fmt: skip
    forks, until = tmp_path / "pairs" / "forks.jsonl", time.monotonic() + PATIENCE
    while not (forks.exists() and forks.stat().st_size) and going.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    going.send_signal(press)
    _, said = going.communicate(timeout=PATIENCE)
    if press is signal.SIGINT:
        assert going.returncode == 130 and "--resume" in said and "Traceback" not in said, said
    kept = lines(forks)
    assert 1 <= len(kept) < 4 and not (tmp_path / "pairs" / "pairs.jsonl").exists()
    again = maieutic(*words, "--resume", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert lines(forks)[: len(kept)] == kept
    assert (tmp_path / "pairs" / "pairs.jsonl").read_bytes() == (runs / "pairs" / "pairs.jsonl").read_bytes()


def test_a_dry_run_tells_the_time_and_writes_nothing(runs: Path) -> None:
    done = maieutic("train", "pairs", "a", *SMALL, "--out", "dry", "--dry-run", cwd=runs)
    assert done.returncode == 0, done.stderr
    assert "4 forks" in done.stdout and "s each" in done.stdout and not (runs / "dry").exists()


BAD = {
    "reward": (["reward", "a", "--reward", "convicton"], "Did you mean 'conviction'?"),
    "no run": (["reward", "nowhere"], "nowhere is no run folder"),
    "no turn looked at": (["reward", "a", "--turns", "0"], "--turns must be at least 1, got 0"),
    "only cases for testing": (["pairs", "kept"], "2 sessions: the case is kept for testing"),
    "candidate": (["pairs", "a", "--candidate", "socratik"], "Did you mean 'socratic'?"),
    "candidate that sees the mind": (["pairs", "a", "--candidate", "oracle"], "oracle cannot say a turn here"),
    "arm": (["pairs", "a", "--arm", "wurm"], "the run has no arm 'wurm'"),
    "one future": (["pairs", "a", "--samples", "1"], "--samples must be at least 2, got 1"),
    "margin": (["pairs", "a", "--least", "nan"], "--least must be at least 0, got nan"),
    "look-ahead twice": (["pairs", "a", "--reward", "multi_turn"], "pairs look ahead by themselves"),
    "folder that is taken": (["pairs", "a", "--out", "pairs"], "pairs already holds a run"),
    "other settings": (["pairs", "a", *SMALL, "--window", "2", "--out", "pairs", "--resume"], "window (1, now 2)"),
}


@pytest.mark.parametrize(("words", "says"), BAD.values(), ids=BAD)
def test_bad_input_is_one_clear_line(words: list[str], says: str, runs: Path) -> None:
    done = maieutic("train", *words, cwd=runs)
    assert done.returncode == 2, done.stdout + done.stderr
    assert says in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr and done.stderr.strip().count("\n") == 0


def test_the_functions_behind_it_can_be_called(runs: Path, tmp_path: Path) -> None:
    found = reward_run(runs / "a", ("conviction", "emotion"), tmp_path / "out", lambda _: lambda _: None, LookAhead())
    assert found.spread is None and set(found.table.arms) == {"warm", "worksheet"}

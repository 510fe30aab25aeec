"""Runs on several processes and in parts: the files of one process, whatever is killed, stopped or wrong."""

from __future__ import annotations

import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

from maieutic.cli.main import main
from maieutic.dialogue import Event
from maieutic.errors import BudgetReached, InputError, RunFolderError
from maieutic.evaluation.evaluate import (
    MAX_OWN_WORKERS,
    Outcome,
    Played,
    Request,
    evaluate,
    merge,
    own_workers,
    stored_request,
)
from maieutic.evaluation.plan import EVERY, Settings
from maieutic.evaluation.run import Limits
from maieutic.evaluation.summary import score_episodes
from maieutic.library import CASES
from maieutic.runs.files import write_json
from maieutic.runs.folder import FORMAT
from maieutic.runs.folder import REQUEST as REQUEST_WORDS
from maieutic.runs.work import Shard, WorkersSpec
from maieutic.workers.playing import on_workers
from servers import server

pytestmark = pytest.mark.timeout(280)
FILES = (
    "episodes.parquet", "turns.parquet", "scores.parquet", "scores.json", "report.html", "manifest.json",
    "tables/arms.csv", "tables/lines.csv", "tables/measures.csv",
)  # fmt: skip
BOT = Path(__file__).parents[2] / "examples" / "03_your_own_therapist.py"
REQUEST = Request(("eliza", f"mine={BOT}:make", "no_session"), ("gethin", "nilani"), 2, 3)
WARM = {EVERY: Settings(temperature=0.3, system="Be warm.")}


def on_two(request: Request, out: Path, **more: Any) -> Outcome:
    return evaluate(request, out, play=on_workers(request, WorkersSpec(count=2), at_once=4), **more)


def same_files(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in FILES)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evaluate(REQUEST, tmp_path_factory.mktemp("alone") / "run").folder


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("parts")
    return [
        evaluate(Request(*_but_shard(REQUEST), shard=Shard(part, 3)), folder / f"part{part}").folder
        for part in (1, 2, 3)
    ]


def _but_shard(request: Request) -> tuple[Any, ...]:
    return (request.therapists, request.cases, request.seeds, request.turns)


@pytest.mark.slow
def test_two_processes_write_the_files_of_one(alone: Path, tmp_path: Path) -> None:
    assert on_two(REQUEST, tmp_path / "two").failed == 0
    assert same_files(alone, tmp_path / "two")


@pytest.mark.slow
def test_sessions_are_scored_where_they_were_played(tmp_path: Path) -> None:
    """The driver would otherwise read every word once more, alone, while the workers stand still."""
    request, scored = Request(("eliza", "no_session"), ("gethin",), 1, 3), []

    def play(*given: Any) -> Played:
        scored.append(on_workers(request, WorkersSpec(count=2))(*given))
        return scored[0]

    outcome = evaluate(request, tmp_path / "run", play=play)
    here = [(one.key, one.score) for one in score_episodes(outcome.episodes)]
    assert here == [(key, score) for key, own in sorted(scored[0].scores.items()) for score in own.values()]
    assert len(here) > 2


@pytest.mark.slow
def test_a_killed_workers_dialogues_go_on_after_the_last_recorded_turn(tmp_path: Path) -> None:
    with server("--delay", "0.02") as where:
        request = Request((f"mine=prompted:{where.url}#fake",), ("gethin", "nilani"), 3, 6, settings=WARM)
        one = evaluate(request, tmp_path / "one").folder
        before, heard = where.calls, 0

        def watch(event: Event) -> None:
            nonlocal heard
            heard += 1
            if heard == 20:
                os.kill(_children()[-1], signal.SIGKILL)

        told: list[str] = []
        play = on_workers(request, WorkersSpec(count=2), at_once=4, tell=told.append)
        outcome = evaluate(request, tmp_path / "two", play=play, watch=watch)
        made = where.calls - before
    assert "ended with code -9" in told[1]
    assert outcome.failed == 0
    assert same_files(one, tmp_path / "two")
    whole = 1 + 6 * (6 + 1)  # once before the run, and once more at the end of each dialogue
    assert whole <= made <= whole + 2  # the two dialogues of the killed worker lost the call they were waiting for


def _children() -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if parent == os.getpid() and b"spawn_main" in words:
                found.append(int(entry.name))
    return sorted(found)


@pytest.mark.slow
def test_one_cap_holds_over_all_processes_and_the_run_goes_on(tmp_path: Path) -> None:
    with server("--delay", "0.02") as where:
        request = Request((f"prompted:{where.url}#fake",), ("gethin", "nilani"), 2, 5)
        one = evaluate(request, tmp_path / "one").folder
        before = where.calls
        with pytest.raises(BudgetReached, match="--max-calls 7"):
            on_two(request, tmp_path / "two", limits=Limits(max_calls=7))
        assert 7 + 1 <= where.calls - before <= 7 + 1 + 4
        on_two(request, tmp_path / "two", resume=True)
        assert where.calls - before == 4 * (5 + 1) + 2
    assert same_files(one, tmp_path / "two")


@pytest.mark.slow
def test_the_question_at_the_end_counts_towards_the_cap_and_is_not_asked_twice(tmp_path: Path) -> None:
    with server() as where:
        request = Request((f"prompted:{where.url}#fake",), ("gethin", "nilani"), 1, 3)
        one = evaluate(request, tmp_path / "one").folder
        before, play = where.calls, on_workers(request, WorkersSpec(count=1), at_once=1)
        with pytest.raises(BudgetReached, match="--max-calls 4"):
            evaluate(request, tmp_path / "two", play=play, limits=Limits(max_calls=4))
        assert where.calls - before == 4 + 1
        evaluate(request, tmp_path / "two", play=play, resume=True)
        assert where.calls - before == 2 * 4 + 2
    assert same_files(one, tmp_path / "two")


@pytest.mark.slow
def test_failed_dialogues_are_taken_up_on_workers(tmp_path: Path) -> None:
    with server("--refuse-status", "404") as where:
        request = Request((f"prompted:{where.url}#fake",), ("gethin", "nilani"), 1, 2)
        assert on_two(request, tmp_path / "two", limits=Limits(preflight=False)).failed == 2
    with server("--port", where.url.rpartition(":")[2]):
        assert on_two(request, tmp_path / "two", resume=True).failed == 2
        assert on_two(request, tmp_path / "two", resume=True, limits=Limits(retry_failed=True)).failed == 0
        one = evaluate(request, tmp_path / "one").folder
    assert same_files(one, tmp_path / "two")


@pytest.mark.slow
def test_an_endpoint_that_is_dead_stops_the_arm_as_on_one_process(tmp_path: Path) -> None:
    with server("--refuse-status", "404") as where:
        request = Request((f"prompted:{where.url}#fake", "no_session"), ("gethin", "nilani"), 5, 2)
        outcome = on_two(request, tmp_path / "two", limits=Limits(preflight=False))
        assert outcome.failed == 10
        assert where.calls <= 5 + 3  # five alike, and what was under way
    reasons = {episode.ending.reason for episode in outcome.episodes if not episode.session.turns}
    assert any(reason and reason.startswith("not asked: ") for reason in reasons)


@pytest.mark.slow
def test_what_a_worker_cannot_have_is_one_line_and_ends_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.yaml").write_bytes((CASES / "gethin.yaml").read_bytes())
    handle = os.dup2(os.open(tmp_path, os.O_RDONLY), 988)
    case = f"/proc/self/fd/{handle}/mine.yaml"  # a path that only this process can follow
    words = ["evaluate", "--therapist", "eliza", "--cases", case, "--workers", "2", "--out", str(tmp_path / "run")]
    monkeypatch.setattr("sys.argv", ["maieutic", *words])
    with pytest.raises(SystemExit) as stopped:
        main()
    *before, said = capfd.readouterr().err.strip().splitlines()
    assert stopped.value.code == 2
    assert said.startswith("error: no case file") and not any("error" in line for line in before)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("request_", "divided"),
    [
        (Request(), True),
        (Request(("eliza", "no_session")), True),
        (Request(("eliza", "no_session"), ("gethin",)), False),  # short
        (Request(("eliza", "no_session", f"mine={BOT}:make")), False),  # what somebody else's bot needs is not known
        (Request(("eliza", "prompted:http://127.0.0.1:9/v1#m"), seeds=10), False),  # a server has its own limits
        (Request(("eliza", "no_session"), patient="voiced:http://127.0.0.1:9/v1#m"), False),
    ],
)
def test_a_long_run_that_asks_nobody_uses_the_cores_without_being_asked(
    request_: Request, divided: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maieutic.evaluation.evaluate.usable_cores", lambda: 8)
    assert own_workers(request_) == (WorkersSpec(count=MAX_OWN_WORKERS) if divided else None)
    monkeypatch.setattr("maieutic.evaluation.evaluate.usable_cores", lambda: 1)
    assert own_workers(request_) is None


def test_what_is_left_of_a_run_decides_whether_it_is_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maieutic.evaluation.evaluate.usable_cores", lambda: 2)
    request = Request(("eliza", "no_session"), ("gethin", "nilani"), 30, 20)
    whole = 2 * 2 * 30
    assert own_workers(request, kept=whole - 101) is not None
    assert own_workers(request, kept=whole - 99) is None


def test_more_copies_of_a_local_model_than_cores_are_refused(tmp_path: Path) -> None:
    request = Request(("prompted:embedded",), ("gethin",), 1, 2)
    with pytest.raises(InputError, match="needs a core for each of its copies"):
        evaluate(request, tmp_path / "run", play=on_workers(request, WorkersSpec(count=999)))
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_parts_are_merged_into_the_files_of_one_run(alone: Path, parts: list[Path], tmp_path: Path) -> None:
    left = tmp_path / ".whole.part"  # by a kill
    (left / "journal").mkdir(parents=True)
    (left / "journal" / "0009.jsonl").touch()
    outcome = merge(list(reversed(parts)), tmp_path / "whole")
    assert not left.exists()
    assert outcome.folder == tmp_path / "whole"
    assert same_files(alone, tmp_path / "whole")


@pytest.mark.slow
def test_a_part_goes_on_as_the_part_it_is(
    parts: list[Path], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    before = (parts[1] / "episodes.parquet").read_bytes()
    for more, code, line in (([], 0, ""), (["--shard", "1/3"], 2, "--shard (2/3, now 1/3)")):
        monkeypatch.setattr("sys.argv", ["maieutic", "evaluate", "--resume", str(parts[1]), *more])
        with pytest.raises(SystemExit) as stopped:
            main()
        assert (stopped.value.code, (parts[1] / "episodes.parquet").read_bytes()) == (code, before)
        assert line in capfd.readouterr().err


def test_what_a_part_was_asked_for_comes_back_from_its_manifest(tmp_path: Path) -> None:
    request = Request(("eliza",), ("gethin",), 4, 3, settings={"eliza": WARM[EVERY]}, shard=Shard(2, 3))
    write_json(tmp_path / "manifest.json", {"format": FORMAT, "kind": "evaluate", REQUEST_WORDS: request.recorded()})
    assert stored_request(tmp_path) == replace(request, therapists=["eliza"], cases=["gethin"])


@pytest.mark.slow
def test_all_arms_of_a_case_and_seed_are_in_one_part(parts: list[Path]) -> None:
    import polars as pl

    for part in parts:
        by_arm = pl.read_parquet(part / "episodes.parquet").group_by("therapist").agg(pl.struct("case", "seed"))
        pairs = [sorted(map(str, row)) for row in by_arm["case"]]
        assert pairs[0] == pairs[1] == pairs[2]


@pytest.mark.slow
def test_what_does_not_fit_together_is_refused_and_nothing_is_written(
    alone: Path, parts: list[Path], tmp_path: Path
) -> None:
    out, other, open_one = tmp_path / "out", tmp_path / "other", tmp_path / "open"
    shutil.copytree(parts[1], other)
    manifest = orjson.loads((other / "manifest.json").read_bytes()) | {"turns": 4}
    (other / "manifest.json").write_bytes(orjson.dumps(manifest))
    shutil.copytree(parts[1], open_one)
    shutil.copytree(parts[1], tmp_path / "copy")
    (open_one / "episodes.parquet").unlink()
    for folders, words in (
        ((parts[0], parts[1]), "1 of 3 parts is missing: 3/3"),
        ((parts[0], parts[1], parts[1]), "is named twice"),
        ((parts[0], parts[1], tmp_path / "copy"), "are the same part, 2/3"),
        ((parts[0], other, parts[2]), r"different settings \(turns\)"),
        ((alone,), "is a whole run, no part of one"),
        ((parts[0], open_one, parts[2]), "is not finished; go on with it first"),
        ((parts[0], tmp_path / "nothing"), "is no run folder"),
    ):
        with pytest.raises(RunFolderError, match=words):
            merge(folders, out)
        assert not out.exists()
    merge(parts, out)
    before = (out / "scores.json").read_bytes()
    with pytest.raises(RunFolderError, match="already holds something"):
        merge(parts, out)
    assert (out / "scores.json").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["evaluate", "--shard", "3/2"], "--shard expects I/N with I from 1 to N, such as 2/8, got '3/2'"),
        (["evaluate", "--shard", "80/90", "--therapist", "eliza", "--seeds", "1"], "--shard 80/90 is empty"),
        (["evaluate", "--workers", "none"], "--workers expects a number of processes"),
        (["evaluate", "--therapist", "eliza", "--workers", "ray://127.0.0.1:1"], "no Ray cluster answers at"),
    ],
)
def test_bad_options_end_in_one_line_and_exit_code_2(
    words: list[str], line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: uv sync, or pip install 'maieutic[ray]'")
    monkeypatch.setattr("sys.argv", ["maieutic", *words, "--out", str(tmp_path / "run")])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert line in capfd.readouterr().err
    assert not (tmp_path / "run").exists()

"""Runs on a Ray cluster: the same bytes as one process, a node lost mid-run, the cap, and what cannot begin."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from maieutic.dialogue import Event
from maieutic.errors import BudgetReached, InputError
from maieutic.evaluation.evaluate import Outcome, Request, evaluate
from maieutic.evaluation.run import Limits
from maieutic.library import CASES
from maieutic.runs.work import WorkersSpec
from maieutic.workers.playing import on_workers
from servers import Server, server

pytest.importorskip("ray", reason="Ray is not installed: uv sync, or pip install 'maieutic[ray]'")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(280)]

FILES = ("episodes.parquet", "turns.parquet", "scores.parquet", "scores.json", "report.html", "manifest.json")
RAY = WorkersSpec(address="auto")
CLIENT_PORT = 10_317
WHOLE = 1 + 2 * 3 * (6 + 1)
"""Calls of a run: one before it, and in each dialogue six turns and the question at its end."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head without CPUs and two nodes with one each."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "ray_client_server_port": CLIENT_PORT})
    made.add_node(num_cpus=1)
    made.add_node(num_cpus=1)
    made.wait_for_nodes()
    os.environ["RAY_ADDRESS"] = made.address
    yield made
    del os.environ["RAY_ADDRESS"]
    made.shutdown()


@pytest.fixture(scope="module")
def slow_server() -> Iterator[Server]:
    with server("--delay", "0.05") as made:
        yield made


def request_to(where: Server, **more: Any) -> Request:
    return Request((f"prompted:{where.url}#fake", "eliza", "no_session"), ("gethin", "nilani"), 3, 6, **more)


@pytest.fixture(scope="module")
def alone(slow_server: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run in one process."""
    return evaluate(request_to(slow_server), tmp_path_factory.mktemp("alone") / "run").folder


def on_ray(request: Request, out: Path, said: list[str] | None = None, **more: Any) -> Outcome:
    told = said if said is not None else []
    return evaluate(request, out, play=on_workers(request, RAY, at_once=4, tell=told.append), **more)


def same_files(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in FILES)


def said_twice(folder: Path) -> int:
    """Utterances that stand in the journal more than once."""
    lines = [orjson.loads(line) for path in (folder / "journal").glob("*.jsonl") for line in path.open("rb")]
    turns = Counter((*line["key"], line["index"]) for line in lines if line["kind"] == "turn" and line["said"])
    return sum(count - 1 for count in turns.values())


def test_two_nodes_write_the_files_of_one_process(
    cluster: Any, slow_server: Server, alone: Path, tmp_path: Path
) -> None:
    told: list[str] = []
    on_ray(request_to(slow_server), tmp_path / "two", told)
    assert same_files(alone, tmp_path / "two")
    assert told[0].startswith("2 workers on 1 machine ready after")


@pytest.mark.full
def test_the_cap_holds_to_within_the_calls_in_flight_and_the_rest_is_resumed(
    cluster: Any, slow_server: Server, alone: Path, tmp_path: Path
) -> None:
    before, request = slow_server.calls, request_to(slow_server)
    with pytest.raises(BudgetReached, match="--max-calls 10"):
        on_ray(request, tmp_path / "two", limits=Limits(max_calls=10))
    made = slow_server.calls - before
    assert 10 + 1 <= made <= 10 + 1 + 4
    on_ray(request, tmp_path / "two", resume=True)
    assert same_files(alone, tmp_path / "two")
    assert slow_server.calls - before == WHOLE + 1  # nothing was asked twice but what is asked before a run
    assert said_twice(tmp_path / "two") == 0


def test_a_lost_nodes_conversations_go_on_after_the_last_recorded_turn(
    cluster: Any, slow_server: Server, alone: Path, tmp_path: Path
) -> None:
    victim = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    before, heard, told = slow_server.calls, 0, list[str]()

    def watch(event: Event) -> None:
        nonlocal heard
        heard += event.key.therapist == "fake" and event.turn.speaker == "therapist"
        if heard == 9:
            heard += 1
            cluster.remove_node(victim, allow_graceful=False)

    outcome = on_ray(request_to(slow_server), tmp_path / "three", told, watch=watch)
    assert told[0].startswith("3 workers")
    assert "was lost" in told[1]
    assert outcome.failed == 0
    assert same_files(alone, tmp_path / "three")
    assert said_twice(tmp_path / "three") == 0
    live = 2  # four dialogues over three workers: two at most on the one that was lost
    assert slow_server.calls - before <= WHOLE + live


@pytest.mark.full
def test_a_driver_outside_the_cluster_writes_the_same_files(
    cluster: Any, slow_server: Server, alone: Path, tmp_path: Path
) -> None:
    request = request_to(slow_server)
    spec = WorkersSpec.read(f"ray://127.0.0.1:{CLIENT_PORT}")
    evaluate(request, tmp_path / "client", play=on_workers(request, spec, at_once=4))
    assert same_files(alone, tmp_path / "client")


def test_no_cluster_at_an_address_is_told_at_once(tmp_path: Path, slow_server: Server) -> None:
    request = request_to(slow_server)
    play = on_workers(request, WorkersSpec(address="ray://127.0.0.1:1"))
    with pytest.raises(InputError, match=r"no Ray cluster answers at ray://127.0.0.1:1: Connection refused"):
        evaluate(request, tmp_path / "run", play=play)


@pytest.mark.full
def test_a_worker_of_another_version_is_named(cluster: Any, slow_server: Server, tmp_path: Path) -> None:
    old = tmp_path / "site" / "maieutic-0.0.9.dist-info"
    old.mkdir(parents=True)
    (old / "METADATA").write_text("Metadata-Version: 2.1\nName: maieutic\nVersion: 0.0.9\n")
    (old / "entry_points.txt").write_text(_entry_points())
    node = cluster.add_node(num_cpus=1, env_vars={"PYTHONPATH": str(old.parent)})
    cluster.wait_for_nodes()
    try:
        with pytest.raises(InputError, match=r"worker on \S+: versions maieutic is 0.0.9 there and 0.1.0 here"):
            on_ray(request_to(slow_server), tmp_path / "run")
        assert not (tmp_path / "run").exists()
    finally:
        cluster.remove_node(node)


def _entry_points() -> str:
    from importlib.metadata import distribution

    return str(distribution("maieutic").read_text("entry_points.txt"))


def test_a_worker_without_the_case_file_is_named(cluster: Any, slow_server: Server, tmp_path: Path) -> None:
    there = tmp_path / "cases"
    there.mkdir()
    (there / "mine.yaml").write_bytes((CASES / "gethin.yaml").read_bytes())
    opened = os.open(there, os.O_RDONLY)
    handle = os.dup2(opened, 987)
    try:  # a path that only this process can follow
        request = Request(("eliza",), (f"/proc/self/fd/{handle}/mine.yaml",), 1, 2)
        with pytest.raises(InputError, match=r"worker on \S+: no case file '/proc/self/fd/\d+/mine.yaml'"):
            on_ray(request, tmp_path / "run")
    finally:
        os.close(handle)
        os.close(opened)
    assert not (tmp_path / "run").exists()

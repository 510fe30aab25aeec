"""The benchmarks at a tiny size: that they finish and that the calls are counted right; never how fast they are."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from agent_latency import Passes, figures, play
from coder import checks, child_score
from coder_talk import dialogues
from contestants import Size
from embedded_model import AS_SHIPPED, child
from engine import limit, measure
from faults import FAULTS, run
from kill import killed_and_resumed
from loopback import loopback
from maieutic.reading.encoder import Network
from measuring import Sample
from served_turns import Server, asked, memory, open_load, played

pytestmark = pytest.mark.slow
TINY = Size(conversations=10, exchanges=2, concurrency=5)


def test_the_limit_is_the_servers_delay_alone() -> None:
    assert limit(Size(100, 10, 50), 20) == pytest.approx(3000)
    assert limit(Size(100, 10, 50), 21) == pytest.approx(2857, abs=1)


@pytest.mark.parametrize("who", ["ours", "bare"])
def test_every_contestant_makes_the_same_number_of_calls(who: str) -> None:
    sample = measure(who, TINY)
    assert isinstance(sample, Sample)
    assert (sample.conversations, sample.calls) == (10, 10 * (1 + 2 * 2))
    assert 0 < sample.per_minute <= limit(TINY, 5) * 1.05
    assert sample.cpu_ms > 0 and sample.start > 0 and sample.end > 0


def test_the_patient_with_a_mind_calls_no_model() -> None:
    sample = measure("mind", TINY)
    assert (sample.conversations, sample.calls) == (10, 10 * (2 + 1))  # two turns, and the question after the session


def test_a_run_on_a_misbehaving_server_ends_with_every_conversation_accounted_for(tmp_path: Path) -> None:
    with loopback(delay=0.01, **FAULTS, stuck_every=30) as server:
        found = run(server, tmp_path / "run", 10, 3, 0.5)
    assert found["conversations"] == 10 and found["unexplained"] == 0
    assert found["complete"] + found["failed"] == 10
    assert found["server"]["stuck"] > 0 and found["failed"] > 0
    assert found["server"]["busy"] > 0 and found["server"]["failed"] > 0


def test_a_killed_run_goes_on_where_it_was() -> None:
    size = Size(conversations=10, exchanges=6, concurrency=5)
    found = killed_and_resumed(size, 0.05, 0.5)
    assert found["complete"] == 10 and found["turns"] == found["calls_needed"]
    assert found["calls_at_kill"] < found["calls_needed"]
    assert 0 <= found["calls_twice"] <= size.concurrency


def test_generated_sessions_differ_and_are_the_same_every_time() -> None:
    first, again = list(dialogues(50, 20)), list(dialogues(50, 20))
    assert first == again
    assert len({tuple(one) for one in first}) == 50
    assert all(len(one) == 20 and one[0][0] == "therapist" for one in first)


def test_scoring_generated_sessions_counts_every_one() -> None:
    found = child_score(12)
    assert found["sessions"] == 12
    assert found["peak_mb"] > 10 and found["cpu_seconds"] > 0


def test_a_run_that_grows_faster_than_its_sessions_breaks_its_bounds() -> None:
    small = {"sessions": 10, "cpu_seconds": 1.0, "peak_mb": 100.0}
    large = {"sessions": 100, "cpu_seconds": 20.0, "peak_mb": 300.0}
    found = checks({"per_cpu_second": 7500.0}, {"missing": "no weights"}, small, large)
    assert {name.partition(":")[0].partition(",")[0]: value > bound for name, (value, _, bound) in found.items()} == {
        "fast coder": True, "memory": True, "CPU time": True,
    }  # fmt: skip


def test_every_turn_of_the_agent_is_timed_beside_a_bare_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Network, "__call__", Network.__call__)  # what counts passes is taken off afterwards
    passes = Passes()
    spent, session = play("gethin", 3, passes)
    assert passes.count["agent"] > 0
    assert len(spent) == len(session.by("therapist")) == 3
    assert all(cpu > 0 and clock > 0 and bare > 0 for cpu, clock, bare in spent)
    found = figures(spent)
    assert found["cpu_p50"] <= found["cpu_p95"] <= found["cpu_max"]
    assert found["ratio_p95"] == pytest.approx(found["cpu_p95"] / found["bare_p50"])


def test_the_packaged_model_plays_sessions() -> None:
    rate, memory = child(AS_SHIPPED, sessions=2, turns=2, adapter=False, threads=0)
    assert rate > 0 and memory > 0


def test_a_served_agent_answers_every_conversation_in_the_air() -> None:
    prefixes = asked(played(4))
    server = Server()
    spent, cpu = asyncio.run(open_load(server, prefixes, 0.05))
    assert len(spent) == len(prefixes) >= 12 and cpu > 0
    assert len(asyncio.run(memory(server, prefixes, 25))) == 5
    assert server.stop() == 0

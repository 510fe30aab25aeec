"""Scale-out: how much faster two workers are, and what a million sessions on 64 nodes would cost, on paper.

python benchmarks/scale.py speed [--seeds 10]     # one process and two, in turn, on this machine
python benchmarks/scale.py paper [--sessions 1000000 --nodes 64 --cores 8 --turns 20]
"""

from __future__ import annotations

import argparse
import asyncio
import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import converse
from maieutic.evaluation.evaluate import Request, make_patients, make_plan
from maieutic.evaluation.journal import end_line, event_of, read_journal, turn_line
from maieutic.evaluation.run import Runner
from maieutic.evaluation.summary import score_episodes, write_scores
from maieutic.evaluation.tables import write_tables
from maieutic.workers.team import Down, Up

ARMS = ("socratic", "no_session")
CASES = ("gethin", "nilani", "hester", "ifeoma")
TICKS = os.sysconf("SC_CLK_TCK")
GIGA, HOUR = 1e9, 3600.0
MIN_CPU = 1.0
"""Seconds; below are processes that only watch over others."""


@contextmanager
def cpu_of_children() -> Iterator[dict[int, float]]:
    """CPU seconds of every process below this one, by its number; looked at every fifth of a second."""
    found: dict[int, float] = {}
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.2):
            parents, cpu = {}, {}
            for entry in Path("/proc").iterdir():
                if entry.name.isdecimal():
                    try:
                        fields = (entry / "stat").read_text().rpartition(")")[2].split()
                    except OSError:
                        continue
                    parents[int(entry.name)] = int(fields[1])
                    cpu[int(entry.name)] = (int(fields[11]) + int(fields[12])) / TICKS
            below = {os.getpid()}
            for _ in range(6):
                below |= {pid for pid, parent in parents.items() if parent in below}
            found.update({pid: cpu[pid] for pid in below - {os.getpid()} if pid in cpu})

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield found
    finally:
        done.set()
        watcher.join()


@dataclass(frozen=True, slots=True)
class Timed:
    """A run: wall seconds, CPU seconds of the process that was started and of its workers, and what it said when they were ready."""

    wall: float
    driver: float
    workers: tuple[float, ...]
    said: str


def timed(folder: Path, seeds: int, *more: str) -> Timed:
    """One run."""
    command = [sys.executable, "-m", "maieutic", "evaluate", "--seeds", str(seeds), "--out", str(folder), *more]
    for name, values in (("--therapist", ARMS), ("--cases", CASES)):
        command += [word for value in values for word in (name, value)]
    began = time.monotonic()
    with cpu_of_children() as cpu:
        started = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )
        _, told = started.communicate()
    if started.returncode:
        sys.exit(told)
    wall, driver = time.monotonic() - began, cpu.pop(started.pid)
    ready = [line for line in told.splitlines() if "ready after" in line]
    workers = sorted((value for value in cpu.values() if value > MIN_CPU), reverse=True)
    return Timed(wall, driver, tuple(workers), *(ready or [""]))


def speed(seeds: int) -> None:
    """One process and two workers in turn; the files must be the same."""
    with tempfile.TemporaryDirectory() as name:
        one = timed(Path(name) / "one", seeds)
        two = timed(Path(name) / "two", seeds, "--workers", "2")
        for file in ("episodes.parquet", "turns.parquet", "scores.parquet", "report.html"):
            same = (Path(name) / "one" / file).read_bytes() == (Path(name) / "two" / file).read_bytes()
            print(f"{file}: {'same bytes' if same else 'DIFFERENT'}")
    load, busiest = os.getloadavg()[0], max(two.workers)
    whole = two.driver + sum(two.workers)
    print(f"{len(ARMS)} arms, {len(CASES)} cases, {seeds} seeds: {len(ARMS) * len(CASES) * seeds} sessions")
    print(f"one process: {one.wall:.1f} s, {one.driver:.1f} s of CPU")
    print(f"two workers: {two.wall:.1f} s; CPU of the driver {two.driver:.1f} s, of the workers "
          f"{', '.join(f'{value:.1f}' for value in two.workers)} s; {two.said}")  # fmt: skip
    print(f"CPU that dividing costs: {whole - one.driver:+.1f} s, {whole / one.driver - 1:+.0%}")
    print(f"ratio by CPU: {one.driver / (two.driver + busiest):.2f}, as if the driver and the busiest worker never computed "
          f"at the same time; by the clock {one.wall / two.wall:.2f}")  # fmt: skip
    print(f"load of the machine {load:.1f} on {os.cpu_count()} cores: above their number, the clock says nothing")


@dataclass(frozen=True, slots=True)
class Measured:
    """What one session costs, measured here.

    Attributes:
        notes: Utterances told to the driver. line: Bytes of a line. wire: Bytes of an exchange, both ways.
        mind: CPU seconds of the session and its scores on a worker. driver: CPU seconds of the driver for it while it runs.
        end: CPU seconds for reading and tables at the end. memory: Bytes an episode takes then.
    """

    notes: int
    line: float
    wire: float
    mind: float
    driver: float
    end: float
    memory: float


def measure(turns: int) -> Measured:
    """Plays four sessions in this process and takes their journal apart."""
    import resource

    plan = make_plan(Request(("socratic",), ("gethin", "nilani"), 2, turns))
    talks = Runner(plan, make_patients("simulated")[0], RuleCoder()).talks
    lines: list[bytes] = []
    talk_of = talks(lambda event: lines.append(turn_line(event)))
    keys = plan.grid()
    made = {key: talk_of(key) for key in keys}
    began, episodes, scores = time.process_time(), [], []
    for key in keys:
        episodes.append(asyncio.run(converse(made[key])))
        lines.append(end_line(episodes[-1]))
        scores.append({one.score.measure: one.score for one in score_episodes([episodes[-1]])})
    mind = (time.process_time() - began) / len(keys)
    # Sessions are short beside what a process is: copies make the end measurable.
    wire = statistics.mean(len(pickle.dumps(Up(((1, line),)))) for line in lines) + len(pickle.dumps(Down()))
    wire += len(pickle.dumps(scores)) / len(lines)
    began = time.process_time()
    for _ in range(5):
        for line in lines:
            pickle.loads(pickle.dumps(Up(((1, line),))))
            record = orjson.loads(line)
            if record["kind"] == "turn":
                event_of(record)
    driver = (time.process_time() - began) / 5 / len(keys)
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "journal").mkdir()
        many = [line.replace(b'"gethin"', f'"gethin-{n}"'.encode()).replace(b'"nilani"', f'"nilani-{n}"'.encode())
                for n in range(50) for line in lines]  # fmt: skip
        (Path(name) / "journal" / "0001.jsonl").write_bytes(b"".join(many))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.process_time()
        records = read_journal(Path(name) / "journal")
        all_of_them = [record.episode(key, 0) for key, record in records.items()]
        write_tables(Path(name), all_of_them)
        known = {one.key: scores[number % len(scores)] for number, one in enumerate(all_of_them)}
        write_scores(Path(name), score_episodes(all_of_them, known=known))
        end = (time.process_time() - began) / len(all_of_them)
        memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / len(all_of_them)
    return Measured(len(lines) // len(keys), statistics.mean(map(len, lines)), wire, mind, driver, end, memory)


def exchange_cpu(rounds: int = 1000) -> float:
    """CPU seconds of the driver for one exchange with an actor on a Ray cluster that is started here."""
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}
    import ray

    ray.init(num_cpus=1, log_to_driver=False, configure_logging=False, include_dashboard=False)

    class Echo:
        async def exchange(self, down: Down) -> Up:
            return Up(((1, b"x" * 1400),))

    actor: Any = ray.remote(Echo).remote()
    ray.get(actor.exchange.remote(Down()))
    began = time.process_time()
    for _ in range(rounds):
        ray.get(actor.exchange.remote(Down()))
    spent = (time.process_time() - began) / rounds
    ray.shutdown()
    return spent


def paper(sessions: int, nodes: int, cores: int, turns: int) -> None:
    """The sum, and what breaks first."""
    one = measure(turns)
    workers = nodes * cores
    hours = sessions * one.mind / workers / HOUR
    exchange = exchange_cpu()
    busy = one.driver + one.notes * exchange
    driver = sessions * busy / HOUR
    rate = sessions * one.notes / max(hours, driver) / HOUR
    print(f"measured here for a session of {turns} turns: {one.notes} notes of {one.line:,.0f} bytes, {one.mind:.2f} s of CPU "
          f"on a worker, {one.driver * 1e3:.1f} ms on the driver and {exchange * 1e3:.2f} ms for each exchange by Ray, {one.end * 1e3:.1f} ms and {one.memory / 1e3:,.0f} kB at the end")  # fmt: skip
    rows = (
        ("sessions", f"{sessions:,}"),
        ("workers", f"{workers} on {nodes} nodes"),
        ("model calls, one model on one side", f"{sessions * turns:,}"),
        ("notes told to the driver", f"{sessions * one.notes:,}"),
        ("on the wire to and from the driver", f"{sessions * one.notes * one.wire / GIGA:,.0f} GB"),
        ("through Ray's object store", "0 bytes: an exchange is below 100 kB, so it travels inline"),
        ("journal", f"{sessions * one.notes * one.line / GIGA:,.0f} GB"),
        ("hours of the workers, minds alone", f"{hours:,.1f}"),
        ("hours of the driver's one core", f"{driver:,.1f}"),
        ("notes a second the driver takes down", f"{rate:,.0f}"),
        ("hours at the end, tables on one core", f"{sessions * one.end / HOUR:,.1f}"),
        ("memory of the driver at the end", f"{sessions * one.memory / GIGA:,.0f} GB"),
    )
    for name, value in rows:
        print(f"  {name:<50} {value}")
    print(f"notes a second that one driver can take down: {one.notes / busy:,.0f}")
    print(f"workers that one driver keeps busy: {one.mind / busy:,.0f} with minds alone; with a model that answers in 2 s "
          f"and 4 dialogues a worker, {one.notes / busy / (4 * one.notes / (turns * 2 + one.mind)):,.0f}")  # fmt: skip
    fit = int(64 * GIGA / one.memory)
    drivers = max(1, round(0.5 + workers * busy / one.mind))
    parts = max(drivers, -(-sessions // fit))
    print(f"what breaks first: the driver's core, at {one.mind / busy:,.0f} workers; then its memory at the end, of which 64 GB "
          f"hold {fit:,} sessions. Divide the run beforehand: --shard I/{parts}, each part with a driver of its own")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for_speed = commands.add_parser("speed")
    for_speed.add_argument("--seeds", type=int, default=10)
    for_speed.set_defaults(run=speed)
    for_paper = commands.add_parser("paper")
    for name, value in (("sessions", 1_000_000), ("nodes", 64), ("cores", 8), ("turns", 20)):
        for_paper.add_argument(f"--{name}", type=int, default=value)
    for_paper.set_defaults(run=paper)
    given = vars(parser.parse_args())
    given.pop("run")(**given)


if __name__ == "__main__":
    main()

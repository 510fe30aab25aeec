"""What serving adds to a turn, and whether memory stays flat: `maieutic serve` in a process of its own, on loopback.

    python benchmarks/served_turns.py
    python benchmarks/served_turns.py --conversations 20 --requests 500 --no-write

Sessions of the Socratic agent with simulated patients are played first. Then the agent's turns are made once more, in
their order of a server with all conversations in the air (first turns, second turns …): in process by a fresh agent, one
after another, and by a fresh server, asked at even intervals so that it is busy half of the time. Both read each text for
the first time. Added is the median of the served turns, from sending to the last byte, less the median in process; on a
busy machine that says little, so the CPU of both processes a turn stands beside it, which other jobs do not change. The
words must be the same. Then
requests follow each other as fast as they are answered, and the server's resident memory is read on the way.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import pickle
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.episode import EpisodeKey, Session
from maieutic.evaluation.evaluate import make_patients
from maieutic.evaluation.plan import drawn_situation
from maieutic.library import STARTERS, get_case
from maieutic.protocols import Patient
from maieutic.therapists.socratic import SocraticTherapist
from measuring import machine, print_checks, write_result

TURNS = 5
ADDED_MS = 5.0
GROWTH = 1.10
"""Memory at the end over memory after the first fifth of the requests, when all caches that fill up are filling."""


def played(conversations: int) -> list[Session]:
    """Sessions of the agent with patients of the starter cases."""
    make, _ = make_patients("simulated")
    patients = dict[tuple[str, str], Patient]()

    async def one(number: int) -> Session:
        case, seed = get_case(STARTERS[number % len(STARTERS)]), number // len(STARTERS)
        situation = drawn_situation(case, 0, seed)
        patient = patients.setdefault((case.id, situation), make(case, situation))
        streams = Streams(0, EpisodeKey("socratic", case.id, seed))
        return (await converse(Conversation(SocraticTherapist(), patient, RuleCoder(), TURNS, streams))).session

    return [asyncio.run(one(number)) for number in range(conversations)]


def asked(sessions: list[Session]) -> list[Session]:
    """What is asked for: the first turns of all conversations, the second turns of all, and so on."""
    return [
        Session(session.turns[:length], session.seed)
        for length in range(1, 2 * TURNS, 2)
        for session in sessions
        if len(session) > length
    ]


def in_a_process_of_its_own(prefixes: list[Session]) -> list[tuple[float, float, str]]:
    """As `in_process`, where nothing has been read before."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "prefixes"
        file.write_bytes(pickle.dumps(prefixes))
        line = [sys.executable, __file__, "--time", str(file)]
        found: list[tuple[float, float, str]] = json.loads(subprocess.run(line, capture_output=True, check=True).stdout)
    return found


def in_process(prefixes: list[Session]) -> list[tuple[float, float, str]]:
    """Milliseconds of each turn by a fresh agent, by the clock and of CPU, and its words."""
    agent = SocraticTherapist()
    asyncio.run(agent.respond(Session()))
    spent = []
    for prefix in prefixes:
        began, cpu = time.perf_counter(), time.process_time()
        turn = asyncio.run(agent.respond(prefix))
        spent.append((1_000 * (time.perf_counter() - began), 1_000 * (time.process_time() - cpu), turn.text))
    return spent


def body(prefix: Session, seed: int | None = None) -> dict[str, Any]:
    roles = {"patient": "user", "therapist": "assistant"}
    messages = [{"role": roles[turn.speaker], "content": turn.text} for turn in prefix.turns]
    return {"model": "maieutic/socratic", "messages": messages, "seed": prefix.seed if seed is None else seed}


class Server:
    """The command as a user starts it."""

    def __init__(self) -> None:
        line = [sys.executable, "-m", "maieutic", "serve", "--port", "0", "--max-in-flight", "1000"]
        self.process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = next(m[0] for text in self.process.stdout if (m := re.search(r"http://127\.0\.0\.1:\d+", text)))

    @property
    def megabytes(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1_024

    @property
    def cpu(self) -> float:
        """Seconds of CPU so far."""
        spent = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(spent[11]) + int(spent[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait()


async def ask(session: aiohttp.ClientSession, url: str, sent: dict[str, Any]) -> tuple[float, str]:
    """Milliseconds from sending to the last byte, and the words."""
    began = time.perf_counter()
    async with session.post(f"{url}/v1/chat/completions", json=sent) as response:
        whole = await response.read()
        assert response.status == 200, response.status
    spent = 1_000 * (time.perf_counter() - began)
    return spent, json.loads(whole)["choices"][0]["message"]["content"]


async def open_load(server: Server, prefixes: list[Session], interval: float) -> tuple[list[tuple[float, str]], float]:
    """Milliseconds and words of each request, sent at its time whether or not those before it are answered; CPU ms of one."""
    url = server.url
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:
        await ask(session, url, body(Session()))
        cpu, began, tasks = server.cpu, time.perf_counter(), []
        for number, prefix in enumerate(prefixes):
            await asyncio.sleep(began + number * interval - time.perf_counter())
            tasks.append(asyncio.ensure_future(ask(session, url, body(prefix))))
        spent = list(await asyncio.gather(*tasks))
        return spent, 1_000 * (server.cpu - cpu) / len(prefixes)


async def memory(server: Server, prefixes: list[Session], requests: int) -> list[float]:
    """Megabytes after each fifth of the requests; each round of all conversations has a seed of its own."""
    found: list[float] = []
    async with aiohttp.ClientSession() as session:
        for number in range(requests):
            await ask(session, server.url, body(prefixes[number % len(prefixes)], number // len(prefixes)))
            if (number + 1) % (requests // 5) == 0:
                found.append(server.megabytes)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=200)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--time", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--no-write", dest="write", action="store_false")
    options = parser.parse_args()
    if options.time is not None:
        print(json.dumps(in_process(pickle.loads(options.time.read_bytes()))))
        return
    prefixes = asked(played(options.conversations))
    timed = in_a_process_of_its_own(prefixes)
    here, cpu_here = [clock for clock, _, _ in timed], statistics.mean(cpu for _, cpu, _ in timed)
    capacity = 1_000 / statistics.mean(here)
    server = Server()
    served, cpu_there = asyncio.run(open_load(server, prefixes, 2 / capacity))
    there = [clock for clock, _ in served]
    unlike = sum(said != text for (_, said), (*_, text) in zip(served, timed, strict=True))
    sizes = asyncio.run(memory(server, prefixes, options.requests))
    code = server.stop()
    added = statistics.median(there) - statistics.median(here)
    growth = sizes[-1] / sizes[0]
    figures = {
        "turns": len(prefixes),
        "in process": spread(here),
        "served at half of capacity": spread(there),
        "added p50 ms": round(added, 2),
        "CPU ms a turn in process, served": [round(cpu_here, 2), round(cpu_there, 2)],
        "capacity a second": capacity,
        "memory MB after each fifth": [round(size) for size in sizes],
        "requests": options.requests,
    }
    for name, value in figures.items():
        print(f"{name}: {value}")
    checks = print_checks(
        {
            "ms that serving adds, median": (added, "<=", ADDED_MS),
            "CPU ms that serving adds a turn": (cpu_there - cpu_here, "<=", ADDED_MS),
            "memory at the end, of that after the first fifth": (growth, "<=", GROWTH),
            "replies unlike those in process": (unlike, "<=", 0),
            "exit code of the server": (code, "<=", 0),
        }
    )
    if options.write:
        write_result("served_turns", {"machine": machine(), **figures, "checks": checks})
    sys.exit(not all(check["holds"] for check in checks.values()))


def spread(values: list[float]) -> dict[str, float]:
    """p50, p95 and the mean, in ms."""
    cuts = statistics.quantiles(values, n=100)
    return {"p50": round(cuts[49], 2), "p95": round(cuts[94], 2), "mean": round(statistics.mean(values), 2)}


if __name__ == "__main__":
    main()

"""Runs one contestant in a fresh process and reads off what it took; medians, tables and JSON for all benchmarks."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from loopback import Server

RESULTS = Path(__file__).resolve().parent / "results"
PACKAGES = ("maieutic", "aiohttp", "orjson", "polars", "pydantic", "numpy", "inspect-ai", "openai")


@dataclass(frozen=True, slots=True)
class Sample:
    """One run of one contestant.

    Attributes:
        conversations: Conversations that were complete.
        calls: Calls that reached the server.
        per_minute: Conversations a minute, first call in to last reply out, by the server's clock.
        cpu_ms: CPU of the whole process, user and system, imports and tables included, in ms a call.
        loop_cpu_ms: The same without start, end and the making of patients: from before the first call to after the
            last reply.
        prepare_cpu: CPU seconds of making the patients, once a case and situation; None where there are none.
        start: Seconds from starting the process to its first call.
        end: Seconds from the last reply to the end of the process.
        peak_mb: Largest resident memory, in MB of 2**20 bytes; None where the system does not tell.
    """

    conversations: int
    calls: int
    per_minute: float
    cpu_ms: float
    loop_cpu_ms: float
    prepare_cpu: float | None
    start: float
    end: float
    peak_mb: float | None


def environment() -> dict[str, str]:
    """The environment of a contestant: bytecode is kept from run to run, as in any installed program.

    Where writing bytecode is switched off, as in many containers, every start would compile all modules again.
    """
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return own | {"PYTHONPYCACHEPREFIX": str(Path(gettempdir()) / "maieutic-benchmarks-bytecode")}


def run_child(command: Sequence[str], server: Server) -> Sample:
    """Start a contestant, wait for it, and measure. Its last line of output is JSON with what only it can know.

    Raises:
        RuntimeError: the contestant failed; its last words are in the message.
    """
    before = server.counts()["calls"]
    if before:
        raise RuntimeError("this server has been used before; every sample needs a fresh one")
    began = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment())
    assert child.stdout is not None
    said = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    over = time.monotonic()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"exit {child.returncode}: {said[-2000:]}")
    own: dict[str, Any] = json.loads(said.strip().splitlines()[-1])
    counts = server.counts()
    cpu = used.ru_utime + used.ru_stime
    return Sample(
        conversations=own["conversations"],
        calls=counts["calls"],
        per_minute=own["conversations"] * 60 / (counts["last"] - counts["first"]),
        cpu_ms=cpu * 1e3 / counts["calls"],
        loop_cpu_ms=own["loop_cpu"] * 1e3 / counts["calls"],
        prepare_cpu=own["prepare_cpu"],
        start=counts["first"] - began,
        end=over - counts["last"],
        peak_mb=own.get("peak_mb"),
    )


def median(samples: Sequence[Sample], name: str) -> float | None:
    """Median of one quantity over the repetitions; None when one of them lacks it."""
    values = [getattr(sample, name) for sample in samples]
    return None if not values or any(v is None for v in values) else statistics.median(values)


def machine() -> dict[str, Any]:
    """What a reader needs to place the numbers; no name and no path."""
    versions: dict[str, str | None] = {}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 2),
        "versions": versions,
    }


def as_json(samples: Mapping[str, Sequence[Sample]]) -> dict[str, Any]:
    """All samples and their medians, by contestant."""
    names = [name for name in Sample.__slots__ if name != "conversations"]
    return {
        who: {"median": {n: median(own, n) for n in names}, "samples": [asdict(s) for s in own]}
        for who, own in samples.items()
    }


def print_table(title: str, samples: Mapping[str, Sequence[Sample]]) -> None:
    """One row a contestant: medians, with all values of the speed beside them."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title)
    for head in ("", "conv/min", "each run", "CPU ms/call all in", "in the loop", "start + end s", "peak MB", "calls"):
        table.add_column(head, justify="left" if not head else "right")
    for who, own in samples.items():
        each = " ".join(f"{s.per_minute:,.0f}" for s in own)
        around = statistics.median(s.start + s.end for s in own)
        table.add_row(
            who, _cell(median(own, "per_minute"), ",.0f"), each, _cell(median(own, "cpu_ms"), ".2f"),
            _cell(median(own, "loop_cpu_ms"), ".2f"), f"{around:.2f}", _cell(median(own, "peak_mb"), ".0f"),
            str(own[0].calls),
        )  # fmt: skip
    Console(width=120).print(table)


def print_checks(found: Mapping[str, tuple[float, str, float]]) -> dict[str, dict[str, Any]]:
    """Print each bound with what was found; returns them for the result file."""
    held: dict[str, dict[str, Any]] = {}
    for name, (value, sign, bound) in found.items():
        holds = value >= bound if sign == ">=" else value <= bound
        held[name] = {"value": value, "bound": f"{sign} {bound:g}", "holds": holds}
        print(f"{'holds ' if holds else 'BROKEN'} {name}: {value:.2f} ({sign} {bound:g})")
    return held


def _cell(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def write_result(name: str, result: Mapping[str, Any]) -> None:
    """benchmarks/results/NAME.json."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n")

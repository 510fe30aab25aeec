"""Benchmark A: what the engine costs when both speakers are models on a server that answers after 50 ms.

    python benchmarks/engine.py                                     # 100 conversations × 10 exchanges, 50 at once
    python benchmarks/engine.py --inspect-python OTHER/bin/python   # Inspect from an environment that has its client

A conversation of 10 exchanges is 21 calls: the patient's opening, then ten times therapist and patient. All contestants
make the same number of calls with growing messages, so the limit is 100 × 60 / (2 rounds × 21 × 0.05 s) a minute.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from contestants import Size
from loopback import loopback
from measuring import Sample, as_json, machine, median, print_checks, print_table, run_child, write_result

DELAY = 0.05
NAMES = {
    "ours": "maieutic evaluate",
    "engine": "no scores, no report",
    "bare": "bare aiohttp loop",
    "inspect": "inspect_ai solver",
}
CHILD = str(Path(__file__).resolve().with_name("contestants.py"))


def limit(size: Size, calls: int) -> float:
    """Conversations a minute if nothing but the server's delay took time; `calls` is the number a conversation."""
    rounds = -(-size.conversations // size.concurrency)
    return size.conversations * 60 / (rounds * calls * DELAY)


def measure(who: str, size: Size, python: str = sys.executable) -> Sample:
    """One contestant, once, with a server of its own."""
    with loopback(delay=DELAY) as server:
        return run_child([python, CHILD, json.dumps([who, server.url, *size])], server)


def repeat(sizes: Mapping[str, Size], pythons: Mapping[str, str], repeats: int) -> dict[str, list[Sample]]:
    """All contestants in turn, so that a busy moment of the machine hits them alike; a small first round is not counted."""
    for who in sizes:
        measure(who, Size(1, 1, 1), pythons.get(who, sys.executable))
    samples: dict[str, list[Sample]] = {who: [] for who in sizes}
    for _ in range(repeats):
        for who, size in sizes.items():
            samples[who].append(measure(who, size, pythons.get(who, sys.executable)))
    return samples


def checks(samples: Mapping[str, Sequence[Sample]]) -> dict[str, tuple[float, str, float]]:
    """The bounds the engine is held to: (found, '>=' or '<=', bound)."""

    def middle(who: str, name: str) -> float:
        found = median(samples[who], name)
        assert found is not None, f"{name} could not be measured"
        return found

    return {
        "conversations a minute": (middle("ours", "per_minute"), ">=", 2000.0),
        "speed as a share of the bare loop": (middle("ours", "per_minute") / middle("bare", "per_minute"), ">=", 0.75),
        "CPU ms a call, all in": (middle("ours", "cpu_ms"), "<=", 1.0),
        "the same without scores and report": (middle("engine", "cpu_ms"), "<=", 1.0),
        "CPU as a multiple of the bare loop": (middle("ours", "cpu_ms") / middle("bare", "cpu_ms"), "<=", 3.0),
        "start + end, seconds": (middle("ours", "start") + middle("ours", "end"), "<=", 2.0),
        "peak memory, MB": (middle("ours", "peak_mb"), "<=", 150.0),
    }


def has_inspect(python: str) -> bool:
    """Whether that Python has Inspect and the client it needs for such a server."""
    return subprocess.run([python, "-c", "import inspect_ai, openai"], capture_output=True, check=False).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=100)
    parser.add_argument("--exchanges", type=int, default=10)
    parser.add_argument("--concurrency", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--inspect-python", default=sys.executable, help="a Python with inspect_ai and openai")
    parser.add_argument("--inspect-conversations", type=int, default=25, help="Inspect's share; 0 leaves it out")
    parser.add_argument("--no-write", action="store_true", help="print only, keep results/engine.json as it is")
    options = parser.parse_args()
    size = Size(options.conversations, options.exchanges, options.concurrency)
    sizes = {"ours": size, "engine": size, "bare": size}
    if options.inspect_conversations:
        if has_inspect(options.inspect_python):
            sizes["inspect"] = size._replace(conversations=options.inspect_conversations)
        else:
            print("Inspect is left out: that Python lacks inspect_ai or openai (--inspect-python)", file=sys.stderr)
    before = machine()
    samples = repeat(sizes, {"inspect": options.inspect_python}, options.repeats)
    top = limit(size, 1 + 2 * size.exchanges)
    title = f"{size.conversations} conversations × {size.exchanges} exchanges, {size.concurrency} at once; limit {top:,.0f}/min"
    print_table(title, {NAMES[who]: own for who, own in samples.items()})
    held = print_checks(checks(samples))
    if not options.no_write:
        result: dict[str, Any] = {
            "machine": before,
            "delay_seconds": DELAY,
            "limit_per_minute": top,
            "sizes": {NAMES[who]: its_size._asdict() for who, its_size in sizes.items()},
            "contestants": as_json({NAMES[who]: own for who, own in samples.items()}),
            "checks": held,
        }
        write_result("engine", result)
    return 0 if all(check["holds"] for check in held.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

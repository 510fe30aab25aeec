"""SIGKILL in the middle of a run, then `--resume`: how many model calls are made twice?

    python benchmarks/kill.py

The calls that the server counts over both processes, less the calls that the conversations need, must not exceed the
turns that were in flight at the kill (the concurrency, since every conversation has one turn in flight at most).
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from contestants import Size
from loopback import Server, loopback
from measuring import environment, machine, write_result

CODE = (
    "import json, sys; from pathlib import Path; from maieutic.evaluation.evaluate import Request, evaluate\n"
    "from maieutic.evaluation.run import Limits\n"
    "model, out, number, turns, many, resume = json.loads(sys.argv[1])\n"
    "request = Request([f'prompted:{model}'], ['all'], -(-number // 12), turns, f'static:{model}', number)\n"
    "done = evaluate(request, Path(out), resume=resume, limits=Limits(concurrency=many, preflight=False))\n"
    "print(json.dumps([sum(e.ending.kind == 'turn_limit' for e in done.episodes),"
    " sum(len(e.session) for e in done.episodes)]))\n"
)


def start(server: Server, folder: Path, size: Size, *, resume: bool) -> subprocess.Popen[str]:
    """`evaluate()` in a process of its own."""
    arguments = json.dumps([server.spec, str(folder), size.conversations, size.exchanges, size.concurrency, resume])
    return subprocess.Popen(
        [sys.executable, "-c", CODE, arguments], stdout=subprocess.PIPE, text=True, env=environment()
    )


def killed_and_resumed(size: Size, delay: float, share: float) -> dict[str, Any]:
    """Kill the run when the server has seen `share` of the calls, go on, and count."""
    needed = size.conversations * (1 + 2 * size.exchanges)
    with tempfile.TemporaryDirectory() as name, loopback(delay=delay) as server:
        folder = Path(name) / "run"
        first = start(server, folder, size, resume=False)
        while server.counts()["calls"] < needed * share:
            if first.poll() is not None:
                raise RuntimeError("the run was over before it could be killed; take more conversations")
            time.sleep(0.01)
        os.kill(first.pid, signal.SIGKILL)
        first.communicate()
        at_kill = server.counts()["calls"]
        second = start(server, folder, size, resume=True)
        said, _ = second.communicate()
        if second.returncode:
            raise RuntimeError(f"the resumed run ended with exit {second.returncode}")
        complete, turns = json.loads(said.strip().splitlines()[-1])
        total = server.counts()["calls"]
    return {
        "conversations": size.conversations,
        "complete": complete,
        "turns": turns,
        "calls_needed": needed,
        "calls_at_kill": at_kill,
        "calls_in_all": total,
        "calls_twice": total - needed,
        "in_flight_at_most": size.concurrency,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=100)
    parser.add_argument("--exchanges", type=int, default=10)
    parser.add_argument("--concurrency", type=int, default=50)
    parser.add_argument("--delay", type=float, default=0.05)
    parser.add_argument("--at", type=float, default=0.4, help="share of the calls after which the run is killed")
    parser.add_argument("--no-write", action="store_true", help="print only, keep results/kill.json as it is")
    options = parser.parse_args()
    size = Size(options.conversations, options.exchanges, options.concurrency)
    found = killed_and_resumed(size, options.delay, options.at)
    print(json.dumps(found, indent=2))
    if not options.no_write:
        write_result("kill", {"machine": machine(), "found": found})
    whole = found["complete"] == size.conversations and found["turns"] == found["calls_needed"]
    return int(not whole or found["calls_twice"] > found["in_flight_at_most"])


if __name__ == "__main__":
    sys.exit(main())

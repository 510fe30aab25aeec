"""A server that misbehaves: does a run finish by itself, and is every conversation complete or failed with a reason?

    python benchmarks/faults.py                  # default patience: 60 s a call, so this takes some minutes
    python benchmarks/faults.py --timeout 5      # the same with less patience

429 on every 20th call, 500 on every 33rd, and one call in 400 is never answered: once by count (asking again helps), and
once more by content (`stuck`: about one conversation state in 400 never gets an answer, so that asking again does not
help and the conversation has to be given up).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from loopback import Server, loopback
from measuring import environment, machine, write_result

FAULTS = {"busy_every": 20, "fail_every": 33}
NEVER = {"by count": {"hang_every": 400}, "by content": {"stuck_every": 400}}


def run(server: Server, folder: Path, conversations: int, exchanges: int, timeout: float | None) -> dict[str, Any]:
    """One evaluation against that server in a process of its own; how its conversations ended."""
    model = f"{server.url}#fake" + ("" if timeout is None else f"?timeout={timeout:g}")
    code = (
        "import json, sys; from pathlib import Path; from maieutic.evaluation.evaluate import Request, evaluate\n"
        "from maieutic.evaluation.run import Limits\n"
        "model, out, number, turns = json.loads(sys.argv[1])\n"
        "request = Request([f'prompted:{model}'], ['all'], -(-number // 12), turns, f'static:{model}', number)\n"
        "done = evaluate(request, Path(out), limits=Limits(concurrency=50, preflight=False))\n"
        "print(json.dumps([[e.ending.kind, e.ending.reason, len(e.therapist_turns)] for e in done.episodes]))\n"
    )
    arguments = json.dumps([model, str(folder), conversations, exchanges])
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code, arguments], capture_output=True, text=True, check=True, env=environment()
    )
    ends = json.loads(done.stdout.strip().splitlines()[-1])
    complete = sum(kind == "turn_limit" and turns == exchanges for kind, _, turns in ends)
    failed = [reason for kind, reason, _ in ends if kind == "failed"]
    return {
        "seconds": round(time.monotonic() - began, 1),
        "conversations": len(ends),
        "complete": complete,
        "failed": len(failed),
        "unexplained": len(ends) - complete - sum(bool(reason) for reason in failed),
        "reasons": dict(Counter(reason.partition("http")[0].strip() + " …" for reason in failed if reason)),
        "server": {k: v for k, v in server.counts().items() if k not in ("first", "last", "in_flight", "connections")},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=100)
    parser.add_argument("--exchanges", type=int, default=10)
    parser.add_argument("--timeout", type=float, help="seconds a call, instead of the default")
    parser.add_argument("--delay", type=float, default=0.05)
    parser.add_argument("--no-write", action="store_true", help="print only, keep results/faults.json as it is")
    options = parser.parse_args()
    found: dict[str, Any] = {}
    for name, never in NEVER.items():
        with tempfile.TemporaryDirectory() as folder, loopback(delay=options.delay, **FAULTS, **never) as server:
            found[name] = run(server, Path(folder) / "run", options.conversations, options.exchanges, options.timeout)
        print(f"never answered {name}: {json.dumps(found[name], indent=2)}")
    if not options.no_write:
        setting = {"timeout": options.timeout or "default", "delay": options.delay, **FAULTS}
        write_result("faults", {"machine": machine(), "setting": setting, "found": found})
    return int(any(f["unexplained"] or f["conversations"] != options.conversations for f in found.values()))


if __name__ == "__main__":
    sys.exit(main())

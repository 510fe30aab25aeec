"""A server goes away for a minute in the middle of a run: is anything lost, whatever dialect of the chat protocol it speaks?

    python benchmarks/outage.py                  # each dialect of tests/models/data, about four minutes
    python benchmarks/outage.py --seconds 5      # the same with a shorter outage

Twice for each: *waited out*, as a run does by itself (it stays up and goes on when the server is back), and *resumed* (the run
is told not to wait, ends with failed dialogues, and a minute later `--resume FOLDER --retry-failed` takes them up). Which
dialects are recorded and which are written after documented forms stands in tests/models/test_dialects.py.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from loopback import TESTS
from measuring import environment, machine, write_result

sys.path[:0] = [str(TESTS), str(TESTS / "models")]

from test_dialects import DIALECTS, Dialect  # noqa: E402

from endpoints import serving  # noqa: E402

WAYS = ("waited out", "resumed")
CASES, TURNS, BEFORE = ("gethin", "nilani"), 3, 3
"""Two patients of three turns each; the server goes after so many answers of the run."""


class Away(Dialect):
    """Answers the preflight and `BEFORE` calls, then gives its own error for a while."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(name)
        self.name, self.seconds, self.until, self.refused = name, seconds, 0.0, 0

    def answer(self, headers: bytes, body: bytes) -> tuple[bytes | None, bool]:
        if self.counts["answered"] > BEFORE and not self.until:
            self.until = time.monotonic() + self.seconds
        away = time.monotonic() < self.until
        self.refused += away
        self.state = DIALECTS[self.name]["outage"] if away else "answers"
        return super().answer(headers, body)


def maieutic(folder: Path, *words: str) -> int:
    """One command in a process of its own; its exit code."""
    command = [sys.executable, "-m", "maieutic", "evaluate", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, env=environment()).returncode


def told(run: Path) -> dict[str, int]:
    """Of the journal of a run: dialogues that ended, that failed at last, and turns that are there, missing or twice."""
    lines = [json.loads(line) for path in sorted(run.glob("journal/*.jsonl")) for line in path.open("rb")]
    ends = {tuple(line["key"]): line["ending"]["kind"] for line in lines if line["kind"] == "end"}
    said = [
        (*line["key"], line["index"])
        for line in lines
        if line["kind"] == "turn" and line["turn"]["speaker"] == "therapist"
    ]
    wanted = len(CASES) * TURNS
    return {
        "dialogues": len(ends),
        "failed": sum(kind == "failed" for kind in ends.values()),
        "lost": wanted - len(set(said)),
        "asked_twice": len(said) - len(set(said)),
    }


def sit(name: str, way: str, seconds: float) -> dict[str, Any]:
    """One dialect, one way through the outage."""
    with tempfile.TemporaryDirectory() as place, serving(None, server=(server := Away(name, seconds))) as (url, _):
        folder = Path(place)
        patience = "" if way == "waited out" else "?attempts=1&backoff=0&outage=0"
        cases = [word for case in CASES for word in ("--cases", case)]
        first = maieutic(
            folder, "--therapist", f"mine=prompted:{url}/v1#m{patience}", *cases, "--seeds", "1", "--turns", str(TURNS),
            "--out", "run",
        )  # fmt: skip
        codes = [first]
        if way == "resumed":
            time.sleep(max(0.0, server.until - time.monotonic()))
            codes.append(maieutic(folder, "--resume", "run", "--retry-failed"))
        return {"dialect": name, "way": way, "exit_codes": codes, "refused": server.refused, **told(folder / "run")}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the server is away")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--together", type=int, default=9, help="how many stand side by side")
    options = parser.parse_args()
    work = [(name, way) for way in options.ways for name in DIALECTS]
    with ThreadPoolExecutor(options.together) as pool:
        rows = list(pool.map(lambda one: sit(one[0], one[1], options.seconds), work))
    for row in rows:
        print(f"{row['dialect']:45} {row['way']:11} exit {row['exit_codes']}, {row['refused']} calls refused, "
              f"lost {row['lost']}, failed {row['failed']}, asked twice {row['asked_twice']}")  # fmt: skip
    broken = [row for row in rows if row["lost"] or row["failed"] or row["exit_codes"][-1] or not row["refused"]]
    write_result("outage", {"machine": machine(), "seconds_away": options.seconds, "rows": rows})
    return int(bool(broken))


if __name__ == "__main__":
    raise SystemExit(main())

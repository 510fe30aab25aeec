"""The fake model server of the tests in a process of its own, with a clock: what all benchmarks measure against.

    with loopback(delay=0.05) as server:
        ...                     # talk to server.url
        counts = server.counts()

The clock lies in the server, so that every contestant is timed by the same hand: from the first call to come in to the
last reply to go out. `python benchmarks/loopback.py '{"delay": 0.05}'` runs it alone and prints its port.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Replies end in "? (number)"; with the number inside the sentence, no two questions are the same text.
NUMBER = re.compile(rb'([?.]) \(([0-9a-f]+)\)"')
TESTS = Path(__file__).resolve().parents[1] / "tests"


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs in another process."""

    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def spec(self) -> str:
        """The server as a model of this package."""
        return f"{self.url}#fake"

    def counts(self) -> dict[str, Any]:
        """What the server did so far; `first` and `last` are seconds of the monotonic clock."""
        with urllib.request.urlopen(self.url, timeout=10) as answer:
            counts: dict[str, Any] = json.loads(answer.read())
        return counts


@contextmanager
def loopback(**faults: Any) -> Iterator[Server]:
    """Start a server with these faults (see `Faults` in tests/fake_server.py) and end it afterwards."""
    command = [sys.executable, str(Path(__file__).resolve()), json.dumps(faults)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield Server(int(process.stdout.readline()))
        finally:
            process.terminate()


async def _serve(faults: dict[str, Any]) -> None:
    sys.path.insert(0, str(TESTS))
    from fake_server import FakeServer, Faults

    class Clocked(FakeServer):
        def answer(self, headers: bytes, body: bytes) -> tuple[bytes | None, bool]:
            now = time.monotonic()
            if self.counts["calls"] == 0:
                self.counts["first"] = now
            self.counts["last"] = now + self.faults.delay
            sent, cut = super().answer(headers, body)
            return (sent if sent is None else NUMBER.sub(rb' (\2)\1"', sent)), cut

    async with Clocked(Faults(**faults)) as server:
        print(server.port, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve(json.loads(sys.argv[1])))

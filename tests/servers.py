"""The loopback model server in a process of its own, for tests whose dialogues run in other processes too."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import orjson


@dataclass(frozen=True, slots=True)
class Server:
    """Where it is, and how often it was asked."""

    url: str

    @property
    def calls(self) -> int:
        with urlopen(self.url) as answer:
            return int(orjson.loads(answer.read())["calls"])


@contextmanager
def server(*options: str) -> Iterator[Server]:
    """A server with the options of `fake_server.py`, until the block ends."""
    command = [sys.executable, str(Path(__file__).with_name("fake_server.py")), "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Server(f"http://127.0.0.1:{process.stdout.readline().strip()}")
        finally:
            process.terminate()

"""A journal that another process has, for tests of who may write."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HOLDS = """
import sys
from pathlib import Path
from maieutic.runs.journal import Journal
held = Journal(Path(sys.argv[1]), header=sys.argv[2].encode())
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held_elsewhere(path: Path, header: bytes = b"{}\n") -> Iterator[None]:
    """Another process has the journal until the block ends, and is killed then."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(path), header.decode()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        try:
            assert other.stdout is not None and other.stdout.readline() == "held\n"
            yield
        finally:
            other.kill()

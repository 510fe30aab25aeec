"""`maieutic serve` as a process of its own, as a user starts it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def serving(*options: str, home: Path | None = None) -> Iterator[tuple[subprocess.Popen, str]]:
    """The process and its address; it is ended if the test has not. `home` is where it may write and is."""
    where = {} if home is None else {"HOME": str(home), "TMPDIR": str(home), "XDG_CACHE_HOME": str(home)}
    process = subprocess.Popen(
        [sys.executable, "-m", "maieutic", "serve", "--port", "0", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=home,
        env={**os.environ, "COLUMNS": "80", **where},
    )  # fmt: skip
    try:
        said = ""
        while (found := re.search(r"http://127\.0\.0\.1:\d+", said)) is None:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            said += line
        yield process, found[0]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()

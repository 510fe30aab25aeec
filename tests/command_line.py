"""Runs the command in this process as a user does in a folder: starting Python again for every line would cost the most."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from maieutic.cli import screen
from maieutic.cli.main import main

KEYS = ("MAIEUTIC_API_KEY", "OPENAI_API_KEY")


class Told(NamedTuple):
    """How a command ended and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


def maieutic(*words: str, cwd: Path | None = None, stdin: str = "", columns: int = 100) -> Told:
    """What `maieutic` with these words says in a folder, without any key, to somebody who types `stdin`."""
    out, err, typed = StringIO(), StringIO(), StringIO(stdin)
    kept = {name: value for name, value in os.environ.items() if name not in KEYS}
    _forget_screens()
    try:
        with (
            chdir(cwd or Path.cwd()), patch.dict(os.environ, kept | {"COLUMNS": str(columns)}, clear=True),
            patch.object(sys, "argv", ["maieutic", *words]), patch.object(sys, "stdin", typed),
            redirect_stdout(out), redirect_stderr(err),
        ):  # fmt: skip
            main()
    except SystemExit as end:
        return Told(int(end.code or 0), out.getvalue(), err.getvalue())
    finally:
        _forget_screens()
    raise AssertionError("the command came back without an exit code")


def killed(*words: str, cwd: Path, when: Callable[[], object], patience: float = 90.0) -> None:
    """Starts the command in a process of its own and kills it (kill -9) as soon as `when` says so, before its end."""
    going = subprocess.Popen(
        [sys.executable, "-m", "maieutic", *words], cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + patience
    try:
        while not when():
            assert going.poll() is None, f"{words[:2]} ended before there was anything to kill"
            assert time.monotonic() < until, f"{words[:2]} made nothing in {patience:g} seconds"
            time.sleep(0.01)
    finally:
        going.send_signal(signal.SIGKILL)
        ended = going.wait()
    assert ended == -signal.SIGKILL, f"{words[:2]} ended by itself ({ended}) before it was killed"


def hears_ctrl_c() -> None:
    """A shell that starts the tests in the background leaves Ctrl-C ignored for all that they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _forget_screens() -> None:
    # They are made once a process and hold the streams of the command that asked first.
    screen.screen.cache_clear()
    screen.messages.cache_clear()

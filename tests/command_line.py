"""Runs the command in this process as a user does in a folder: starting Python again for every line would cost the most."""

from __future__ import annotations

import os
import signal
import sys
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


def hears_ctrl_c() -> None:
    """A shell that starts the tests in the background leaves Ctrl-C ignored for all that they start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _forget_screens() -> None:
    # They are made once a process and hold the streams of the command that asked first.
    screen.screen.cache_clear()
    screen.messages.cache_clear()

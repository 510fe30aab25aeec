"""`maieutic` and `python -m maieutic`: the command line, which Ctrl-C may stop while it is still being loaded."""

from __future__ import annotations

import os
import signal
import sys
import threading

SOON = 0.01
"""Seconds until a lost Ctrl-C is pressed again."""


def _press_again(lost: sys.UnraisableHookArgs) -> None:
    """Python drops an exception raised within a finalizer or a weak reference's callback: Ctrl-C must not be lost so."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        threading.Timer(SOON, os.kill, (os.getpid(), signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(lost)


def start() -> None:
    """Load the command line and run it."""
    sys.unraisablehook = _press_again
    try:
        from maieutic.cli.main import main
    except KeyboardInterrupt:
        sys.stderr.write("interrupted before anything was begun.\n")
        sys.exit(130)
    main()


if __name__ == "__main__":
    start()

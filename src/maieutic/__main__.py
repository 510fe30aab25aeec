"""`maieutic` and `python -m maieutic`: the command line, which Ctrl-C may stop from its first moment on."""

from __future__ import annotations

import sys


def start() -> None:
    """Load the command line and run it."""
    try:
        from maieutic.pressed import PRESSES

        PRESSES.keep()
        from maieutic.cli.main import main
    except KeyboardInterrupt:
        sys.stderr.write("interrupted before anything was begun.\n")
        sys.exit(130)
    try:
        main()
    finally:
        PRESSES.let_go()
        # Of a Ctrl-C in code made from text (a dataclass that was being built) Python ends the process by the signal,
        # whatever the exit code, until other such code has run.
        exec("")


if __name__ == "__main__":
    start()

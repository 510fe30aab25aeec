"""`maieutic` and `python -m maieutic`: the command line, which Ctrl-C may stop while it is still being loaded."""

from __future__ import annotations

import sys


def start() -> None:
    """Load the command line and run it."""
    try:
        from maieutic.cli.main import main
    except KeyboardInterrupt:
        sys.stderr.write("interrupted before anything was begun.\n")
        sys.exit(130)
    main()


if __name__ == "__main__":
    start()

"""A player's command in the sealed round: hands one turn to `sealed_round.py serve FOLDER`, or plays it here where nothing serves.

python benchmarks/sealed_say.py FOLDER ID [TEXT]
"""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path


def served(folder: Path, name: str, text: str | None) -> tuple[int, str] | None:
    """Exit status and output of a turn that a process played for us; None where none serves the folder."""
    with socket.socket(socket.AF_UNIX) as line:
        try:
            line.connect(str(folder / "socket"))
        except OSError:
            return None
        try:
            line.sendall(json.dumps([name, text]).encode() + b"\n")
            with line.makefile(encoding="utf-8") as reply:
                status, shown = json.loads(reply.readline())
        except (OSError, ValueError):
            return 1, "This turn could not be played. Tell whoever asked you.\n"
    return int(status), str(shown)


def main() -> int:
    """Prints what the client says."""
    if len(sys.argv) < 3:
        print("Give the folder, the name of the session and what you say.")
        return 1
    folder, name, *text = sys.argv[1:]
    told = served(Path(folder), name, " ".join(text) or None)
    if told is None:
        from sealed_round import say

        return say(Path(folder), name, " ".join(text) or None)
    print(told[1], end="")
    return told[0]


if __name__ == "__main__":
    raise SystemExit(main())

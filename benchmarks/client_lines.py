"""Does the agent's head for what a line holds read the lines of people it never met? Only prints.

    python benchmarks/client_lines.py

Two hands who saw neither cases nor code wrote 15 lines of each kind (`data/client_lines.jsonl.xz`). Nothing was fitted on them; the weight
of written lines beside those of patients was looked at on the first one, so that the second is the figure that counts.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from maieutic.runs.files import read_lines
from maieutic.stats import wilson
from maieutic.therapists.hearing import LINES, held_in

DATA = Path(__file__).parent / "data" / "client_lines.jsonl.xz"


def main() -> None:
    """Prints the share read right by hand, and what the others of each kind are taken for."""
    rows = read_lines(DATA)
    for hand in sorted({row["hand"] for row in rows}):
        mine = [(row["kind"], held_in(row["text"])) for row in rows if row["hand"] == hand]
        taken = Counter((kind, max(holds, key=lambda name: holds[name])) for kind, holds in mine)
        right = wilson(sum(taken[kind, kind] for kind in LINES), len(mine))
        print(f"{hand}: right {right.estimate:.2f} [{right.low:.2f}, {right.high:.2f}] of {len(mine)}")
        for kind in LINES:
            others = {to: times for (of, to), times in taken.items() if of == kind != to}
            print(f"    {kind:10} {taken[kind, kind]:>3} {others or ''}")


if __name__ == "__main__":
    main()

"""Do replies of the embedded patients fit what was asked, before and after a change? Prints marks that are stored.

    python benchmarks/replies_fit.py
    python benchmarks/replies_fit.py --store "WHAT, DATE" --marks FILE

The same turns were answered in the same dialogues and states by two versions of the patients, and marked in one shuffled
list by somebody who knew neither versions nor cases. Marks are lines of {"kind", "case", "turn", "mark"}; a reply that is
the same in both versions was shown once.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from random import Random
from typing import Any

from maieutic.stats import bootstrap_mean
from worded import MARKS, shown

STORED = Path(__file__).parent / "results" / "replies_fit.json"
FIELDS = ("kind", "case", "turn", "mark")
"""What is stored of a mark, in this order."""


def tables(stored: dict[str, Any]) -> list[str]:
    """The figures of a round as lines: shares by kind, then the paired differences of the two versions."""
    marks, lines = stored["marks"], [stored["what"]]
    for kind in dict.fromkeys(mark["kind"] for mark in marks):
        rows = [mark for mark in marks if mark["kind"] == kind]
        shares = (f"{name} {shown(_share(rows, name), 2)}" for name in MARKS)
        lines.append(f"{kind}: {'; '.join(shares)}")
    by_turn: dict[tuple[str, int], dict[str, str]] = {}
    for mark in marks:
        if mark["kind"] in ("before", "now"):
            by_turn.setdefault((mark["case"], mark["turn"]), {})[mark["kind"]] = mark["mark"]
    pairs = {key: found for key, found in by_turn.items() if len(found) == 2}
    for name in MARKS if pairs else ():
        gains = [float(found["now"] == name) - float(found["before"] == name) for found in pairs.values()]
        spread = bootstrap_mean(gains, clusters=[case for case, _ in pairs], rng=Random(7))
        lines.append(f"now less before, {name}: {shown(spread, 2)}")
    return lines


def stored_rounds() -> list[dict[str, Any]]:
    """The rounds in the order in which they were stored, each with its marks by name; none where none was stored."""
    rounds = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else []
    return [one | {"marks": [dict(zip(FIELDS, mark, strict=True)) for mark in one["marks"]]} for one in rounds]


def _share(rows: list[dict[str, Any]], name: str) -> Any:
    hits = [float(row["mark"] == name) for row in rows]
    return bootstrap_mean(hits, clusters=[row["case"] for row in rows], rng=Random(7))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", help="adds a round of marks under this name")
    parser.add_argument("--marks", type=Path)
    asked = parser.parse_args()
    rounds = stored_rounds()
    if bool(asked.store) != bool(asked.marks):
        parser.error("--store and --marks belong together")
    if not rounds and not asked.store:
        raise SystemExit(f"no marks in {STORED}")
    if asked.store:
        marks = [json.loads(line) for line in asked.marks.read_text(encoding="utf-8").splitlines()]
        rounds = [*(one for one in rounds if one["what"] != asked.store), {"what": asked.store, "marks": marks}]
        packed = [one | {"marks": [[mark[name] for name in FIELDS] for mark in one["marks"]]} for one in rounds]
        STORED.write_text(json.dumps(packed, separators=(",", ":")) + "\n", encoding="utf-8")
    for one in rounds:
        print("\n".join(tables(one)))


if __name__ == "__main__":
    main()

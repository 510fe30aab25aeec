"""Stores results of `maieutic study` and writes their numbers into the entries: `python recipes/renew_evidence.py runs/studies`.

Only the numbers change. What an entry says of them, and its verdict, are for people to read again: the entries that
changed are printed.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from maieutic.evidence.atlas import ENTRIES, PACKAGED, rounded

LINE = re.compile(r"^    - \{at: (?P<result>\w+)/(?P<figure>\w+)(?P<rest>.*)\}$")


def renewed(line: str, figures: dict[str, dict[str, Any]]) -> str:
    """A line of an entry with the stored number in it; any other line as it is."""
    found = LINE.match(line)
    if found is None:
        return line
    places = re.search(r"decimals: (\d)", found["rest"])
    decimals = int(places[1]) if places else 2
    figure = figures[found["result"]][found["figure"]]
    parts = [f"at: {found['result']}/{found['figure']}"]
    for name in ("value", "low", "high"):
        if figure.get(name) is not None:
            parts.append(f"{name}: {rounded(figure[name], decimals).replace('−', '-')}")
    if figure.get("n") is not None:
        parts.append(f"n: {figure['n']}")
    if places:
        parts.append(f"decimals: {decimals}")
    return f"    - {{{', '.join(parts)}}}"


def main(folder: Path | None) -> None:
    """Copy what is new, then renew every entry."""
    for path in sorted(folder.glob("*.json")) if folder else ():
        shutil.copy(path, PACKAGED / "results" / path.name)
    figures = {path.stem: json.loads(path.read_text())["figures"] for path in (PACKAGED / "results").glob("*.json")}
    for name in ENTRIES:
        path = PACKAGED / "data" / f"{name}.yaml"
        entry = ""
        lines = []
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = line.removeprefix("- id: ") if line.startswith("- id: ") else entry
            lines.append(renewed(line, figures))
            if lines[-1] != line:
                print(f"{entry}: {line.strip()} -> {lines[-1].strip()}")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else None)

"""Writes README's table and its stored result from a run of README's main job: `python recipes/renew_default_run.py runs/main`."""

from __future__ import annotations

import json
import re
import sys
from datetime import date
from pathlib import Path
from typing import Any

from maieutic.evaluation.findings import number
from maieutic.evidence.atlas import PACKAGED

README = Path(__file__).parents[1] / "README.md"
STORED = PACKAGED / "results" / "default_run.json"
ROW = re.compile(r"^\| (?P<label>(?:prompted:)?(?P<arm>(?:trained:)?\w+)[^|]*) \| [+−\d].*\|$")


def row(label: str, figures: dict[str, dict[str, Any]]) -> str:
    """One line of README's table."""
    effect, voiced, early = (figures[name] for name in ("effect", "evidence_reached", "advice_before_exploration"))
    value, low, high = (number(effect[name], "points", signed=True) for name in ("value", "low", "high"))
    shares = " | ".join(number(one["value"], "share") for one in (voiced, early))
    return f"| {label} | {value} [{low}, {high}] | {shares} |"


def main(run: Path) -> None:
    """Renew the rows, the day above them, and what the evidence map quotes."""
    by_arm: dict[str, dict[str, dict[str, Any]]] = {}
    for one in json.loads((run / "scores.json").read_text(encoding="utf-8")):
        by_arm.setdefault(one["group"].removeprefix("prompted:"), {})[one["measure"]] = one
    stored, lines = json.loads(STORED.read_text(encoding="utf-8")), []
    for line in README.read_text(encoding="utf-8").splitlines():
        found = ROW.match(line)
        if found is None or found["arm"] not in stored["figures"]:
            lines.append(line)
            continue
        figure, effect = stored["figures"][found["arm"]], by_arm[found["arm"]]["effect"]
        lines.append(row(found["label"], by_arm[found["arm"]]))
        figure |= {name: round(effect[name], 1) + 0.0 for name in ("value", "low", "high")} | {"n": effect["n"]}
        figure["quoted"] = {"file": "README.md", "text": " |".join(lines[-1].split(" |")[:2])}
    today = date.today()
    text = re.sub(r"On \d+ \w+ \d{4} it printed:", f"On {today.day} {today:%B %Y} it printed:", "\n".join(lines) + "\n")
    README.write_text(text, encoding="utf-8")
    stored["made"] = today.isoformat()
    STORED.write_text(json.dumps(stored, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

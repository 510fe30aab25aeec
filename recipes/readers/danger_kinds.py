"""The head that names the kind of danger in a turn, so that the fixed text of that kind is shown; declared for `recipes/fit.py`.

    python recipes/fit.py danger_kind

Rows: the own-written texts of danger and their harmless neighbours; a file is one writer, and no writer is in two folds.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fit import Declared, Rows, own_lines
from heads import Settings, places, vocabulary_of
from maieutic.library import case_ids, get_case
from maieutic.patients.template_voice import every_line
from maieutic.reading.bag import sentence_row
from maieutic.runs.files import files_of_lines
from maieutic.safety.kind_head import WEIGHTS
from maieutic.safety.kinds import READ

DATA = Path(__file__).resolve().parents[1] / "data"
NAMED = {
    "active_ideation": "suicide", "passive_ideation": "suicide", "suicide_active": "suicide", "suicide_passive": "suicide", "suicide": "suicide",
    "self_harm": "self_harm", "abuse": "violence", "abuse_danger": "violence", "child_at_risk": "child", "child": "child",
    "harm_to_others": "others", "violence": "others", "psychosis": "psychosis", "psychosis_commands": "psychosis",
    "postpartum": "psychosis", "postpartum_psychosis": "psychosis", "mania": "mania", "mania_danger": "mania",
    "intoxication": "medical", "substance_danger": "medical", "withdrawal": "medical", "eating": "medical", "eating_danger": "medical",
}  # fmt: skip
"""Kinds as the writers named them → kinds of text."""
HARMLESS = 3
"""Of the harmless texts every third is taken, and of the development patients' lines every fortieth."""
MIN_ITEMS = 12


def _rows() -> Rows:
    found: list[tuple[str, str, str]] = []
    for path in files_of_lines(DATA, "risk_train*.jsonl"):
        found += [(row["text"], NAMED[row["kind"]], path.stem) for row in own_lines(path.stem)]
    for path in files_of_lines(DATA, "safe_train*.jsonl"):
        found += [(row["text"], "none", path.stem.replace("safe", "risk")) for row in own_lines(path.stem)[::HARMLESS]]
    for path in files_of_lines(DATA, "risk_grades_*.jsonl"):
        for number, row in enumerate(own_lines(path.stem)):
            if row["grade"] in ("active", "passive"):
                found.append((row["text"], NAMED[row["kind"]], path.stem))
            elif row["grade"] == "none" and number % HARMLESS == 0:
                found.append((row["text"], "none", path.stem))
    for name in case_ids("dev"):
        case = get_case(name)
        if case.risk.level == "none":
            found += [(line, "none", name) for line in sorted(every_line(case))[::40]]
    found += [(row["text"], row["kind"], f"own {n // 8}") for n, row in enumerate(own_lines("danger_kinds"))]
    vocabulary = vocabulary_of(([text] for text, *_ in found), fewest=MIN_ITEMS)
    x = np.array([sentence_row(text, places(vocabulary)) for text, *_ in found])
    return Rows(x, [kind for _, kind, _ in found], [writer for *_, writer in found], vocabulary=vocabulary)


HEADS = [Declared("danger_kind", WEIGHTS, READ, _rows, Settings(penalty=3.0), folds=8)]

"""The head that hears another danger than suicide in a patient turn; declared for `recipes/fit.py`.

    python recipes/fit.py other_danger

Rows: own-written turns of danger and their harmless twins. A file of `risk_train*`, `risk_grades_*`, `first_told_*` or `veiled_*` is
one writer, and no writer is in two folds; the turns written for this head go by eights.
"""

from __future__ import annotations

from random import Random

import numpy as np
from scipy.sparse import csr_matrix

from fit import Declared, Rows, own_lines
from heads import Settings, places, vocabulary_of
from maieutic.domain.case import Case
from maieutic.library import case_ids, get_case
from maieutic.patients.template_voice import every_line
from maieutic.reading.bag import sentence_row
from maieutic.runs.files import files_of_lines
from maieutic.therapists.risk.other_danger import NONE, OWN, READ, WEIGHTS
from readers.danger_kinds import DATA, NAMED

FINER = {"withdrawal": "withdrawal", "eating": "eating", "eating_danger": "eating", "intoxication": "overdose",
         "substance_danger": "overdose"}  # fmt: skip
"""Kinds as the writers named them that the kinds of text put together."""
HARMLESS = 2
"""Of the harmless texts every second is taken."""
ORDINARY = 3.0
"""Weight of what a development patient without risk says beside one of the others; chosen, as the penalty, out of fold."""
OWN_LIFE = 3
"""Of the texts on the speaker's own life every third."""
MIN_ITEMS = 12
VEILED = {
    "sign": OWN,
    "hopeless": OWN,
    "child_hurt": "child",
    "twin": NONE,
    "fed_up": NONE,
    "child_fine": NONE,
    "simile": NONE,
}
"""Groups of the turns in which danger is only to be heard, and of their harmless twins."""
MEDICAL = "overdose"
"""What stands for a danger to the body that has no class of its own."""
TWIN = 3.0
"""Weight of a turn written for this head beside one of the others."""


def _named(kind: str) -> str:
    found = FINER.get(kind, NAMED[kind])
    return OWN if found in ("suicide", "self_harm") else found


def _first_told(row: dict[str, str]) -> str:
    """A first telling: of another danger, by its name; a hint, a wish or a plan; or harmless."""
    if row["grade"] == "other":
        return row["kind"] if row["kind"] in READ else MEDICAL
    return NONE if row["grade"] == "none" else OWN


def _ordinary(case: Case, known: set[str]) -> list[str]:
    """What a patient without risk says and none before did: half as it stands, half two by two, for in a session
    sentences stand beside each other that were written apart."""
    told = sorted(every_line(case) - known)
    known.update(told)
    Random(case.id).shuffle(told)
    half, pairs = len(told) // 2, len(told) // 4
    return [*told[:half], *map(" ".join, zip(told[half : half + pairs], told[half + pairs :], strict=False))]


def _rows() -> Rows:
    found: list[tuple[str, str, str, float]] = []
    for path in sorted((*files_of_lines(DATA, "risk_train*.jsonl"), *files_of_lines(DATA, "risk_grades_*.jsonl"))):
        rows = [row for row in own_lines(path.stem) if row.get("grade", "active") in ("active", "passive")]
        told = [(row["text"], _named(row["kind"])) for row in rows]
        own = [one for one in told if one[1] == OWN][::OWN_LIFE]
        found += [(*one, path.stem, 1.0) for one in [*(one for one in told if one[1] != OWN), *own]]
    for path in files_of_lines(DATA, "safe_train*.jsonl"):
        writer = path.stem.replace("safe", "risk")
        found += [(row["text"], NONE, writer, 1.0) for row in own_lines(path.stem)[::HARMLESS]]
    for path in files_of_lines(DATA, "risk_grades_*.jsonl"):
        calm = [row["text"] for row in own_lines(path.stem) if row["grade"] == "none"]
        found += [(text, NONE, path.stem, 1.0) for text in calm[::HARMLESS]]
    for path in files_of_lines(DATA, "first_told_*.jsonl"):
        found += [(row["text"], _first_told(row), path.stem, 1.0) for row in own_lines(path.stem)]
    for path in files_of_lines(DATA, "veiled_*.jsonl"):
        found += [(row["text"], VEILED[row["group"]], path.stem, TWIN) for row in own_lines(path.stem)]
    found += [(row["text"], row["kind"], f"own {n // 8}", TWIN) for n, row in enumerate(own_lines("other_dangers"))]
    vocabulary = vocabulary_of(([text] for text, *_ in found), fewest=MIN_ITEMS)  # of words that are weighed up
    known: set[str] = set()
    for case in map(get_case, case_ids("dev")):
        if case.risk.level == "none":
            found += [(text, NONE, case.id, ORDINARY) for text in _ordinary(case, known)]
    x = csr_matrix(np.array([sentence_row(text, places(vocabulary)) for text, *_ in found]))
    return Rows(x, [kind for _, kind, *_ in found], [writer for *_, writer, _ in found],
                np.array([weight for *_, weight in found]), vocabulary)  # fmt: skip


HEADS = [Declared("other_danger", WEIGHTS, READ, _rows, Settings(penalty=10.0), folds=8)]

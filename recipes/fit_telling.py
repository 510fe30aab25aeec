"""Fits the head that tells advice and telling from questions, prints its figures by left-out case, and writes its weights.

    uv run python recipes/fit_telling.py [--dry]

Learns from the labelled turns of the development cases (`recipes/data/comprehension_*.jsonl`); held-out turns on test cases
are not read. Cases are left out in five folds for the figures.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from maieutic.library import case_ids
from maieutic.patients.telling import TELLS, telling_features
from maieutic.reading.head import Head, packed
from maieutic.reading.minilm import MiniLM

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "recipes" / "data"
TARGET = ROOT / "src" / "maieutic" / "patients" / "weights" / "telling.npz"
FOLDS, TOLD, TELLING = 5, ("advice", "told"), 0.3
Row = dict[str, Any]


def read() -> list[Row]:
    """The labelled turns of the development cases; leading ones are told by their form and left out."""
    paths = sorted(DATA.glob("comprehension_*.jsonl"))
    rows = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["kind"] != "leading"]


def fitted(x: NDArray[np.float64], rows: Sequence[Row]) -> LogisticRegression:
    return LogisticRegression(C=3.0, max_iter=3000).fit(x, [r["kind"] in TOLD for r in rows])


def main() -> None:
    rows, embed = read(), MiniLM(cached_texts=20_000)
    x = np.array([telling_features(r["text"], embed([r["text"]])[0]) for r in rows])
    order = {case: place for place, case in enumerate(case_ids("dev"))}
    fold = np.array([order[r["case"]] % FOLDS for r in rows])
    said = np.zeros(len(rows), dtype=bool)
    for part in range(FOLDS):
        away = fold == part
        model = fitted(x[~away], [r for r, out in zip(rows, away, strict=True) if not out])
        said[away] = model.predict_proba(x[away])[:, 1] >= TELLING
    for kind in sorted({r["kind"] for r in rows}):
        own = np.array([r["kind"] == kind for r in rows])
        print(f"{kind}: taken for telling {said[own].mean():.3f} of {own.sum()}")
    if "--dry" not in sys.argv:
        form = fitted(x, rows)
        head = Head((TELLS,), form.coef_, form.intercept_, many=True, doubt=TELLING, fitted_on=embed.name)
        np.savez_compressed(TARGET, **packed(head, "telling", np.float64))


if __name__ == "__main__":
    main()

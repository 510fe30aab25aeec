"""Fit the head of a reader of the gap battery: the class of a motive.

    python recipes/fit_reads_into_and_lost.py   # a minute; prints cross-validated figures and writes the weights

All texts are own-written: purposes under `data`, and the `dev` rows of `tests/gap/data`. Held-out rows are never read,
and every third of the later dev rows is left out to check the heads on.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import yaml
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from maieutic.gap import reads_into_motives as motives
from maieutic.gap.reads_into_purposes import purposes
from maieutic.language.sentences import sentences
from maieutic.reading.minilm import MiniLM

ROOT = Path(__file__).parents[1]
DATA = ROOT / "recipes" / "data"
LABELLED = ROOT / "tests" / "gap" / "data"
WEIGHTS = ROOT / "src" / "maieutic" / "gap" / "weights"
PENALTY = 5.0
FIRST = {"reads_into": 65}
"""Dev rows that stood before those of which every third is kept to check on."""


def fit_motives(embed: MiniLM) -> None:
    """The head of `reads_into_motives`."""
    rows = [(row["text"], row["motive"]) for row in _lines("motive_clauses")]
    rows += _purposes_of_rows()
    x = np.array([motives.features(text, embed) for text, _ in rows])
    y = np.array([name for _, name in rows])
    _judge("motives", x, y, motives.NOTHING)
    _write("motives", _model().fit(x, y), motives.LABELS, embed.name)


def _purposes_of_rows() -> list[tuple[str, str]]:
    """What the grammar finds in labelled replies with one motive, or with none."""
    found = []
    for row in _kept(
        yaml.safe_load((LABELLED / "reads_into_detector.yaml").read_text(encoding="utf-8"))["dev"], "reads_into"
    ):
        names = {one.split(":")[1] for one in row["found"] if one.startswith("motive")}
        heard = [p.words for s in sentences(row["text"].replace("’", "'")) for p in purposes(s)]
        if not names or (len(names) == len(heard) == 1):
            found += [(words, next(iter(names), motives.NOTHING)) for words in heard]
    return found


def _kept(rows: list[dict[str, object]], family: str) -> list[dict[str, object]]:
    first = FIRST[family]
    return rows[:first] + [row for at, row in enumerate(rows[first:]) if at % 3 != 2]


def _lines(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def _model() -> LogisticRegression:
    return LogisticRegression(C=PENALTY, max_iter=1000, class_weight="balanced")


def _judge(name: str, x: np.ndarray, y: np.ndarray, nothing: str) -> None:  # type: ignore[type-arg]
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    chances = cross_val_predict(_model(), x, y, cv=folds, method="predict_proba")
    best = np.unique(y)[chances.argmax(axis=1)]
    print(f"{name}: accuracy {np.mean(best == y):.2f} of {len(y)}")
    for sure in (0.25, 0.35, 0.5):
        taken = (chances.max(axis=1) >= sure) & (best != nothing)
        right = taken & (best == y)
        print(
            f"{name}: from {sure}: precision {right.sum() / taken.sum():.2f}, recall {right.sum() / np.sum(y != nothing):.2f}"
        )


def _write(name: str, model: LogisticRegression, labels: Sequence[str], fitted_on: str) -> None:
    order = [list(model.classes_).index(label) for label in labels]
    np.savez_compressed(
        WEIGHTS / f"{name}.npz",
        weights=model.coef_[order].astype(np.float16),
        bias=model.intercept_[order].astype(np.float32),
        fitted_on=fitted_on,
    )


if __name__ == "__main__":
    fit_motives(MiniLM())

"""Fit the head of a reader of the gap battery: the kind of a therapist turn.

    python recipes/fit_reads_into_and_lost.py          # a minute; prints cross-validated figures and writes the weights

All texts are own-written: turns under `data`, and the `dev` rows of `tests/gap/data`. Held-out rows are never read, and every
third of the later dev rows is left out to check the head on.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import yaml
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from maieutic.gap import lost_labels_head as turns
from maieutic.models.embedding import MiniLM

ROOT = Path(__file__).parents[1]
DATA = ROOT / "recipes" / "data"
LABELLED = ROOT / "tests" / "gap" / "data"
WEIGHTS = ROOT / "src" / "maieutic" / "gap" / "weights"
PENALTY = 5.0
FIRST = 76
"""Dev rows that stood before those of which every third is kept to check on."""


def fit_turns(embed: MiniLM) -> None:
    """The head of `lost_labels_head`."""
    rows = [(row["text"], row["label"]) for row in _lines("turn_kinds")]
    labelled = yaml.safe_load((LABELLED / "lost_detector.yaml").read_text(encoding="utf-8"))["labels"]["dev"]
    rows += [(row["said"], row["label"]) for row in _kept(labelled) if row["label"] in turns.KINDS]
    own = len(rows)
    rows += _coded_turns()
    x = np.array([turns.features(text, embed) for text, _ in rows])
    y = np.array([label for _, label in rows])
    weight = np.where(np.arange(len(rows)) < own, 1.0, 0.3)
    concluding = np.isin(y, ("answer_attempt", "hedge"))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    chances = np.zeros((len(rows), len(turns.KINDS)))
    for train, test in folds.split(x, y):
        model = _model().fit(x[train], y[train], sample_weight=weight[train])
        chances[test] = model.predict_proba(x[test])[:, [list(model.classes_).index(k) for k in turns.KINDS]]
    sure = chances[:own, :2].sum(axis=1)
    print(
        f"turns: five labels right {np.mean(np.array(turns.KINDS)[chances[:own].argmax(axis=1)] == y[:own]):.2f} of {own}"
    )
    for least in (0.4, 0.5, 0.6, 0.7):
        taken = sure >= least
        hits = np.sum(taken & concluding[:own])
        print(
            f"turns: concluding from {least}: precision {hits / taken.sum():.2f}, recall {hits / concluding[:own].sum():.2f}"
        )
    _write("turn_kinds", _model().fit(x, y, sample_weight=weight), turns.KINDS, embed.name)


def _coded_turns() -> list[tuple[str, str]]:
    """Turns coded in other own-written sets whose code settles the kind; they weigh less."""
    found = []
    kinds = {"advice": "answer_attempt", "double": "interrogation"}
    for row in _lines("instrument_turns_a"):
        if len(row["labels"]) == 1 and row["labels"][0] in kinds:
            found.append((row["text"], kinds[row["labels"][0]]))
        elif not row["labels"]:
            found.append((row["text"], "clarification" if "?" in row["text"] else "discussion"))
    for row in _lines("coder_bolt_therapist"):
        labels = set(row["labels"])
        if labels & {"Problem-Solving", "Planning"}:
            found.append((row["text"], "answer_attempt"))
        elif labels == {"Reflections on Emotions"}:
            found.append((row["text"], "discussion"))
    return found


def _kept(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    return rows[:FIRST] + [row for at, row in enumerate(rows[FIRST:]) if at % 3 != 2]


def _lines(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def _model() -> LogisticRegression:
    return LogisticRegression(C=PENALTY, max_iter=1000, class_weight="balanced")


def _write(name: str, model: LogisticRegression, labels: Sequence[str], fitted_on: str) -> None:
    order = [list(model.classes_).index(label) for label in labels]
    np.savez_compressed(
        WEIGHTS / f"{name}.npz",
        weights=model.coef_[order].astype(np.float16),
        bias=model.intercept_[order].astype(np.float32),
        fitted_on=fitted_on,
    )


if __name__ == "__main__":
    fit_turns(MiniLM())

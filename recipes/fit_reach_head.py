"""Fits the head of comprehension on vectors of left-out cases, prints its figures by left-out case, writes the weights.

    uv run python recipes/fit_reach_head.py OUT.npz

OUT.npz comes from `recipes/train_reach_encoder.py cv`; without it (`--plain`) the vectors of MiniLM as it is are used.
The head is chosen and its threshold set on the labelled turns of the development cases, cases left out in five folds:
the lowest threshold at which precision is at least 0.93 there. Held-out turns on test cases are not read.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neural_network import MLPClassifier

from maieutic.domain.case import Situation
from maieutic.library import case_ids, get_case
from maieutic.models.embedding import MiniLM
from maieutic.patients.reaching import FEATURES, Index

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "recipes" / "data"
TARGET = ROOT / "src" / "maieutic" / "patients" / "weights" / "reach_head.json"
FOLDS, SEEDS, HIDDEN, PENALTY, PRECISION = 5, 5, 12, 0.3, 0.93
ENCODER_FOLDS = 3
Floats = NDArray[np.float64]
Row = dict[str, Any]


def read() -> list[Row]:
    """All labelled turns of the development cases."""
    paths = sorted(DATA.glob("comprehension_*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


class Kept:
    """Vectors that the encoder gave for a case when it had not seen that case."""

    name = "kept"

    def __init__(self, path: Path) -> None:
        stored = np.load(path)
        self.vectors = dict(zip(stored["texts"].tolist(), stored["vectors"], strict=True))
        self.fold = 0

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.vectors[f"{self.fold}|{text}"] for text in texts])


def situation_of(row: Row) -> Situation:
    return next(s for s in get_case(row["case"]).situations if s.id == row["situation"])


def measured(rows: Sequence[Row], embed: Any) -> list[tuple[Floats, list[str]]]:
    """(features, fact ids) of every turn."""
    order = {case: i for i, case in enumerate(case_ids("dev"))}
    indices: dict[tuple[str, str], Index] = {}
    found = []
    for row in rows:
        if isinstance(embed, Kept):
            embed.fold = order[row["case"]] % ENCODER_FOLDS
        key = row["case"], row["situation"]
        if key not in indices:
            indices[key] = Index.of(get_case(row["case"]), situation_of(row), embed)
        found.append((indices[key].features(row["text"], embed), [f.name for f in indices[key].facts]))
    return found


def fit(x: Floats, y: Floats) -> Callable[[Floats], Floats]:
    """The mean of a few small networks; returns the function of features to probability."""
    nets = networks(x, y)
    centre, spread = x.mean(0), x.std(0) + 1e-9
    return lambda z: np.mean([net.predict_proba((z - centre) / spread)[:, 1] for net in nets], axis=0)


def networks(x: Floats, y: Floats, seeds: int = SEEDS) -> list[MLPClassifier]:
    centre, spread = x.mean(0), x.std(0) + 1e-9
    return [
        MLPClassifier(
            (HIDDEN,), activation="tanh", alpha=PENALTY, max_iter=400, random_state=seed, early_stopping=False
        ).fit((x - centre) / spread, y)
        for seed in range(seeds)
    ]


def stacked(features: Sequence[tuple[Floats, list[str]]], rows: Sequence[Row]) -> tuple[Floats, Floats]:
    x = np.concatenate([f for f, _ in features])
    y = np.concatenate([[float(n == r["fact"]) for n in names] for (_, names), r in zip(features, rows, strict=True)])
    return x, y


def figures(rows: Sequence[Row], features: Sequence[tuple[Floats, list[str]]]) -> tuple[float, list[str]]:
    """(threshold, lines): precision and recall on left-out cases, over fitting turns and those that ask for no fact."""
    order = {case: i for i, case in enumerate(case_ids("dev"))}
    fold = np.array([order[r["case"]] // ENCODER_FOLDS % FOLDS for r in rows])
    best: list[tuple[float, str, Row]] = []
    for part in range(FOLDS):
        train = [i for i in range(len(rows)) if fold[i] != part and used(rows[i])]
        score = fit(*stacked([features[i] for i in train], [rows[i] for i in train]))
        for i in np.flatnonzero(fold == part):
            values = score(features[i][0])
            best.append((float(values.max()), features[i][1][int(values.argmax())], rows[i]))
    judged = [b for b in best if b[2]["kind"] == "fitting" or b[2]["fact"] is None]
    asked = sum(r["fact"] is not None for _, _, r in judged)
    lines, chosen = [], 0.9
    for threshold in np.arange(0.95, 0.05, -0.05):
        got = [(n, r) for p, n, r in judged if p >= threshold]
        right = sum(n == r["fact"] for n, r in got)
        wrong = Counter(r["kind"] for n, r in got if n != r["fact"])
        precision = right / max(1, len(got))
        if got and precision >= PRECISION:
            chosen = float(round(threshold, 2))
        lines.append(
            f"{threshold:.2f}: precision {precision:.3f}, recall {right / asked:.3f}; wrong by kind {dict(wrong)}"
        )
    top = sum(n == r["fact"] for _, n, r in judged if r["fact"]) / asked
    return chosen, [f"nearest fact right: {top:.3f} of {asked}", *lines]


def used(row: Row) -> bool:
    """Leading turns are told by their form; two questions in one are read by the last."""
    return bool(row["kind"] != "leading")


def main() -> None:
    rows = read()
    plain = "--plain" in sys.argv
    embed = MiniLM(cached_texts=200_000) if plain else Kept(Path(sys.argv[1]))
    features = measured(rows, embed)
    threshold, lines = figures(rows, features)
    print("\n".join(lines), f"\nthreshold {threshold}")
    if "--dry" in sys.argv:
        return
    x, y = stacked(*zip(*[(f, r) for f, r in zip(features, rows, strict=True) if used(r)], strict=True))
    nets = networks(x, y)
    # Several small networks side by side are one network: hidden units joined, outputs averaged on the logit scale.
    stored = {
        "features": FEATURES,
        "centre": x.mean(0).tolist(),
        "spread": (x.std(0) + 1e-9).tolist(),
        "hidden": np.concatenate([n.coefs_[0] for n in nets], axis=1).tolist(),
        "hidden_bias": np.concatenate([n.intercepts_[0] for n in nets]).tolist(),
        "out": (np.concatenate([n.coefs_[1][:, 0] for n in nets]) / len(nets)).tolist(),
        "out_bias": float(np.mean([n.intercepts_[1][0] for n in nets])),
        "threshold": threshold,
    }
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps(stored) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Fit the heads that read the agent's turns, on own-written therapist turns and the coder's encoder.

python recipes/fit_instrument.py     # a minute; prints left-out figures and writes the weights
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_score, recall_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from maieutic.coding.encoder import packaged_encoder
from maieutic.validation.agent.instrument import LABELS

ROWS = Path(__file__).parent / "data" / "instrument_turns.jsonl"
TARGET = Path(__file__).parents[1] / "src" / "maieutic" / "validation" / "agent" / "instrument.npz"


def main() -> None:
    """Fit, judge on left-out turns, write."""
    rows = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
    x = packaged_encoder()([(row["text"], ()) for row in rows]).pooled.astype(np.float64)
    weights, bias, figures = [], [], []
    for label in LABELS:
        y = np.array([label in row["labels"] for row in rows])
        model = LogisticRegression(C=1.0, max_iter=1000)
        folds = StratifiedKFold(5, shuffle=True, random_state=7)
        chance = cross_val_predict(model, x, y, cv=folds, method="predict_proba")[:, 1]
        figures.append((roc_auc_score(y, chance), precision_score(y, chance >= 0.5), recall_score(y, chance >= 0.5)))
        print(label, int(y.sum()), " ".join(f"{value:.2f}" for value in figures[-1]))
        model.fit(x, y)
        weights.append(model.coef_[0])
        bias.append(model.intercept_[0])
    np.savez_compressed(
        TARGET, weights=np.array(weights, dtype=np.float32), bias=np.array(bias), left_out=np.array(figures)
    )


if __name__ == "__main__":
    main()

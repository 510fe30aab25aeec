"""Fit the heads that read the agent's turns, on own-written therapist turns and the coder's encoder.

python recipes/fit_instrument.py     # a minute; prints how the turns of left-out writers are read, and writes the weights
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import precision_score, recall_score, roc_auc_score
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict

from maieutic.coding.encoder import packaged_encoder
from maieutic.validation.agent.instrument import LABELS, features, form

DATA = Path(__file__).parent / "data"
TARGET = Path(__file__).parents[1] / "src" / "maieutic" / "validation" / "agent" / "instrument.npz"
COUNTS = len(form(""))


def main() -> None:
    """Fit, judge on the turns of left-out writers, write."""
    rows, writer = [], []
    for path in sorted(DATA.glob("instrument_turns_*.jsonl")):
        lines = path.read_text(encoding="utf-8").splitlines()
        rows += [json.loads(line) for line in lines]
        writer += [path.stem] * len(lines)
    x = features([row["text"] for row in rows], packaged_encoder())
    # Counts weigh as much as three of the encoder's columns each.
    scale = np.ones(x.shape[1])
    scale[-COUNTS:] = 3.0 * x[:, :-COUNTS].std() / x[:, -COUNTS:].std(axis=0)
    weights, bias, figures = [], [], []
    for label in LABELS:
        y = np.array([label in row["labels"] for row in rows])
        model = LogisticRegression(C=1.0, max_iter=3000)
        chance = cross_val_predict(model, x * scale, y, groups=writer, cv=LeaveOneGroupOut(), method="predict_proba")[
            :, 1
        ]
        figures.append((roc_auc_score(y, chance), precision_score(y, chance >= 0.5), recall_score(y, chance >= 0.5)))
        print(label, int(y.sum()), " ".join(f"{value:.2f}" for value in figures[-1]))
        model.fit(x * scale, y)
        weights.append(model.coef_[0] * scale)
        bias.append(model.intercept_[0])
    np.savez_compressed(
        TARGET, weights=np.array(weights, dtype=np.float32), bias=np.array(bias), left_out=np.array(figures)
    )


if __name__ == "__main__":
    main()

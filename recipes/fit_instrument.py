"""Fit the heads that read the agent's turns, on own-written therapist turns and the coder's encoder.

python recipes/fit_instrument.py     # a minute; prints how the turns of left-out writers are read, and writes the weights
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.metrics import precision_score, recall_score, roc_auc_score
from sklearn.model_selection import LeaveOneGroupOut

from heads import Settings, fit
from maieutic.coding.encoder import packaged_encoder
from maieutic.reading.head import Floats, Head, packed
from maieutic.runs.files import files_of_lines, read_lines
from maieutic.validation.agent.instrument import LABELS, WEIGHTS, features, form

DATA = Path(__file__).parent / "data"
TARGET = Path(__file__).parents[1] / "src" / "maieutic" / WEIGHTS
COUNTS = len(form(""))


def main() -> None:
    """Fit, judge on the turns of left-out writers, write."""
    rows, writer = [], []
    for path in files_of_lines(DATA, "instrument_turns_*.jsonl"):
        lines = read_lines(path)
        rows += lines
        writer += [path.stem] * len(lines)
    x = features([row["text"] for row in rows], packaged_encoder())
    y = np.array([[label in row["labels"] for label in LABELS] for row in rows], dtype=np.float64)
    chances = np.zeros(y.shape)
    for others, left_out in LeaveOneGroupOut().split(x, groups=writer):
        chances[left_out] = fitted(x[others], y[others]).probabilities(x[left_out])
    figures = []
    for label, truth, chance in zip(LABELS, y.T, chances.T, strict=True):
        figures.append(
            (roc_auc_score(truth, chance), precision_score(truth, chance >= 0.5), recall_score(truth, chance >= 0.5))
        )
        print(label, int(truth.sum()), " ".join(f"{value:.2f}" for value in figures[-1]))
    np.savez_compressed(TARGET, **packed(fitted(x, y), dtype=np.float32), left_out=np.array(figures))


def fitted(x: Floats, y: Floats) -> Head:
    """The head on some turns. Counts weigh as much as three of the encoder's columns each."""
    scale = np.ones(x.shape[1])
    scale[-COUNTS:] = 3.0 * x[:, :-COUNTS].std() / x[:, -COUNTS:].std(axis=0)
    head = fit(x * scale, y, LABELS, Settings(balanced=False, many=True, doubt=0.5), fitted_on="coder_encoder")
    return replace(head, weights=head.weights * scale)


if __name__ == "__main__":
    main()

"""Fits the regression of the detector of stances to presuppositions, and says how well it does out of fold.

    python recipes/fit_presuppositions.py          # figures and weights
    python recipes/fit_presuppositions.py --cv     # figures only

Reads the keys `dev`, `dev2` and `dev3` of tests/gap/data/presuppositions_detector.yaml, never `held_out`. Folds never share
an item. The settings below are the same in all folds.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, get_args

import numpy as np
import yaml
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from maieutic.gap.presuppositions import pairs
from maieutic.gap.presuppositions_detector import WEIGHTS, Stance
from maieutic.gap.presuppositions_signs import features
from maieutic.reading.minilm import DIMENSIONS

ROOT = Path(__file__).resolve().parent.parent
LABELLED = ROOT / "tests" / "gap" / "data" / "presuppositions_detector.yaml"
CLASSES = get_args(Stance)
STRENGTH = 4.0
"""Length that a whole group of features, signs or vector, has after scaling; both groups weigh the same."""
C = 0.2
FOLDS = 10


def scaling(x: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Mean and divisor of every feature."""
    spread = x.std(axis=0)
    spread[spread == 0] = 1.0
    groups = np.array([x.shape[1] - DIMENSIONS] * (x.shape[1] - DIMENSIONS) + [DIMENSIONS] * DIMENSIONS)
    return x.mean(axis=0), spread * np.sqrt(groups) / STRENGTH


def fit(x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Slopes and constants on the unscaled features, classes in the order of `Stance`."""
    mean, divisor = scaling(x)
    model = LogisticRegression(C=C, max_iter=2_000, class_weight="balanced").fit((x - mean) / divisor, y)
    slopes = model.coef_ / divisor
    return slopes, model.intercept_ - slopes @ mean


def figures(name: str, y: NDArray[Any], found: NDArray[Any]) -> str:
    """Accuracy, precision and recall."""
    parts = []
    for place, label in enumerate(CLASSES):
        right = int(((found == place) & (y == place)).sum())
        parts.append(f"{label} P {right}/{int((found == place).sum())} R {right}/{int((y == place).sum())}")
    return f"{name}: n = {len(y)}, accuracy {(found == y).mean():.3f}; " + "; ".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cv", action="store_true", help="figures only")
    options = parser.parse_args()
    labelled = yaml.safe_load(LABELLED.read_text(encoding="utf-8"))
    of = {pair.id: pair for pair in pairs()}
    rows = [(part, row) for part in ("dev", "dev2", "dev3") for row in labelled[part]]
    x = np.array([features(row["text"], of[row["item"]].loaded, of[row["item"]].belief) for _, row in rows])
    y = np.array([CLASSES.index(row["label"]) for _, row in rows])
    items = np.array([row["item"] for _, row in rows])
    found = np.zeros_like(y)
    for train, test in GroupKFold(FOLDS, shuffle=True, random_state=0).split(x, y, items):
        slopes, constants = fit(x[train], y[train])
        found[test] = (x[test] @ slopes.T + constants).argmax(axis=1)
    of_part = np.array([part for part, _ in rows])
    for part in dict.fromkeys(of_part):
        print(figures(f"{part} out of fold", y[of_part == part], found[of_part == part]))
    print(figures("all out of fold", y, found))
    if not options.cv:
        slopes, constants = fit(x, y)
        target = ROOT / "src" / "maieutic" / "gap" / WEIGHTS
        np.savez(target, slopes=slopes.astype(np.float32), constants=constants.astype(np.float32))
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()

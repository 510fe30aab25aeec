"""Fit the heads that read a therapist's replies for the gap battery: which reading, which warrant, what was agreed.

    python recipes/fit_mind_tracking_and_push_support.py      # two minutes; prints figures and writes gap/weights/reply_readers.npz

The rows are the development halves of `tests/gap/data`, own-written; no held-out row is used. Penalties are chosen by
cross-validation with whole items left out, without the check rows (every third of the rows added last); the check rows are then read
by a head fitted without them, and the packaged head is fitted on all development rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from maieutic.gap import mind_tracking_ambiguity, mind_tracking_warrants, push_support_handover

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "gap" / "data"
WEIGHTS = ROOT / "src" / "maieutic" / "gap" / "weights" / "reply_readers.npz"
PENALTIES = (0.03, 0.1)
SEEN_EARLIER = {"ambiguity": 68, "warrant": 64, "takes_up": 60}
"""Development rows that are older than the heads; of those after them every third is a check row."""
FORM = 768
"""Numbers at the end of what a head reads that give the form of a reply; each weighs less than the others."""
FORM_WEIGHT = 0.2
Seen = Callable[[str, Any], NDArray[np.float64]]


def main() -> None:
    """Fit, judge, write."""
    mind = yaml.safe_load((DATA / "mind_tracking_detector.yaml").read_text(encoding="utf-8"))
    given = yaml.safe_load((DATA / "push_support_detector.yaml").read_text(encoding="utf-8"))
    stored = {
        **_head(
            "ambiguity",
            mind["ambiguity"]["dev"],
            mind_tracking_ambiguity.seen,
            mind_tracking_ambiguity.ambiguities(),
        ),
        **_head("warrant", mind["warrants"]["dev"], mind_tracking_warrants.seen, mind_tracking_warrants.arguments()),
        **_head("takes_up", given["dev"], push_support_handover.seen, push_support_handover.handovers()),
    }
    WEIGHTS.parent.mkdir(exist_ok=True)
    np.savez_compressed(WEIGHTS, **stored)  # type: ignore[arg-type]


def _head(name: str, rows: Sequence[Any], seen: Seen, items: Sequence[Any]) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    """The stored parts of one head; prints its figures."""
    known = {item.id: item for item in items}
    x = np.array([seen(text, known[key]) for key, _, text in rows])
    y, groups = np.array([label for _, label, _ in rows]), np.array([key for key, *_ in rows])
    after = np.arange(len(rows)) - SEEN_EARLIER[name]
    check = (after >= 0) & (after % 3 == 2)
    scores = {c: np.mean(_left_out(x[~check], y[~check], groups[~check], c) == y[~check]) for c in PENALTIES}
    best = max(scores, key=lambda c: scores[c])
    print(name, {c: round(float(s), 3) for c, s in scores.items()}, "penalty", best)
    _figures("  items left out", _left_out(x[~check], y[~check], groups[~check], best), y[~check])
    _figures("  check rows", _predicted(x[~check], y[~check], x[check], best), y[check])
    centre, scale, model = _fitted(x, y, best)
    weights, bias = model.coef_, model.intercept_
    if len(weights) == 1:  # two classes: as a head of two rows
        weights, bias = np.vstack([-weights / 2, weights / 2]), np.array([-bias[0] / 2, bias[0] / 2])
    parts = {"weights": weights, "bias": bias, "centre": centre, "scale": scale}
    return {f"{name}_{part}": np.asarray(value, dtype=np.float32) for part, value in parts.items()}


def _fitted(x: np.ndarray, y: np.ndarray, penalty: float) -> tuple[np.ndarray, np.ndarray, LogisticRegression]:  # type: ignore[type-arg]
    centre, scale = x.mean(axis=0), x.std(axis=0)
    scale[scale < 1e-6] = 1.0
    scale[-FORM:] /= FORM_WEIGHT
    model = LogisticRegression(C=penalty, max_iter=2_000, class_weight="balanced")
    return centre, scale, model.fit((x - centre) / scale, y)


def _predicted(x: np.ndarray, y: np.ndarray, new: np.ndarray, penalty: float) -> np.ndarray:  # type: ignore[type-arg]
    centre, scale, model = _fitted(x, y, penalty)
    return np.asarray(model.predict((new - centre) / scale))


def _left_out(x: np.ndarray, y: np.ndarray, groups: np.ndarray, penalty: float) -> np.ndarray:  # type: ignore[type-arg]
    found = np.empty_like(y)
    for kept, left in GroupKFold(min(11, len(set(groups))), shuffle=True, random_state=0).split(x, y, groups):
        found[left] = _predicted(x[kept], y[kept], x[left], penalty)
    return found


def _figures(part: str, found: np.ndarray, true: np.ndarray) -> None:  # type: ignore[type-arg]
    shown = []
    for label in sorted(set(true.tolist())):
        hits = int(np.sum((found == label) & (true == label)))
        shown.append(
            f"{label}: precision {hits / max(1, np.sum(found == label)):.2f} recall {hits / np.sum(true == label):.2f}"
        )
    print(f"{part}: accuracy {np.mean(found == true):.2f} of {len(true)};", "; ".join(shown))


if __name__ == "__main__":
    main()

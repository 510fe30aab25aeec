"""What is kept of a head's out-of-fold run: probabilities bound by hash to the data and the weights, no text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coder_examples import Example
from maieutic.coding.head_plan import HeadPlan
from maieutic.validation.coder.datasets import files
from maieutic.validation.coder.stored import sha256

OUT_OF_FOLD = Path(__file__).resolve().parent.parent / "src" / "maieutic" / "validation" / "coder" / "out_of_fold"


@dataclass(frozen=True, slots=True)
class OutOfFold:
    """What was found for rows whose group was left out: folds and probabilities by seed, (seeds, n) and (seeds, n, k)."""

    fold: NDArray[Any]
    scores: NDArray[Any]
    probabilities: NDArray[Any]
    tfidf: NDArray[Any]
    threshold: float | None
    seeds: tuple[int, ...]


def store(
    plan: HeadPlan,
    name: str,
    labels: tuple[str, ...],
    examples: Sequence[Example],
    found: OutOfFold,
    data: Path,
    *,
    accurate: bool,
    settings: Mapping[str, Any],
) -> None:
    """Writes the out-of-fold probabilities with the hashes of data and weights: ids and numbers, no text.

    Args:
        settings: How the heads were fitted.
    """
    weights = [plan.weights(style) for style in plan.styles]
    if accurate:
        weights += [path for path in (plan.encoder_weights(), plan.stance_weights()) if path is not None]
    facts = {
        "data": {name: sha256(data / name) for name in files(plan.id)},
        "weights": {path.name: sha256(path) for path in weights if path.is_file()} if not plan.local else {},
        "multi_label": plan.multi_label,
        "threshold": found.threshold,
        "made": date.today().isoformat(),
        "settings": {
            "folds": int(found.fold.max()) + 1, "seeds": list(found.seeds), "encoder": accurate,
            "spaces": dict(plan.spaces), "dense": plan.dense, "stance": plan.stance, "wide": plan.wide,
            "own_written": sum(one.only_training for one in examples), **settings,
        },
    }  # fmt: skip
    OUT_OF_FOLD.mkdir(parents=True, exist_ok=True)
    rows = np.array([one.id for one in examples if not one.only_training])
    kept: dict[str, Any] = {
        "rows": rows,
        "labels": np.array(labels),
        "fold": found.fold,
        "facts": np.array(json.dumps(facts)),
    }
    kept["probabilities"] = found.probabilities.astype(np.float16)
    if accurate or plan.encoder is None:  # the baseline stands once, beside the coder that is judged
        kept["tfidf"] = found.tfidf.astype(np.float16)
    np.savez_compressed(OUT_OF_FOLD / f"{name}.npz", **kept)


def note(path: Path, entries: dict[str, Any]) -> None:
    """Adds entries to a JSON object on disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    path.write_text(json.dumps(known | entries, indent=1, sort_keys=True) + "\n", encoding="utf-8")

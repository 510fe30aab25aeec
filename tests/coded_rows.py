"""Made-up human codes and stored probabilities for the tests of `validate coder`; no row is from research data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

LABELS = ("question", "reflection", "therapist_input", "other")


@dataclass(frozen=True, slots=True)
class Made:
    """A human-coded row."""

    id: str
    group: str
    labels: tuple[str, ...]


def made_rows(count: int = 120, groups: int = 12, labels: Sequence[str] = LABELS, *, seed: int = 0) -> list[Made]:
    """Rows with random labels, spread over groups."""
    rng = np.random.default_rng(seed)
    return [Made(str(at), f"g{at % groups}", (labels[int(rng.integers(len(labels)))],)) for at in range(count)]


def table_for(
    rows: Sequence[Made], labels: Sequence[str] = LABELS, *, skill: float = 2.0, seeds: int = 2, seed: int = 1
) -> Any:
    """Probabilities that lean to the human code, the more the larger `skill`: (seeds, n, k)."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(seeds, len(rows), len(labels)))
    logits += skill * np.array([[label in row.labels for label in labels] for row in rows])
    powers = np.exp(logits)
    return powers / powers.sum(-1, keepdims=True)


def keep(
    folder: Path, head: str, rows: Sequence[Made], probabilities: Any, data: Path, *, files: Sequence[str] = (),
    labels: Sequence[str] = LABELS, tfidf: Any = None, fold: Any = None, **facts: Any,
) -> Path:  # fmt: skip
    """Write a stored file of one head, bound to `files` in the data folder."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {name: at % 5 for at, name in enumerate(dict.fromkeys(row.group for row in rows))}
    clean = np.array([[names[row.group] for row in rows]] * len(probabilities), dtype=np.int8)
    told = {
        "data": {name: hashlib.sha256((data / name).read_bytes()).hexdigest() for name in files},
        "weights": {}, "multi_label": False, "threshold": None, "made": "2026-11-21", "settings": {},
    } | facts  # fmt: skip
    arrays = {
        "rows": np.array([row.id for row in rows]),
        "labels": np.array(labels),
        "fold": clean if fold is None else fold,
        "probabilities": np.asarray(probabilities, dtype=np.float16),
        "facts": np.array(json.dumps(told)),
    }
    if tfidf is not None:
        arrays["tfidf"] = np.asarray(tfidf, dtype=np.float16)
    path = folder / f"{head}.npz"
    np.savez_compressed(path, **arrays)
    return path

"""Stored out-of-fold probabilities: row ids and numbers, no text, bound by hash to the data and weights they are of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.head_plan import local_weights
from maieutic.errors import InputError, UnreadableFile
from maieutic.reading.head import arrays_in
from maieutic.validation.coder.datasets import Gold
from maieutic.validation.coder.figures import Flags, Floats

FOLDER = Path(__file__).parent / "out_of_fold"
_CODING = Path(__file__).parents[2] / "coding"


@dataclass(frozen=True, slots=True)
class Stored:
    """The out-of-fold probabilities of one head.

    Attributes:
        head: Name of the head.
        rows: Row ids, (n,).
        labels: Label ids in the order of the columns, (k,).
        fold: Test fold of each row by seed, (seeds, n); one row of zeros for a coder that was not fitted.
        probabilities: (seeds, n, k).
        tfidf: The same of the TF-IDF baseline on the same folds; None where it was not kept.
        data: SHA-256 of each data file, by name relative to the data folder.
        weights: SHA-256 of each weight file, by name relative to `maieutic/coding/weights` or the local weights.
        multi_label: Whether a row may carry several labels.
        threshold: Lowest probability at which a label of a multi-label head is given; None for one-label heads.
        made: Date on which they were made.
        settings: Settings of the recipe.
    """

    head: str
    rows: tuple[str, ...]
    labels: tuple[str, ...]
    fold: NDArray[np.int8]
    probabilities: Floats
    tfidf: Floats | None
    data: Mapping[str, str]
    weights: Mapping[str, str]
    multi_label: bool
    threshold: float | None
    made: str
    settings: Mapping[str, Any]


def read(head: str, folder: Path = FOLDER) -> Stored | None:
    """What is stored for a head; None when nothing is. Raises `UnreadableFile` for a broken or incomplete file."""
    path = folder / f"{head}.npz"
    if not path.is_file():
        return None
    try:
        kept = arrays_in(path)
        facts = json.loads(str(kept["facts"]))
        found = Stored(
            head=head,
            rows=tuple(map(str, kept["rows"])),
            labels=tuple(map(str, kept["labels"])),
            fold=kept["fold"],
            probabilities=kept["probabilities"].astype(np.float64),
            tfidf=kept["tfidf"].astype(np.float64) if "tfidf" in kept else None,
            data=facts["data"],
            weights=facts.get("weights", {}),
            multi_label=bool(facts["multi_label"]),
            threshold=facts["threshold"],
            made=str(facts["made"]),
            settings=facts.get("settings", {}),
        )
    except (OSError, BadZipFile, ValueError, KeyError) as error:
        raise UnreadableFile(f"{path} cannot be read ({error!r}); make it again with the recipe") from error
    expected = (found.fold.shape[0], len(found.rows), len(found.labels))
    for name, table in (("probabilities", found.probabilities), ("tfidf", found.tfidf)):
        if table is not None and (table.shape != expected or not np.isfinite(table).all()):
            raise UnreadableFile(f"{path}: {name} {table.shape} do not fit rows, labels and folds {expected}")
    if len(set(found.rows)) != len(found.rows):
        raise UnreadableFile(f"{path}: a row id stands in it twice; make it again with the recipe")
    return found


def check_data(stored: Stored, data: Path) -> None:
    """Refuse figures on other data. Raises `InputError` naming the file and both hashes, `UnreadableFile` for none."""
    for name, expected in stored.data.items():
        path = data / name
        if not path.is_file():
            raise UnreadableFile(f"--data {data} holds no {name}, which the stored figures of {stored.head} are of")
        found = sha256(path)
        if found != expected:
            raise InputError(
                f"{path} is not the file that the stored figures of {stored.head} are of: its SHA-256 is {found}, "
                f"expected {expected}; give that data, or make the figures again: {command(stored.head)}"
            )


def other_weights(stored: Stored) -> list[str]:
    """Weight files that are here but are not those the figures belong to; files that are not here are left out."""
    wrong = []
    for name, expected in stored.weights.items():
        places = (_CODING / "weights" / name, _CODING / name, local_weights() / name)
        path = next((place for place in places if place.is_file()), None)
        if path is not None and sha256(path) != expected:
            wrong.append(name)
    return wrong


def command(head: str, data: str = "../shared/data") -> str:
    """The command that makes the stored figures of a head."""
    return f"python recipes/train_coder.py --data {data} --head {head} --cv"


def aligned(stored: Stored, gold: Sequence[Gold]) -> tuple[Flags, list[str], int, int]:
    """Human codes in the order of the stored rows.

    Returns:
        Flags (n, labels), group of each row, number of human-coded rows that were not stored, and number of labels
        that the head does not know (multi-label heads leave rare ones out).

    Raises:
        InputError: A stored row that has no human code, or a human code that a one-label head does not know.
    """
    by_id = {row.id: row for row in gold}
    lacking = [row for row in stored.rows if row not in by_id]
    if lacking:
        raise InputError(
            f"{stored.head}: {len(lacking)} stored rows have no human code in the data (first: {lacking[0]}); "
            f"make the figures again: {command(stored.head)}"
        )
    place = {label: at for at, label in enumerate(stored.labels)}
    flags = np.zeros((len(stored.rows), len(place)), dtype=bool)
    unknown = 0
    for at, row in enumerate(stored.rows):
        for label in by_id[row].labels:
            if label in place:
                flags[at, place[label]] = True
            elif stored.multi_label:
                unknown += 1
            else:
                raise InputError(f"{stored.head}: row {row} is coded {label!r}, expected one of {list(stored.labels)}")
    return flags, [by_id[row].group for row in stored.rows], len(by_id) - len(stored.rows), unknown


def shared_groups(stored: Stored, groups: Sequence[str]) -> int:
    """Number of (seed, group) pairs whose rows lie in more than one test fold; 0 when folds are clean."""
    broken = 0
    for folds in stored.fold:
        of: dict[str, set[int]] = {}
        for group, fold in zip(groups, folds, strict=True):
            of.setdefault(group, set()).add(int(fold))
        broken += sum(len(found) > 1 for found in of.values())
    return broken


def sha256(path: Path) -> str:
    """Hash of a file's bytes; a file that has not changed is read once."""
    seen = path.stat()
    return _sha256(path.resolve(), seen.st_mtime_ns, seen.st_size)


@lru_cache(maxsize=64)
def _sha256(path: Path, _changed: int, _size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

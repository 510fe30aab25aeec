"""Fits the heads that read text, from declarations: one script for all of them.

    python recipes/fit.py                       # what can be fitted
    python recipes/fit.py stances               # out-of-fold figures, ablation, then weights
    python recipes/fit.py stances --figures     # figures only, nothing is written

A declaration (`recipes/readers/*.py`, a list `HEADS`) says which rows a head learns from, what it sees of them, and where it is
packed. Folds never share a group (a writer, an item, a case); settings are the same in all folds. Calibration is chosen on
out-of-fold scores. The ablation fits the same head without the marks of form and pattern that the declaration names, so that
each pattern that stays has a number. Held-out rows (keys `held_out`) are never read here.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold

from heads import Settings, calibrated, evened, expected_calibration_error, fit
from maieutic.reading.head import Floats, Head, save, shares
from maieutic.reading.plain import plain
from maieutic.runs.files import read_lines
from maieutic.stats import wilson

RECIPES = Path(__file__).resolve().parent
PACKAGE = RECIPES.parent / "src" / "maieutic"


@dataclass(frozen=True)
class Rows:
    """What a head learns from.

    Attributes:
        x: (n, d) features, dense or sparse (rows of scipy).
        y: n labels; where there may be many, n sets of labels.
        groups: What must not be torn apart between folds.
        weights: (n,) weight of each row, or None.
        vocabulary: Words and pairs that the last features count (`maieutic.reading.bag`), if any.
        undecided: Where there may be many: n sets of labels of which nobody said whether they hold; they are not counted.
    """

    x: Any
    y: Sequence[str] | Sequence[frozenset[str]]
    groups: Sequence[str]
    weights: Floats | None = None
    vocabulary: tuple[str, ...] = ()
    undecided: Sequence[frozenset[str]] = ()


@dataclass(frozen=True)
class Declared:
    """One head.

    Attributes:
        name: Its name here and in its file.
        target: File inside the package that holds it; heads with one target are written together.
        labels: In order.
        rows: Reads the own-written rows and computes the features.
        settings: See `maieutic.reading.head.Settings`.
        patterns: Columns of `x` that patterns fill, for the ablation.
        folds: Number of folds.
        fitted_on: Name of the encoder behind the vectors.
        even: Where there may be many labels, each counts from where it is best told out of fold (`evened`).
    """

    name: str
    target: str
    labels: tuple[str, ...]
    rows: Callable[[], Rows]
    settings: Settings = field(default_factory=Settings)
    patterns: Sequence[int] = ()
    folds: int = 5
    fitted_on: str = "minilm-l6-v2-int8"
    even: bool = False


def as_heard(value: Any) -> Any:
    """Every text in it made plain, as all readers are given it."""
    if isinstance(value, str):
        return plain(value).text
    if isinstance(value, dict):
        return {key: as_heard(one) for key, one in value.items()}
    return [as_heard(one) for one in value] if isinstance(value, list) else value


def as_written(path: Path) -> list[dict[str, Any]]:
    """The own-written rows of a file. A number as `before` stands for the text of that row, counted from 0: many replies
    answer one request."""
    rows = read_lines(path)
    return [
        row | {"before": rows[row["before"]]["before"]} if isinstance(row.get("before"), int) else row for row in rows
    ]


def own_lines(name: str) -> list[dict[str, Any]]:
    """The own-written rows of a file in `recipes/data`, packed or not, as heard."""
    return [as_heard(row) for row in as_written(RECIPES / "data" / f"{name}.jsonl")]


def declared() -> dict[str, Declared]:
    """Every declaration by name."""
    sys.path.insert(0, str(RECIPES))
    found: dict[str, Declared] = {}
    for path in sorted((RECIPES / "readers").glob("*.py")):
        for one in import_module(f"readers.{path.stem}").HEADS:
            if one.name in found:
                raise SystemExit(f"two heads are called {one.name}")
            found[one.name] = one
    return found


def truth_of(head: Declared, rows: Rows) -> np.ndarray:
    """Places of the labels (n,), or marks (n, k) where there may be many: 1, 0, and −1 for undecided."""
    if head.settings.many:
        marks = np.array([[label in one for label in head.labels] for one in rows.y], dtype=np.int64)
        for at, some in enumerate(rows.undecided):
            marks[at, [label in some for label in head.labels]] = -1
        return marks
    return np.array([head.labels.index(str(one)) for one in rows.y], dtype=np.int64)


def out_of_fold(head: Declared, rows: Rows) -> Floats:
    """Scores of every row by a head that saw nothing of its group, (n, k)."""
    truth = truth_of(head, rows)
    y = truth.astype(float) if head.settings.many else np.array([str(one) for one in rows.y])
    scores = np.zeros((len(rows.y), len(head.labels)))
    folds = GroupKFold(min(head.folds, len(set(rows.groups))), shuffle=True, random_state=0)
    for train, test in folds.split(rows.x, groups=np.array(rows.groups)):
        weights = None if rows.weights is None else rows.weights[train]
        scores[test] = fit(rows.x[train], y[train], head.labels, head.settings, weights=weights).scores(rows.x[test])
    return scores


def right_of(head: Declared, scores: Floats, truth: np.ndarray) -> np.ndarray:
    """Which rows are read right."""
    if head.settings.many:
        limit = head.settings.doubt or 0.5
        return np.asarray((((shares(scores, many=True) >= limit) == truth) | (truth < 0)).all(axis=1))
    return np.asarray(scores.argmax(axis=1) == truth)


def figures(head: Declared, rows: Rows) -> tuple[Floats, np.ndarray]:
    """Prints what was found out of fold, with the ablation; gives the scores and the truth."""
    truth, scores = truth_of(head, rows), out_of_fold(head, rows)
    kept = [("as declared", scores)]
    if head.patterns:
        plain = replace(rows, x=np.delete(rows.x, list(head.patterns), axis=1))
        kept.append(("without patterns", out_of_fold(head, plain)))
    for name, found in kept:
        right = right_of(head, found, truth)
        share = wilson(int(right.sum()), len(right))
        print(
            f"{head.name}, {name}: right {share.estimate:.3f} [{share.low:.3f}, {share.high:.3f}] of {len(right)} rows"
        )
        for place, label in enumerate(head.labels):
            is_true = truth[:, place] == 1 if head.settings.many else truth == place
            limit = head.settings.doubt or 0.5
            given = shares(found, many=True)[:, place] >= limit if head.settings.many else found.argmax(axis=1) == place
            if head.settings.many:
                given &= truth[:, place] >= 0
            hits = int((given & is_true).sum())
            print(f"    {label}: precision {hits}/{int(given.sum())}, recall {hits}/{int(is_true.sum())}")
    return scores, truth


def off_by(chances: Floats, marks: np.ndarray) -> float:
    """Calibration error of one label among those of which many may hold, over the rows of which it is known."""
    known = marks >= 0
    both = np.column_stack([1 - chances[known], chances[known]])
    return expected_calibration_error(both, marks[known])


def main() -> None:
    """Prints, fits, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="heads to fit; none: list them")
    parser.add_argument("--figures", action="store_true", help="figures only")
    options = parser.parse_args()
    known = declared()
    if not options.names:
        print("\n".join(f"{one.name:<28} {one.target}" for one in known.values()))
        return
    if unknown := sorted(set(options.names) - set(known)):
        raise SystemExit(f"no head called {', '.join(unknown)}; there are {', '.join(known)}")
    targets = {known[name].target for name in options.names}
    written: dict[str, dict[str, Head]] = {target: {} for target in targets}
    for head in known.values():
        if head.target not in targets:
            continue
        rows = head.rows()
        scores, truth = figures(head, rows)
        y = truth.astype(float) if head.settings.many else [str(one) for one in rows.y]
        whole = fit(rows.x, y, head.labels, head.settings, weights=rows.weights, fitted_on=head.fitted_on)
        whole = replace(calibrated(whole, scores, truth), vocabulary=rows.vocabulary)
        even = evened(whole, scores, truth) if head.even else whole
        told = shares((scores + even.bias - whole.bias) / whole.temperature, many=head.settings.many)
        whole = even
        if head.settings.many:
            errors = [off_by(told[:, at], truth[:, at]) for at in range(len(head.labels))]
            print("    calibration error", ", ".join(f"{x} {y:.3f}" for x, y in zip(head.labels, errors, strict=True)))
        else:
            error = expected_calibration_error(told, truth)
            print(f"    temperature {whole.temperature:.2f}, calibration error {error:.3f}")
        written[head.target][head.name] = whole
    if not options.figures:
        for target, heads in written.items():
            save(PACKAGE / target, **heads)
            print(f"{target}: {(PACKAGE / target).stat().st_size} bytes")


if __name__ == "__main__":
    main()

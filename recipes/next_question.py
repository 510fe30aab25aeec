"""Fits the head that says which question suits a reply (`therapists/agent/suiting.py`).

    python recipes/next_question.py

`data/marked_moments.jsonl.xz` holds replies of development patients in talks with several therapists. Readers who know therapy
saw the talk and marked questions of the agent's bank, put right there, by kind: 0 odd, 1 all right, 2 good. Others named
the best next move and up to two as good (`moves`, in the words of `benchmarks/frozen_moments.py`); a choice of moves fitted
on those did no better on its held-out moments and moved patients less, and is not made here. One logistic curve a kind; the
slopes of all kinds lean on one common slope, since a kind was marked in some fifty moments only.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from scipy.optimize import minimize

from maieutic.reading.head import Floats, Head, save
from maieutic.runs.files import read_lines
from maieutic.therapists.agent.suiting import WEIGHTS, reply_row

HERE = Path(__file__).parent
DATA = HERE / "data" / "marked_moments.jsonl.xz"
PACKAGE = HERE.parent / "src" / "maieutic"
PENALTY: Final = 10.0
"""On the slopes, and `ON_BIAS` on each bias; chosen by left-out cases among 1, 3, 10, 30 and 100."""
ON_BIAS: Final = 0.3
FOLDS: Final = 8


def fitted(x: Floats, y: Floats, labels: Sequence[str]) -> Head:
    """A curve a label on what was marked: `y` is (n, k), 0 to 1, and missing where nothing was."""
    centre, scale = x.mean(axis=0), x.std(axis=0)
    scale[scale < 1e-3] = 1.0
    z, known, k, d = (x - centre) / scale, ~np.isnan(y), y.shape[1], x.shape[1]
    target = np.where(known, y, 0.0)

    def loss(p: Floats) -> tuple[float, Floats]:
        bias, slopes = p[:k], p[k:].reshape(k + 1, d)
        chance = 1 / (1 + np.exp(-(z @ (slopes[:k] + slopes[k]).T + bias)))
        missed = -(target * np.log(chance + 1e-9) + (1 - target) * np.log(1 - chance + 1e-9))[known].sum()
        off = np.where(known, chance - target, 0.0)
        of_slopes = np.vstack([off.T @ z, off.sum(axis=1) @ z])
        back = np.concatenate([off.sum(axis=0) + ON_BIAS * bias, (of_slopes + PENALTY * slopes).ravel()])
        return float(missed + PENALTY / 2 * (slopes**2).sum() + ON_BIAS / 2 * (bias**2).sum()), back

    p = minimize(loss, np.zeros(k + (k + 1) * d), jac=True, method="L-BFGS-B").x
    slopes = p[k:].reshape(k + 1, d)
    return Head(tuple(labels), slopes[:k] + slopes[k], p[:k], centre, scale, many=True)


def by_left_out_case(x: Floats, y: Floats, labels: Sequence[str], cases: Sequence[str]) -> Floats:
    """(n, k) what a head says that saw no moment of the case."""
    names = sorted(set(cases))
    fold = dict(zip(np.random.default_rng(0).permutation(names), np.arange(len(names)) % FOLDS, strict=True))
    own = np.array([fold[case] for case in cases])
    found = np.zeros_like(y)
    for number in range(FOLDS):
        found[own == number] = fitted(x[own != number], y[own != number], labels).probabilities(x[own == number])
    return found


def questions(rows: Sequence[dict[str, str]], kinds: Sequence[str]) -> Floats:
    """(n, k) the mean mark of each kind of question, 0–1."""
    y = np.full((len(rows), len(kinds)), np.nan)
    for place, row in enumerate(rows):
        for kind, _, marks in (one.partition(":") for one in row["marks"].split()):
            y[place, int(kind)] = np.mean([int(mark) / 2 for mark in marks])
    return y


def main() -> None:
    """Fits, says how well it tells by left-out cases, and writes the head."""
    first, *lines = read_lines(DATA)
    kinds, rows = first["kinds"], [row for row in lines if row["marks"]]
    x, y = np.array([reply_row(row["reply"]) for row in rows]), questions(rows, kinds)
    told = by_left_out_case(x, y, kinds, [row["case"] for row in rows])
    fine, odd = told[y > 0], told[y == 0]
    print(f"{len(rows)} moments, {int((~np.isnan(y)).sum())} questions, {len(kinds)} kinds; by left-out case:")
    print(f"  one that is all right stands above an odd one: {(fine[:, None] > odd).mean():.2f}")
    for name, may in (("any", kinds), ("that follow", [kind for kind in kinds if kind.startswith("follow_")])):
        at = [kinds.index(kind) for kind in may]
        shown = [n for n in range(len(y)) if (~np.isnan(y[n, at])).sum() > 1]
        best = [np.nanargmax(np.where(np.isnan(y[n, at]), np.nan, told[n, at])) for n in shown]
        chosen = [y[n, at][place] == 0 for n, place in zip(shown, best, strict=True)]
        every = [(y[n, at] == 0).sum() / (~np.isnan(y[n, at])).sum() for n in shown]
        print(
            f"  odd of the questions {name}: {np.mean(every):.2f}; of the likeliest of each moment {np.mean(chosen):.2f}"
        )
    save(PACKAGE / WEIGHTS, suiting=fitted(x, y, kinds))


if __name__ == "__main__":
    main()

"""Fits the head that says which question suits a patient's reply (`therapists/agent/suiting.py`).

    python recipes/next_question.py

`data/next_question.jsonl` holds replies of development patients in talks with several therapists, and what readers who know
therapy marked for questions of the agent's bank put right there: 0 odd, 1 all right, 2 good, by the question's kind. Each
moment was marked by two readers, who saw the talk and different questions. One logistic curve a kind on what the reply
holds; the slopes of all kinds lean on one common slope, since a kind was marked in some fifty moments only.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from scipy.optimize import minimize

from maieutic.reading.head import Floats, Head, save
from maieutic.therapists.agent.suiting import WEIGHTS, reply_row

HERE = Path(__file__).parent
DATA = HERE / "data" / "next_question.jsonl"
PACKAGE = HERE.parent / "src" / "maieutic"
PENALTY: Final = 10.0
"""On the slopes, and `ON_BIAS` on each kind's bias; chosen by left-out cases among 1, 3, 10, 30 and 100."""
ON_BIAS: Final = 0.3
FOLDS: Final = 8


class Mark(NamedTuple):
    """One reader's mark of one question: what is read of the reply, the kind's place, and the mark, 0–2."""

    moment: int
    kind: int
    mark: int


def marks_of(rows: Sequence[dict[str, str]], kinds: Sequence[str]) -> list[Mark]:
    """Every mark of the file."""
    return [
        Mark(place, kinds.index(kind), int(mark))
        for place, row in enumerate(rows)
        for kind, _, given in (one.partition(":") for one in row["marks"].split())
        for mark in given
    ]


def fitted(x: Floats, marks: Sequence[Mark], kinds: Sequence[str]) -> Head:
    """The head on these marks; half a mark counts as a half."""
    centre, scale = x.mean(axis=0), x.std(axis=0) + 1e-6
    z = ((x - centre) / scale)[[one.moment for one in marks]]
    kind = np.array([one.kind for one in marks])
    y = np.array([one.mark / 2 for one in marks])
    k, d = len(kinds), x.shape[1]

    def loss(p: Floats) -> tuple[float, Floats]:
        bias, slopes = p[1 : 1 + k], p[1 + k :].reshape(k + 1, d)
        chance = 1 / (1 + np.exp(-(p[0] + bias[kind] + (z * (slopes[kind] + slopes[k])).sum(axis=1))))
        missed = -(y * np.log(chance + 1e-9) + (1 - y) * np.log(1 - chance + 1e-9)).sum()
        off = chance - y
        back, of_slopes = np.zeros_like(p), np.zeros((k + 1, d))
        np.add.at(of_slopes, kind, off[:, None] * z)
        of_slopes[k] = (off[:, None] * z).sum(axis=0)
        back[0], back[1 : 1 + k] = off.sum(), np.bincount(kind, off, k) + ON_BIAS * bias
        back[1 + k :] = (of_slopes + PENALTY * slopes).ravel()
        return float(missed + PENALTY / 2 * (slopes**2).sum() + ON_BIAS / 2 * (bias**2).sum()), back

    p = minimize(loss, np.zeros(1 + k + (k + 1) * d), jac=True, method="L-BFGS-B").x
    slopes = p[1 + k :].reshape(k + 1, d)
    return Head(tuple(kinds), slopes[:k] + slopes[k], p[0] + p[1 : 1 + k], centre, scale, many=True)


def by_left_out_case(x: Floats, marks: Sequence[Mark], kinds: Sequence[str], cases: Sequence[str]) -> Floats:
    """(n,) what each mark was forecast to be by a head that saw no moment of its case."""
    names = sorted(set(cases))
    fold = dict(zip(np.random.default_rng(0).permutation(names), np.arange(len(names)) % FOLDS, strict=True))
    own = np.array([fold[cases[one.moment]] for one in marks])
    found = np.zeros(len(marks))
    for number in range(FOLDS):
        head = fitted(x, [one for one, at in zip(marks, own, strict=True) if at != number], kinds)
        chances = head.probabilities(x)
        for place in np.flatnonzero(own == number):
            found[place] = chances[marks[place].moment, marks[place].kind]
    return found


def main() -> None:
    """Fits, says how well it tells by left-out cases, and writes the head."""
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    kinds = sorted({one.partition(":")[0] for row in rows for one in row["marks"].split()} - {"compare"})
    rows = [{**row, "marks": " ".join(o for o in row["marks"].split() if o.partition(":")[0] in kinds)} for row in rows]
    x = np.array([reply_row(row["reply"]) for row in rows])
    marks = marks_of(rows, kinds)
    told = by_left_out_case(x, marks, kinds, [row["case"] for row in rows])
    y = np.array([one.mark for one in marks])
    fine, odd = told[y > 0], told[y == 0]
    print(f"{len(rows)} moments, {len(marks)} marks, {len(kinds)} kinds; by left-out case:")
    print(f"  an all right one stands above an odd one: {(fine[:, None] > odd).mean():.2f}")
    for name, may in (("any", kinds), ("that follows", [kind for kind in kinds if kind.startswith("follow_")])):
        chosen, all_of_them = [], []
        for moment in range(len(rows)):
            here = [n for n, one in enumerate(marks) if one.moment == moment and kinds[one.kind] in may]
            if len(here) > 1:
                chosen.append(y[max(here, key=lambda n: told[n])] == 0)
                all_of_them.append((y[here] == 0).mean())
        print(f"  odd of marked questions, {name}: {np.mean(all_of_them):.2f}, the likeliest: {np.mean(chosen):.2f}")
    save(PACKAGE / WEIGHTS, suiting=fitted(x, marks, kinds))


if __name__ == "__main__":
    main()

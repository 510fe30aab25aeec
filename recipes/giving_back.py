"""Fits the head that says what of a reply is worth giving back (`therapists/agent/giving_back.py`).

    python recipes/giving_back.py

`data/giving_back.jsonl.xz` holds replies of 32 development patients (half A of the design note and 16 more, none of half B) in
talks with the agent, parts of them as they stand there, and what readers who know therapy marked for each, given back before a
question: g good, b beside the point, w half of it or torn out, u untrue as it stands, n broken. One logistic curve for what fits
(g, or u, which can be quoted) and one for what would be untrue; a part counts as often as it was marked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
from scipy.optimize import minimize

from maieutic.reading.head import Floats, Head, save
from maieutic.runs.files import read_lines
from maieutic.therapists.agent.echoing import FITS, UNTRUE
from maieutic.therapists.agent.giving_back import CLAIMS, WEIGHTS, back_row
from maieutic.therapists.agent.giving_back import FITS as FITTING

HERE = Path(__file__).parent
DATA = HERE / "data" / "giving_back.jsonl.xz"
PACKAGE = HERE.parent / "src" / "maieutic"
PENALTY: Final = 100.0
"""On the slopes; chosen among 30, 100 and 300, as were the two thresholds of `echoing.py`, on the folds whose figures are printed:
these are somewhat too good."""
FOLDS: Final = 8


def fitted(x: Floats, good: Floats, marks: Floats) -> Head:
    """One curve: `good` is (n,) the share of marks for it, `marks` (n,) how many there are."""
    centre, scale = x.mean(axis=0), x.std(axis=0)
    scale[scale < 1e-3] = 1.0
    z, weight = (x - centre) / scale, marks / 2

    def loss(p: Floats) -> tuple[float, Floats]:
        chance = 1 / (1 + np.exp(-(z @ p[1:] + p[0])))
        missed = -(weight * (good * np.log(chance + 1e-9) + (1 - good) * np.log(1 - chance + 1e-9))).sum()
        off = weight * (chance - good)
        return float(missed + PENALTY / 2 * (p[1:] ** 2).sum()), np.concatenate(
            [[off.sum()], off @ z + PENALTY * p[1:]]
        )

    p = minimize(loss, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B").x
    return Head(("yes",), p[1:][None], p[:1], centre, scale, many=True)


def by_left_out_case(x: Floats, good: Floats, marks: Floats, cases: Sequence[str]) -> Floats:
    """(n,) what a head says that saw no reply of the case."""
    names = sorted(set(cases))
    fold = dict(zip(np.random.default_rng(0).permutation(names), np.arange(len(names)) % FOLDS, strict=True))
    own = np.array([fold[case] for case in cases])
    found = np.zeros(len(good))
    for number in range(FOLDS):
        head = fitted(x[own != number], good[own != number], marks[own != number])
        found[own == number] = head.probabilities(x[own == number])[:, 0]
    return found


def main() -> None:
    """Fits, says how well it tells by left-out cases, and writes the head."""
    rows = read_lines(DATA)
    parts = [(row["case"], row["reply"], part, marks) for row in rows for part, marks in row["parts"]]
    x = np.array([back_row(part, reply) for _, reply, part, _ in parts])
    marks = np.array([len(own) for *_, own in parts], float)
    cases = [case for case, *_ in parts]
    share = [np.array([np.mean([mark in wanted for mark in own]) for *_, own in parts]) for wanted in ("gu", "u")]
    fits, untrue = (by_left_out_case(x, one, marks, cases) for one in share)
    print(f"{len(parts)} parts of {len(rows)} replies; shares of marks, by what a head says that did not see the case:")
    for title, kept in (
        ("all", fits >= 0),
        *((f"fits from {at}, said as so", (fits >= at) & (untrue < UNTRUE)) for at in (FITS, 0.7, 0.8)),
        *((f"fits from {at}, quoted", (fits >= at) & (untrue >= UNTRUE)) for at in (FITS, 0.7, 0.8)),
    ):
        told = Counter("".join(own for (*_, own), one in zip(parts, kept, strict=True) if one))
        shown = ", ".join(f"{mark} {count / told.total():.3f}" for mark, count in sorted(told.items()))
        print(f"  {title}: {int(kept.sum())} parts, {shown}")
    one, other = (fitted(x, own, marks) for own in share)
    both = replace(
        one,
        labels=(FITTING, CLAIMS),
        weights=np.vstack([one.weights, other.weights]),
        bias=np.concatenate([one.bias, other.bias]),
    )
    save(PACKAGE / WEIGHTS, back=both)


if __name__ == "__main__":
    main()

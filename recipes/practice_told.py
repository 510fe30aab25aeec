"""How often what practice tells of a statement is right, each hand read by a head that learnt from others.

    python recipes/practice_told.py

A name that is told as sure or as a family is right where the writer's label is it or belongs to it; what a sentence may be heard as
where one of the kinds that are named is. Limits of chance were chosen on these rows.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from fit import declared, out_of_fold, truth_of
from maieutic.practice.moves import COSTS, FAMILIES, KINDS, statement_part
from maieutic.reading.head import Head, calibrated, evened, shares
from maieutic.stats import wilson


def main() -> None:
    """Prints counts with intervals."""
    head = declared()["practice_moves"]
    rows = head.rows()
    scores, truth = out_of_fold(head, rows), truth_of(head, rows)
    blank = Head(head.labels, np.zeros((len(head.labels), 1)), np.zeros(len(head.labels)), many=True)
    whole = evened(calibrated(blank, scores, truth), scores, truth)
    chances = shares((scores + whole.bias) / whole.temperature, many=True)
    right: Counter[str] = Counter()
    told: Counter[str] = Counter()
    for row, holds, group in zip(chances, rows.y, rows.groups, strict=True):
        own = next((kind for kind in KINDS if kind in holds), None)
        if not group.startswith("hand") or own is None or own.endswith("question"):
            continue
        part = statement_part("", dict(zip(head.labels, row.tolist(), strict=True)))
        named = {one for one in (part.kind, part.other) if one is not None} if part is not None else set()
        how = "nothing named" if part is None else "sure" if part.sure else "may be heard as"
        how += ", a family" if named & {*FAMILIES} else ""
        told[how] += 1
        right[how] += not named.isdisjoint(holds) or (part is None and own == "other")
        if named & {*COSTS}:
            told["said to cost something"] += 1
            right["said to cost something"] += not {*COSTS}.isdisjoint(holds)
        if own in COSTS:
            told["costs something, and that is said"] += 1
            right["costs something, and that is said"] += bool(named & {*COSTS})
    for how, number in told.most_common():
        share = wilson(right[how], number)
        print(f"{how}: {right[how]} of {number}, {share.estimate:.2f} [{share.low:.2f}, {share.high:.2f}]")


if __name__ == "__main__":
    main()

"""The agent's own head for the parts of a reply, declared for `recipes/fit.py`.

    python recipes/fit.py point

Rows: 625 replies of 33 development patients in sessions of four therapists, marked part by part by three readers who saw neither code
nor cases (25 replies by all three: two of them name the same point in 0.89; F1 between two 0.88 for a belief, 0.89 for an image,
0.75 for somebody's words, 0.86 for what does not fit). Folds never share a case. What a sentence holds (`therapists/hearing.py`) is not
among the features: that head learned from the same patients' lines, and would say more here than it does of others.
"""

from __future__ import annotations

import json

import numpy as np

from fit import RECIPES, Declared, Rows, text_of
from maieutic.reading.bag import places, vocabulary_of
from maieutic.reading.head import Settings
from maieutic.therapists.agent.points import PARTS, WEIGHTS, part_rows, parts_of

FEWEST = 4


def _rows() -> Rows:
    """Each part with what most of its readers marked it as; `marks` are a point and a list of parts for each of the others."""
    told = [json.loads(line) for line in text_of(RECIPES / "data" / "reply_parts.jsonl.xz").splitlines()]
    vocabulary = vocabulary_of(([part] for row in told for part in parts_of(row["reply"])), fewest=FEWEST)
    x, y, groups = [], [], []
    for row in told:
        rows = part_rows(row["reply"], places(vocabulary))
        x.append(rows)
        groups += [row["case"]] * len(rows)
        for number in range(1, len(rows) + 1):
            shares = [
                np.mean([number in ([m[at]] if at == 0 else m[at]) for m in row["marks"]]) for at in range(len(PARTS))
            ]
            y.append(frozenset(label for label, share in zip(PARTS, shares, strict=True) if share > 0.5))
    return Rows(np.concatenate(x), y, groups, vocabulary=vocabulary)


HEADS = [Declared("point", WEIGHTS, PARTS, _rows, Settings(balanced=False, many=True), folds=8)]

"""The head that hears intent told plainly, above layers that learned it (`train_intent_encoder.py`); declared for `recipes/fit.py`.

    python recipes/fit.py intent

Rows: what those layers learned from, and answers to what could be tried, and when, by two hands that they never met: a time, a
place and "it" sounded like a plan to them, in one of five such answers. No hand is in two folds; but the layers know all other
hands, so that figures out of fold tell something of these two alone.
"""

from __future__ import annotations

import numpy as np

from fit import Declared, Rows, own_lines
from heads import Settings
from intent_rows import DATA, rows
from maieutic.runs.files import files_of_lines
from maieutic.safety.intent import READ, WEIGHTS, states

PLANS = 3.0
"""Weight of an ordinary plan."""
AT_ONCE = 64


def _rows() -> Rows:
    found = [(row.text, row.label, row.hand, 1.0) for some in rows() for row in some]
    for path in files_of_lines(DATA, "ordinary_plans_*.jsonl"):
        found += [(row["text"], "none", path.stem, PLANS) for row in own_lines(path.stem)]
    parts = [found[at : at + AT_ONCE] for at in range(0, len(found), AT_ONCE)]
    x = np.array([state for part in parts for state in states([text for text, *_ in part])])
    return Rows(
        x, [label for _, label, *_ in found], [hand for *_, hand, _ in found], np.array([one[-1] for one in found])
    )


HEADS = [
    Declared(
        "intent", WEIGHTS, READ, _rows, Settings(penalty=0.03, balanced=False), folds=3, fitted_on="intent_encoder"
    )
]

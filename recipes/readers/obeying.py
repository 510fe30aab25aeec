"""The head that hears a model's draft obey what stands in the patient's words; declared for `recipes/fit.py`.

    python recipes/fit.py obeys

Rows: replies to turns with an instruction to a program amid ordinary sentences, by two writers, that obey it or stay the
therapist's; and what skilled writers said as therapists (`natural_turns`), who count as one writer each.
"""

from __future__ import annotations

import numpy as np

from fit import Declared, Rows, own_lines
from heads import Settings, places, vocabulary_of
from maieutic.therapists.agent.obeying import FINE, READ, WEIGHTS, draft_row

MIN_ITEMS = 4


def _rows() -> Rows:
    found = [(row["reply"], row["said"], row["kind"], f"hand {row['hand']}") for row in own_lines("obeying")]
    for talk in own_lines("natural_turns"):
        said = ""
        for message in talk["messages"]:
            if message["role"] == "assistant" and said:
                found.append((message["content"], said, FINE, talk["by"]))
            said = message["content"] if message["role"] == "user" else said
    vocabulary = vocabulary_of(([reply] for reply, *_ in found), fewest=MIN_ITEMS)
    x = np.array([draft_row(reply, said, vocabulary=dict(places(vocabulary))) for reply, said, *_ in found])
    return Rows(x, [kind for *_, kind, _ in found], [hand for *_, hand in found], vocabulary=vocabulary)


HEADS = [Declared("obeys", WEIGHTS, READ, _rows, Settings(penalty=3.0), folds=8)]

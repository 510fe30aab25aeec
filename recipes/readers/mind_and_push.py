"""Declares the heads that read replies for mind tracking and push versus support: readings, warrants, what was agreed.

    python recipes/fit.py reply_move; python recipes/fit.py ambiguity

after `asked_slot`, whose probabilities are among what these heads read. Rows: own-written sentences by the move they
make (`reply_moves.jsonl`), and the development halves of the detectors' rows; folds leave whole items out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from fit import Declared, Rows, own_lines
from heads import Settings
from maieutic.gap.mind_tracking import left_open
from maieutic.gap.mind_tracking.pragmatics import CLASSES
from maieutic.gap.push_support import arc as push_support_arc
from maieutic.gap.replies import FORM, MOVES, READERS, sense

DATA = Path(__file__).resolve().parents[2] / "tests" / "gap" / "data"
MOVE_LABELS = ("advice", "agreed", "comforts", "link", "meaning", "put_off", "rule", "went", "else")
WEIGHED = Settings(penalty=0.1, scaled=True, light=(FORM, 0.15))


def _moves() -> Rows:
    moves = own_lines("reply_moves")
    # Every fourth sentence that asks for something or for nothing stands for all that makes none of the moves.
    rest = [row for row in own_lines("asked_slots") if row["slot"]][::4]
    texts = [row["text"] for row in (*moves, *rest)]
    labels = [*(row["label"] for row in moves), *("else" for _ in rest)]
    return Rows(np.array([sense(t) for t in texts]), labels, [str(n // 5) for n in range(len(texts))])


def _replies(
    family: str, part: str | None, seen: Callable[[str, Any], Any], items: Callable[[], Sequence[Any]]
) -> Rows:
    found = yaml.safe_load((DATA / f"{family}_detector.yaml").read_text(encoding="utf-8"))
    rows, known = (found[part] if part else found)["dev"], {item.id: item for item in items()}
    labels = [{True: "yes", False: "no"}.get(label, label) for _, label, _ in rows]
    return Rows(np.array([seen(text, known[key]) for key, _, text in rows]), labels, [key for key, *_ in rows])


def _ambiguity() -> Rows:
    return _replies("mind_tracking", "ambiguity", left_open.seen_of_remark, left_open.ambiguities)


def _warrants() -> Rows:
    return _replies("mind_tracking", "warrants", left_open.seen_of_argument, left_open.arguments)


def _handovers() -> Rows:
    return _replies("push_support", None, push_support_arc.seen, push_support_arc.handovers)


HEADS = [
    Declared("reply_move", MOVES, MOVE_LABELS, _moves, Settings(penalty=0.01, scaled=True)),
    Declared("ambiguity", READERS, CLASSES, _ambiguity, WEIGHED, folds=11),
    Declared("warrant", READERS, ("no", "yes"), _warrants, WEIGHED, folds=11),
    Declared("takes_up", READERS, ("no", "yes"), _handovers, WEIGHED, folds=11),
]

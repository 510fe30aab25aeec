"""What sure words for danger add to the heads that read a therapist's question, out of fold, on own-written rows.

    python recipes/sure_words.py

For the tracker (what a question asks, `tracking/asked.py`) and for the coder of our code book (`coding/rules.py`): how many
questions about danger the head finds by itself, with the words, and of how many others each makes one. The words are those of
the package; rows and folds are those the heads are fitted on (`recipes/fit.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from fit import declared, out_of_fold
from maieutic.coding.rules import _SURE_RISK
from maieutic.language.questions import asks_about_safety
from maieutic.reading.head import shares
from maieutic.stats import wilson
from maieutic.tracking.asked import _SUICIDE

Words = dict[str, Callable[[str], bool]]


def shown(reader: str, texts: Sequence[str], about: np.ndarray, head: np.ndarray, sure: Words) -> None:
    """Prints found and falsely found: the head alone, and with each set of words."""
    for name, holds in {"head alone": lambda text: False, **sure}.items():
        found = head | np.array([holds(text) for text in texts])
        hits, alarms = (
            wilson(int(found[about].sum()), int(about.sum())),
            wilson(int(found[~about].sum()), int((~about).sum())),
        )
        print(
            f"{reader}, {name}: found {hits.estimate:.3f} [{hits.low:.3f}, {hits.high:.3f}] of {int(about.sum())}, "
            f"{int(found[~about].sum())} of {int((~about).sum())} others [{alarms.low:.4f}, {alarms.high:.4f}]",
            flush=True,
        )


def tracker() -> None:
    from readers.tracker import asked_lines

    head = declared()["asked_target"]
    lines, rows = asked_lines(), head.rows()
    chance = shares(out_of_fold(head, rows))
    place = head.labels.index("risk")
    found = (chance.argmax(axis=1) == place) & (chance.max(axis=1) >= head.settings.doubt)
    about = np.array([label == "risk" for _, label, *_ in lines])
    sure: Words = {
        "with words for suicide": lambda text: bool(_SUICIDE.search(text)),
        "with questions about safety": asks_about_safety,
        "with both": lambda text: bool(_SUICIDE.search(text)) or asks_about_safety(text),
    }
    shown("tracker", [text for text, *_ in lines], about, found, sure)


def coder() -> None:
    from readers.moves import heard_lines, rows_of

    lines = [line for line in heard_lines() if "risk" in line.known]
    head = replace(declared()["marks"], labels=("risk",))
    rows = replace(
        rows_of(lines), y=[frozenset({"risk"} if line.known["risk"] else ()) for line in lines], undecided=()
    )
    found = shares(out_of_fold(head, rows), many=True)[:, 0] >= head.settings.doubt
    about = np.array([line.known["risk"] for line in lines])
    sure: Words = {"with sure words": lambda text: bool(_SURE_RISK.search(text))}
    shown("coder", [line.text for line in lines], about, found, sure)


if __name__ == "__main__":
    coder()
    tracker()

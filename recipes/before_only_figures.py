"""How well AnnoMI's codes are told before there is an answer: `--before-only` beside the whole, out of fold.

    python recipes/before_only_figures.py --data ../shared/data --scores coder_scores

Heads and the numbers that join their parts are fitted as for the package, on whole dialogues; the utterances of the fold that
was left out are then read with and without the turn after them. The scores of the encoder come from
`train_coder_encoder.py cv --task annomi`; only seeds that are there count.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coder_examples import Example, proper_names, read
from maieutic.coding.features import row
from maieutic.coding.head_coder import MIN_LOG
from maieutic.coding.head_plan import HeadPlan, plan
from maieutic.reading.head import log_shares
from maieutic.validation.coder.figures import macro_f1
from train_coder import NAMES, calibration, fit, inputs, join

HEADS = ("annomi_therapist", "annomi_client", "annomi_question_form")
WAYS = ("scores", "unanswered")


def compare(head: HeadPlan, data: Path, stored: Path) -> dict[str, float]:
    """Macro-F1 by coder and by what was read, on the folds of one seed."""
    examples, labels = read(head, "written", data, accurate=True)
    tested = [one for one in examples if not one.only_training]
    always = [one for one in examples if one.only_training]
    flags = np.array([one.flags for one in tested])
    banned = proper_names([one.said.text for one in tested]) | NAMES
    with np.load(stored, allow_pickle=False) as kept:
        order = [list(kept["labels"]).index(label) for label in labels]
        fold, encoded = kept["fold"], {way: log_shares(kept[way][:, order]) for way in WAYS}
    read_as = {"scores": tested, "unanswered": [before_answer(one) for one in tested]}
    linear = {way: np.zeros(flags.shape) for way in WAYS}
    for number in set(fold.tolist()):
        fitted = fit(head, "written", labels, [tested[at] for at in np.flatnonzero(fold != number)] + always, banned)
        outside = np.flatnonzero(fold == number)
        for way in WAYS:
            linear[way][outside] = fitted.scores(*inputs([read_as[way][at] for at in outside]))
    found: dict[str, NDArray[Any]] = {
        f"{coder}, {way}": np.zeros(flags.shape) for coder in ("fast", "joined") for way in WAYS
    }
    for number in set(fold.tolist()):
        inside, outside = fold != number, fold == number
        joint = calibration(head, linear["scores"][inside], flags[inside])
        tables = {way: joint.table(linear[way]) for way in WAYS}
        logs = {way: np.log(np.maximum(tables[way], MIN_LOG)) for way in WAYS}
        blend = join(head.id, labels, logs["scores"][inside], encoded["scores"][inside], flags[inside])
        for way in WAYS:
            found[f"fast, {way}"][outside] = tables[way][outside]
            found[f"joined, {way}"][outside] = blend.probabilities(logs[way], encoded[way])[outside]
    given = {name: np.eye(len(labels), dtype=bool)[table.argmax(1)] for name, table in found.items()}
    return {name: macro_f1(flags.astype(bool), table) for name, table in given.items()}


def before_answer(one: Example) -> Example:
    """The same utterance before anybody answered it."""
    return replace(one, row=row(replace(one.said, following="")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of research data")
    parser.add_argument("--scores", type=Path, required=True, help="the encoder's out-of-fold scores")
    given = parser.parse_args()
    for head in HEADS:
        for stored in sorted(given.scores.glob(f"{head}_?.npz")):
            for name, value in compare(plan(head), given.data, stored).items():
                sys.stdout.write(f"{stored.stem}, {name.replace('scores', 'whole')}: macro-F1 {value:.3f}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()

"""What it saves, and what it moves, that the accurate AnnoMI coder asks its encoder only where word grams are not sure.

    python recipes/asked_of_encoder.py --data ../shared/data

On the stored out-of-fold probabilities of both tiers, five seeds: from each probability of the word grams on, the share of
utterances that one head would spare the encoder by itself, the share of codes that then differ from those of the coder that always
asks it, macro-F1, the expected calibration error and the mean log loss. Codes of the therapist are told with advice heard beside them
(`coding/advice.py`), too: joined by the packaged numbers, which were fitted on these rows, so that figures stand too high there.
`HeadPlan.sure` was chosen from this table. Last, what the coder spares in therapist turns, where a question is spared only if its
form is sure as well. Fewer are spared than by one head, so that fewer codes change than the table says.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from coder_store import OUT_OF_FOLD
from maieutic.coding.advice import JOINED, Advised, heard_columns
from maieutic.coding.datasets import gold
from maieutic.coding.head_plan import plan
from maieutic.reading.head import Floats, arrays_in
from maieutic.validation.coder.figures import macro_f1

HEADS = ("annomi_therapist", "annomi_client", "annomi_question_form")
TRIED = (0.70, 0.75, 0.80, 0.85, 0.90, 0.95)
BINS = 10


def before(stored: dict[str, Floats]) -> Floats:
    """(seeds, n, labels), without the advice that was heard."""
    return stored.get("before_advice", stored["probabilities"]).astype(np.float64)


def calibration_error(table: Floats, truth: Floats) -> float:
    """Mean distance of probability and share right, over bins and seeds."""
    found = []
    for one in table:
        most, right = one.max(axis=1), one.argmax(axis=1) == truth
        place = np.minimum((most * BINS).astype(int), BINS - 1)
        found.append(
            sum(
                abs((most - right)[place == at].mean()) * (place == at).mean()
                for at in range(BINS)
                if (place == at).any()
            )
        )
    return float(np.mean(found))


def told(table: Floats, always: Floats, truth: Floats) -> str:
    """Codes that differ, macro-F1, calibration error and log loss."""
    flags = np.eye(table.shape[-1], dtype=bool)
    f1 = np.mean([macro_f1(flags[truth], flags[one.argmax(axis=1)]) for one in table])
    loss = -np.log(np.maximum(table[:, np.arange(len(truth)), truth], 1e-9)).mean()
    changed = (table.argmax(axis=-1) != always.argmax(axis=-1)).mean()
    return f"codes changed {changed:.5f}, macro-F1 {f1:.3f}, calibration {calibration_error(table, truth):.3f}, log loss {loss:.3f}"


def spared_together() -> None:
    """The share of therapist turns that both heads of the therapist spare the encoder, at the packaged thresholds.

    The form of a question is stored for the questions of people alone: other turns that word grams take for a question count as
    these do in the mean.
    """
    turns, forms = (arrays_in(OUT_OF_FOLD / f"{head}_fast.npz") for head in (HEADS[0], HEADS[2]))
    place = {str(one): at for at, one in enumerate(forms["rows"])}
    at = np.array([place.get(str(one), -1) for one in turns["rows"]])
    asks = np.array([str(label) == plan(HEADS[2]).only_of for label in turns["labels"]])
    by_words = before(turns)
    sure, question = by_words.max(axis=-1) >= plan(HEADS[0]).sure, asks[by_words.argmax(axis=-1)]
    form_sure = (before(forms).max(axis=-1) >= plan(HEADS[2]).sure)[:, at]
    asked = sure & question
    known = asked & (at >= 0)
    of_asked = form_sure[known].mean()
    print(f"therapist turns: sure {sure.mean():.3f}; sure and no question {(sure & ~question).mean():.3f};")
    print(
        f"  sure questions {asked.mean():.3f}, of {known.sum() / asked.sum():.2f} of which the form is stored, sure in {of_asked:.3f};"
    )
    print(f"  spared by both heads {(sure & ~question).mean() + asked.mean() * of_asked:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of research data")
    data = parser.parse_args().data
    for head in HEADS:
        human = {one.id: one for one in gold(head, data)}
        fast, accurate = (arrays_in(OUT_OF_FOLD / f"{head}{tier}.npz") for tier in ("_fast", ""))
        if list(fast["rows"]) != list(accurate["rows"]):
            raise SystemExit(f"{head}: the two tiers were stored over different rows")
        labels = tuple(map(str, accurate["labels"]))
        truth = np.array([labels.index(human[str(one)].labels[0]) for one in accurate["rows"]])
        by_words, always = before(fast), before(accurate)
        advised, columns = None, np.zeros((0, 0))
        if plan(head).advised:
            advised = Advised.of(json.loads(JOINED.read_text(encoding="utf-8"))[f"{head}_written_accurate"])
            columns = heard_columns([human[str(one)].text for one in accurate["rows"]])
        print(f"{head}, {len(truth)} utterances; packaged: from {plan(head).sure:.2f}")
        for sure in (*TRIED, 2.0):
            spared = by_words.max(axis=-1) >= sure
            mixed = np.where(spared[..., None], by_words, always)
            print(
                f"  {'never spared' if sure > 1 else f'from {sure:.2f}'}: spared {spared.mean():.3f}, {told(mixed, always, truth)}"
            )
            if advised is not None:
                pair = [np.array([advised.probabilities(one, columns) for one in table]) for table in (mixed, always)]
                print(f"    with advice heard (numbers fitted on these rows): {told(*pair, truth)}")
    spared_together()


if __name__ == "__main__":
    main()

"""What it saves, and what it moves, that the accurate AnnoMI coder asks its encoder only where word grams are not sure.

    python recipes/asked_of_encoder.py --data ../shared/data

On the stored out-of-fold probabilities of both tiers, five seeds: from each probability of the word grams on, the share of
utterances that one head would spare the encoder by itself, the share of codes that then differ from those of the coder that always
asks it, in how many of these the coder that always asks is right and in how many the one that spares, macro-F1, the expected
calibration error, the mean log loss and, by the packaged bounds, how many utterances are abstained on. Codes of the therapist are
told with advice heard beside them (`coding/head_coder.py`), too: both tiers as they are stored, advice joined out of fold. Where an
utterance is spared, that is the fast tier's joined numbers, not the accurate one's as in the package.
`HeadPlan.sure` was moved after a look at this table, for 250 utterances a second and core. Last, what the coder spares in therapist
turns, where a question is spared only if its form is sure as well. Fewer are spared than by one head, so that fewer codes change than
the table says.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from coder_store import OUT_OF_FOLD
from maieutic.coding.head_coder import JOINED
from maieutic.coding.head_plan import plan
from maieutic.reading.head import Floats, arrays_in
from maieutic.validation.coder.datasets import gold
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


def told(table: Floats, always: Floats, truth: Floats, doubt: float) -> str:
    """Codes that differ and which of them are right, macro-F1, calibration error, log loss and share abstained on."""
    flags = np.eye(table.shape[-1], dtype=bool)
    code, asked = table.argmax(axis=-1), always.argmax(axis=-1)
    f1 = np.mean([macro_f1(flags[truth], flags[one]) for one in code])
    loss = -np.log(np.maximum(table[:, np.arange(len(truth)), truth], 1e-9)).mean()
    changed = code != asked
    right = [int((one == truth)[changed].sum()) for one in (asked, code)]
    return (
        f"codes changed {changed.mean():.5f} ({changed.sum()}: right before {right[0]}, after {right[1]}), macro-F1 {f1:.4f}, "
        f"calibration {calibration_error(table, truth):.3f}, log loss {loss:.3f}, abstains {(table.max(axis=-1) < doubt).mean():.3f}"
    )


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
        doubt = json.loads(plan(head).blends().read_text(encoding="utf-8"))[f"{head}_written"]["doubt"]
        joined = (
            json.loads(JOINED.read_text(encoding="utf-8"))[f"{head}_written_accurate"] if plan(head).advised else None
        )
        print(f"{head}, {len(truth)} utterances; packaged: from {plan(head).sure:.2f}")
        for sure in (*TRIED, 2.0):
            spared = by_words.max(axis=-1) >= sure
            mixed = np.where(spared[..., None], by_words, always)
            print(
                f"  {'never spared' if sure > 1 else f'from {sure:.2f}'}: spared {spared.mean():.3f}, {told(mixed, always, truth, doubt)}"
            )
            if joined is not None:
                heard = [one["probabilities"].astype(np.float64) for one in (fast, accurate)]
                with_advice = np.where(spared[..., None], *heard)
                print(f"    with advice heard: {told(with_advice, heard[1], truth, joined['doubt'])}")
    spared_together()


if __name__ == "__main__":
    main()

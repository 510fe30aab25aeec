"""Joins the AnnoMI coder's probabilities with the advice that is heard in each sentence, in each tier and punctuation.

    python recipes/join_advice.py --data ../shared/data     # numbers, and the out-of-fold probabilities anew

Fitted on the stored out-of-fold probabilities of `train_coder.py` (kept beside the joined ones, so that this can be run again) and on
the own-written turns of `advice_turns.jsonl`; the ear learned from neither. The stored probabilities are joined by numbers that were
fitted on the other folds. What own rows count for was chosen on these rows and folds, never on the turns of other hands in
`tests/coding/data/advice_heldout*.jsonl`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from coder_store import OUT_OF_FOLD
from fit import own_lines
from maieutic.coding.embedded import place
from maieutic.coding.features import Style, restyle, row
from maieutic.coding.head_coder import JOINED, Advised, HeadCoder, Reading, heard_columns
from maieutic.coding.head_plan import plan
from maieutic.reading.head import Floats
from maieutic.transcripts.utterance import Utterance
from maieutic.validation.coder.datasets import Gold, gold
from maieutic.validation.coder.figures import macro_f1
from maieutic.validation.coder.stored import sha256

HEAD = "annomi_therapist"
OWN = "advice_turns"
OWN_SHARE = 0.25
"""What the own rows count for beside all human-coded ones; 0, 0.25, 0.5 and 1 were tried."""
PULL = 1e-3
RARE_POWER = 0.7
ABSTAIN_SHARE = 0.15


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of research data")
    data = parser.parse_args().data
    human = {one.id: one for one in gold(HEAD, data)}
    own = own_lines(OWN)
    numbers: dict[str, Any] = {}
    for accurate in (False, True):
        for style in plan(HEAD).styles:
            tier = "accurate" if accurate else "fast"
            stored = OUT_OF_FOLD / f"{HEAD}{'' if style == 'written' else f'_{style}'}{'' if accurate else '_fast'}.npz"
            joined = join(stored, human, own, style, accurate=accurate)
            numbers[f"{HEAD}_{style}_{tier}"] = joined.table()
    JOINED.write_text(json.dumps(numbers, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    for stored in OUT_OF_FOLD.glob(f"{HEAD}*.npz"):
        with np.load(stored, allow_pickle=False) as kept:
            arrays = {name: kept[name] for name in kept.files}
        facts = json.loads(str(arrays["facts"]))
        facts["weights"][JOINED.name] = sha256(JOINED)
        facts["settings"]["own_advice"] = len(own)
        np.savez_compressed(stored, **(arrays | {"facts": np.array(json.dumps(facts))}))


def join(
    stored: Path,
    human: dict[str, Gold],
    own: Sequence[dict[str, Any]],
    style: Style,
    *,
    accurate: bool,
) -> Advised:
    """Fits the numbers of one tier and style, and stores the out-of-fold probabilities that follow from them."""
    with np.load(stored, allow_pickle=False) as kept:
        arrays = {name: kept[name] for name in kept.files}
    labels = tuple(map(str, arrays["labels"]))
    before = arrays.get("before_advice", arrays["probabilities"])
    advice = heard_columns([restyle(human[str(one)].text, style) for one in arrays["rows"]])
    truth = np.array([labels.index(human[str(one)].labels[0]) for one in arrays["rows"]])
    own_advice = heard_columns([restyle(one["text"], style) for one in own])
    own_truth = np.array([labels.index(one["label"]) for one in own])
    said = own_probabilities(own, labels, style, accurate=accurate)
    rare = (np.bincount(truth, minlength=len(labels)) / len(truth) * len(labels))[truth] ** -RARE_POWER
    after = np.zeros(before.shape)
    for seed, folds in enumerate(arrays["fold"]):
        for number in range(int(folds.max()) + 1):
            inside, outside = folds != number, folds == number
            found = fitted(
                labels,
                np.vstack([before[seed][inside], said]).astype(float),
                np.vstack([advice[inside], own_advice]),
                np.concatenate([truth[inside], own_truth]),
                weights(rare[inside], own_truth),
            )
            after[seed][outside] = found.probabilities(before[seed][outside].astype(float), advice[outside])
    seeds = len(before)
    whole = fitted(
        labels,
        np.vstack([before.reshape(-1, len(labels)), said]).astype(float),
        np.vstack([np.tile(advice, (seeds, 1)), own_advice]),
        np.concatenate([np.tile(truth, seeds), own_truth]),
        weights(np.tile(rare, seeds), own_truth),
    )
    doubt = float(np.quantile(after.max(2), ABSTAIN_SHARE))
    flags = np.eye(len(labels), dtype=bool)
    was, now = (np.mean([macro_f1(flags[truth], flags[one.argmax(1)]) for one in table]) for table in (before, after))
    right = (said.argmax(1) == own_truth).mean(), (whole.probabilities(said, own_advice).argmax(1) == own_truth).mean()
    print(
        f"{stored.stem}: macro-F1 on human codes {was:.3f} before, {now:.3f} after; "
        f"own rows right {right[0]:.3f} and {right[1]:.3f} (numbers fitted on them), doubt {doubt:.3f}"
    )
    arrays |= {"before_advice": before, "probabilities": after.astype(np.float16)}
    np.savez_compressed(stored, **arrays)
    return replace(whole, doubt=doubt)


def own_probabilities(
    own: Sequence[dict[str, Any]], labels: tuple[str, ...], style: Style, *, accurate: bool
) -> Floats:
    """What the head says of the own turns, each after what the client said before it."""
    coder = HeadCoder(plan(HEAD), accurate=accurate)
    order = [coder.labels.index(label) for label in labels]
    found = []
    for one in own:
        before = [Utterance("client", one["before"])] if one["before"] else []
        said = place([*before, Utterance("therapist", one["text"])], style)[-1:]
        encoder = coder.encoder()
        reading = Reading(said, [row(one) for one in said])
        found.append(coder.probabilities(reading, style, encoder(said) if encoder else None)[0, order])
    return np.array(found)


def weights(rare: Floats, own: Any) -> Floats:
    """Human-coded rows count for one together, own ones for their share and each of their labels alike."""
    even = (1 / np.bincount(own))[own]
    return np.concatenate([rare / rare.sum(), OWN_SHARE * even / even.sum()]) / (1 + OWN_SHARE)


def fitted(labels: tuple[str, ...], before: Floats, heard: Floats, truth: Any, weight: Floats) -> Advised:
    """The numbers with the least weighted log loss, pulled to leaving everything as it was."""
    logs, columns, rows = np.log(np.maximum(before, 1e-4)), heard.shape[1], np.arange(len(truth))
    start = np.zeros(1 + (columns + 1) * len(labels))
    start[0] = 1.0

    def parted(numbers: Floats) -> tuple[float, Floats, Floats]:
        return numbers[0], numbers[1 : -len(labels)].reshape(columns, len(labels)), numbers[-len(labels) :]

    def loss(numbers: Floats) -> tuple[float, Floats]:
        kept, told, bias = parted(numbers)
        scores = kept * logs + heard @ told + bias
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        missed = -(weight * np.log(np.maximum(chances[rows, truth], 1e-12))).sum()
        wrong = chances.copy()
        wrong[rows, truth] -= 1
        wrong *= weight[:, None]
        slope = np.concatenate([[(wrong * logs).sum()], (heard.T @ wrong).ravel(), wrong.sum(axis=0)])
        off = numbers - start
        return float(missed + PULL * (off**2).sum()), slope + 2 * PULL * off

    kept, told, bias = parted(minimize(loss, start, jac=True, method="L-BFGS-B").x)
    return Advised(labels, float(kept), tuple(map(tuple, told.tolist())), tuple(bias.tolist()))


if __name__ == "__main__":
    main()

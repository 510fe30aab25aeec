"""Trains the heads of the embedded coder on the research data and measures them out of fold.

    python recipes/train_coder.py --data ../shared/data --scheme annomi --cv   # figures, and probabilities by row id
    python recipes/train_coder.py --data ../shared/data --scheme annomi        # the same, and the packaged weights

Folds never share a video (AnnoMI) or an utterance (BOLT). The settings below are fixed before the folds are drawn and
are the same for every head; features and settings were compared on other random folds of the same sessions, so the
figures are a little hopeful. Everything that is learned (vocabulary, scaling, weights) is learned inside a fold.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from coder_examples import SPEAKERS, Example, read_annomi, read_bolt
from coder_figures import Figures, bootstrap, expected_calibration_error, macro_f1, platt, temperature
from maieutic.coding.embedded import WEIGHTS
from maieutic.coding.features import Style
from maieutic.coding.heads import Basis, Head, Space, calibrated, save_head
from maieutic.coding.schemes import get_scheme

FOLDS, SEEDS = 5, range(5)
MIN_GROUPS = 5  # sessions (AnnoMI) or utterances (BOLT) that a gram must occur in
CLASS_WEIGHT_POWER = 0.7  # 0 no weighting, 1 balanced
SPACE_WEIGHTS = {"annomi": {"own": 1.0, "other": 0.5, "same": 0.3}, "bolt": {"own": 1.0}}
DENSE_WEIGHT = {"annomi": 4.0, "bolt": 2.0}
TOLERANCE = 1e-3
ABSTAIN_SHARE = 0.15
NAMES = frozenset(Path(__file__).with_name("person_names.txt").read_text(encoding="utf-8").split())


def proper_names(texts: list[str]) -> set[str]:
    """Words that are mostly capitalised where no sentence opens: names of people, places and products."""
    seen: dict[str, list[bool]] = defaultdict(list)
    for text in texts:
        for before, word in re.findall(r"([\w,;]\s+)?\b([A-Za-z]+(?:'[a-z]+)?)", text):
            if before:
                seen[word.lower()].append(word[0].isupper())
    return {word for word, upper in seen.items() if np.mean(upper) > 0.5 and not re.match(r"i('|$)", word)}


def fit_space(examples: list[Example], part: str, weight: float, banned: set[str]) -> Space:
    """A vocabulary of one- and two-word grams that occur in enough groups, without names."""
    groups: dict[str, set[str]] = defaultdict(set)
    rows: dict[str, int] = defaultdict(int)
    for one in examples:
        for gram in set(getattr(one.row, part)):
            groups[gram].add(one.session)
            rows[gram] += 1
    kept = sorted(g for g, where in groups.items() if len(where) >= MIN_GROUPS and not banned & set(g.split()))
    idf = [np.log((1 + len(examples)) / (1 + rows[gram])) + 1 for gram in kept]
    return Space(part, {gram: at for at, gram in enumerate(kept, start=1)}, np.array(idf, dtype=np.float32), weight)


def extra_columns(examples: list[Example]) -> Any:
    return np.array([one.extra for one in examples]) if examples[0].extra else None


def fit(scheme: str, speaker: str, style: Style, examples: list[Example]) -> Head:
    """One head on all the examples given, not yet calibrated."""
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression

    book = get_scheme(scheme)
    banned = proper_names([one.raw for one in examples]) | NAMES
    spaces = tuple(fit_space(examples, part, weight, banned) for part, weight in SPACE_WEIGHTS[scheme].items())
    dense = np.array([(*one.row.dense, *one.extra) for one in examples])
    spread = dense.std(0)
    # A column that never varies has a spread of rounding error; it must not be blown up.
    scale = DENSE_WEIGHT[scheme] / np.sqrt(dense.shape[1]) / np.where(spread > 1e-6, spread, np.inf)
    basis = Basis(spaces, dense.mean(0).astype(np.float32), scale.astype(np.float32))
    features = basis.matrix([one.row for one in examples], extra_columns(examples))
    gold = np.array([one.gold for one in examples])
    if book.multi_label:
        each = LogisticRegression(class_weight="balanced", tol=TOLERANCE, max_iter=1000)
        fitted = [clone(each).fit(features, flags) for flags in gold.T]
        weights = np.vstack([one.coef_ for one in fitted]).T
        intercept = np.concatenate([one.intercept_ for one in fitted])
    else:
        share = gold.mean(0) * gold.shape[1]
        balance = dict(enumerate(share**-CLASS_WEIGHT_POWER))
        joint = LogisticRegression(class_weight=balance, tol=TOLERANCE, max_iter=1000)
        joint.fit(features, gold.argmax(1))
        weights, intercept = joint.coef_.T, joint.intercept_
    return Head(
        tuple(label.id for label in book.labels(speaker)), style, basis, weights.astype(np.float32),
        intercept.astype(np.float32), threshold=0.5 if book.multi_label else None,
    )  # fmt: skip


def folds(examples: list[Example], seed: int, multi_label: bool) -> list[tuple[list[int], list[int]]]:
    """Training and test places of each fold; no group lies in both."""
    from sklearn.model_selection import KFold, StratifiedGroupKFold

    tested = [at for at, one in enumerate(examples) if not one.only_training]
    always = [at for at, one in enumerate(examples) if one.only_training]
    if multi_label:
        parts = KFold(FOLDS, shuffle=True, random_state=seed).split(tested)
    else:
        labels, groups = zip(*((examples[at].gold.index(1), examples[at].group) for at in tested), strict=True)
        parts = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed).split(tested, labels, groups)
    return [([tested[at] for at in a] + always, [tested[at] for at in b]) for a, b in parts]


def out_of_fold(scheme: str, speaker: str, style: Style, examples: list[Example], seeds: range = SEEDS) -> Any:
    """Uncalibrated scores of every tested example by a head that never saw its group: (seeds, n, labels)."""
    multi_label = get_scheme(scheme).multi_label
    tested = sum(not one.only_training for one in examples)
    scores = np.zeros((len(seeds), tested, len(examples[0].gold)))
    for at, seed in enumerate(seeds):
        for training, test in folds(examples, seed, multi_label):
            head = fit(scheme, speaker, style, [examples[place] for place in training])
            held = [examples[place] for place in test]
            scores[at, test] = head.scores([one.row for one in held], extra_columns(held))
    return scores


def calibrate(head: Head, scores: Any, gold: Any) -> Head:
    """Slope, offset, threshold and the level of doubt, from out-of-fold scores."""
    flat, truth = scores.reshape(-1, scores.shape[-1]), np.tile(gold, (len(scores), 1))
    if head.threshold is None:
        slope, offset, threshold = temperature(flat, truth.argmax(1)), 0.0, None
    else:
        slope, offset = platt(flat, truth)
        threshold = float(1 / (1 + np.exp(-offset)))  # where the balanced score is zero
    top = calibrated(flat, slope, offset, multi_label=head.threshold is not None).max(1)
    return replace(head, slope=slope, offset=offset, threshold=threshold, doubt=float(np.quantile(top, ABSTAIN_SHARE)))


def probabilities(head: Head, scores: Any) -> Any:
    """Calibrated probabilities of (seeds, n, labels) scores."""
    flat = scores.reshape(-1, scores.shape[-1])
    return calibrated(flat, head.slope, head.offset, multi_label=head.threshold is not None).reshape(scores.shape)


def figures(name: str, head: Head, scores: Any, examples: list[Example]) -> Figures:
    """Macro-F1 with its interval, the majority baseline beside it, calibration, and what abstaining brings."""
    tested = [one for one in examples if not one.only_training]
    gold, groups = np.array([one.gold for one in tested]), np.array([one.group for one in tested])
    multi_label = head.threshold is not None
    tables = probabilities(head, scores)
    given = tables >= head.threshold if multi_label else np.zeros(tables.shape, dtype=bool)
    np.put_along_axis(given, tables.argmax(-1)[..., None], True, axis=-1)
    sure = tables.max(-1) >= head.doubt
    majority = np.zeros_like(gold, dtype=bool)
    majority[:, gold.sum(0).argmax()] = True
    low, high = bootstrap(gold, given, groups)
    return Figures(
        name=name, utterances=len(tested), groups=len(set(groups)),
        macro_f1=float(np.mean([macro_f1(gold, one) for one in given])), low=low, high=high,
        by_seed=[macro_f1(gold, one) for one in given], majority=macro_f1(gold, majority),
        by_label={label: float(np.mean([macro_f1(gold[:, [at]], one[:, [at]]) for one in given]))
                  for at, label in enumerate(head.labels)},
        calibration_error=float(np.mean([expected_calibration_error(gold, one, multi_label) for one in tables])),
        abstaining=float(1 - sure.mean()),
        macro_f1_when_sure=float(np.mean([macro_f1(gold[s], one[s]) for one, s in zip(given, sure, strict=True)])),
    )  # fmt: skip


def write_probabilities(path: Path, head: Head, scores: Any, examples: list[Example]) -> None:
    """Out-of-fold probabilities, averaged over the seeds: row ids and numbers only."""
    mean = probabilities(head, scores).mean(0)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["row", *(f"p_{re.sub(r'[^a-z0-9]+', '_', label.lower())}" for label in head.labels)])
        for one, numbers in zip(examples, mean, strict=False):
            writer.writerow([one.id, *(f"{number:.4f}" for number in numbers)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with annomi/ and bolt/")
    parser.add_argument("--scheme", choices=["annomi", "bolt"], required=True)
    parser.add_argument("--cv", action="store_true", help="figures only; write no weights")
    parser.add_argument("--out", type=Path, default=WEIGHTS, help="folder for the weights")
    parser.add_argument("--cv-out", type=Path, default=Path("benchmarks/results"), help="folder for the figures")
    given = parser.parse_args()
    styles: tuple[Style, ...] = ("questions",) if given.scheme == "bolt" else ("written", "bare")
    results = []
    for speaker in SPEAKERS:
        for style in styles:
            name = f"{given.scheme}_{speaker}_{style}"
            read = read_bolt(given.data, speaker) if given.scheme == "bolt" else read_annomi(given.data, speaker, style)
            scores = out_of_fold(given.scheme, speaker, style, read)
            gold = np.array([one.gold for one in read if not one.only_training])
            head = calibrate(fit(given.scheme, speaker, style, read), scores, gold)
            if not given.cv:
                save_head(head, given.out / f"{name}.npz")
            results.append(figures(name, head, scores, read))
            sys.stdout.write(f"{results[-1].line()}\n")
            sys.stdout.flush()
            write_probabilities(given.cv_out / f"coder_{name}_out_of_fold.csv", head, scores, read)
    text = json.dumps([one.table() for one in results], indent=1)
    (given.cv_out / f"coder_{given.scheme}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

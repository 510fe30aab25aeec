"""Chooses how the appropriateness head is fitted, and tells what it reads when the choice never saw the stimulus.

    python recipes/appropriateness_settings.py --data ../shared/data

For every stimulus that is left out, each setting is judged on the other seven, each of them left out in its turn; the
setting that is best there reads the eighth. The mean over the eight is what is honest of a chosen setting. What the
packaged head is fitted with is the setting that is best on all eight (`train_coder.STRENGTHS`, `HeadPlan.stance`); its
figures are printed beside it. Which own-written files are learned from is not chosen here. Vocabulary and scaling are
those of the seven, so the inner runs have seen the words of what they are judged on. First of all stands how well each
stance alone orders the replies to a stimulus.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, get_args

import numpy as np
from sklearn.metrics import roc_auc_score

from coder_examples import Example, proper_names, read
from maieutic.coding.head_plan import HeadPlan, plan
from maieutic.gap.presuppositions.detector import Stance
from train_coder import NAMES, STANCE, STATE, Strengths, basis_of, inputs, line_of

HEAD = "appropriateness"
STANCES = (0.0, 2.0)
STRENGTHS = tuple(Strengths(even=even, penalty=penalty) for even, penalty in product((0.0, 1.0), (1.0, 3.0)))


def without(rows: Sequence[Example], stimuli: set[str]) -> list[int]:
    """Places of the rows that may be learned from."""
    return [at for at, one in enumerate(rows) if one.group not in stimuli]


def told(
    head: HeadPlan,
    labels: tuple[str, ...],
    rows: Sequence[Example],
    features: Any,
    left: set[str],
    held: str,
    how: Strengths,
) -> float:
    """The AUC within a stimulus, by a head that has seen none that are left out."""
    kept = without(rows, left)
    line = line_of(head, labels, [rows[at] for at in kept], features[kept], how)
    asked = [at for at, one in enumerate(rows) if one.group == held]
    return float(roc_auc_score([rows[at].flags[0] for at in asked], line.scores(features[asked])[:, 0]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of research data")
    rows, labels = read(plan(HEAD), "written", parser.parse_args().data, accurate=True)
    tested = [one for one in rows if not one.only_training]
    banned, stimuli = proper_names([one.said.text for one in tested]) | NAMES, sorted({one.group for one in tested})
    for held in stimuli:
        mine = [one for one in tested if one.group == held]
        read_off = zip(get_args(Stance), np.array([one.extra[-STATE - STANCE :] for one in mine]).T, strict=False)
        alone = {stance: roc_auc_score([one.flags[0] for one in mine], column) for stance, column in read_off}
        print(f"{held}, one stance alone: {', '.join(f'{n} {v:.2f}' for n, v in alone.items())}", flush=True)
    outer: defaultdict[str, dict[str, float]] = defaultdict(dict)
    chosen: dict[str, str] = {}
    for held in stimuli:
        inner: dict[str, float] = {}
        others = [one for one in stimuli if one != held]
        for stance in STANCES:
            head = replace(plan(HEAD), stance=stance)
            features = basis_of(head, [rows[at] for at in without(rows, {held})], banned).matrix(*inputs(rows))
            for how in STRENGTHS:
                name = f"stance {stance:g}, even {how.even:g}, penalty {how.penalty:g}"
                outer[name][held] = told(head, labels, rows, features, {held}, held, how)
                inner[name] = float(np.mean([told(head, labels, rows, features, {held, o}, o, how) for o in others]))
        chosen[held] = max(inner, key=lambda name: inner[name])
        print(f"{held}: {outer[chosen[held]][held]:.3f} by {chosen[held]}, best on the other seven", flush=True)
    nested = [outer[chosen[held]][held] for held in stimuli]
    print(f"mean {np.mean(nested):.3f}, least {min(nested):.3f}: chosen without the stimulus")
    for name, found in outer.items():
        print(f"{name}: mean {np.mean(list(found.values())):.3f}, least {min(found.values()):.3f}")


if __name__ == "__main__":
    main()

"""Folds that never share a group, the same for every recipe that trains a part of the coder."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

FOLDS = 5


def folds(groups: Sequence[str], seed: int, count: int = FOLDS) -> list[int]:
    """The fold of each row: groups in a shuffled order, large ones first, each to the fold that is smallest so far.

    Args:
        groups: Group of each row.
        seed: Seed of the shuffle.
        count: Number of folds; with as many groups as folds, each fold is one group.
    """
    sizes = Counter(groups)
    names = sorted(sizes)
    random.Random(seed).shuffle(names)
    names.sort(key=lambda name: -min(sizes[name], len(groups) // (4 * count)))
    filled = [0] * count
    place = {}
    for name in names:
        place[name] = min(range(count), key=lambda at: filled[at])
        filled[place[name]] += sizes[name]
    return [place[group] for group in groups]

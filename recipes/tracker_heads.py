"""The tracker's heads and how much one turn of them counts, chosen on left-out development cases (see `fit_tracker.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from fit_tracker import Exchange, case_lines, fit_head, folded, shares_with, written
from heads import expected_calibration_error
from maieutic.library import get_case
from maieutic.protocols import Embedder
from maieutic.reading.head import Head, log_shares
from maieutic.tracking.space import BELIEFS, EMOTIONS, Floats, normalised
from maieutic.validation.tracking.forecasted import truth
from reply_kinds import fit_replies, vector_of

WEIGHTS = (0.0, 0.03, 0.05, 0.08, 0.1, 0.12, 0.15, 0.18, 0.25)
NAMED = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)
SOFTER = (1.0, 1.1, 1.2)
"""What the logarithms of feelings are divided by: several feelings named together are taken for surer than they are."""
CALIBRATED = 0.05
"""ECE that a weight may have at most, where one has so little: the best of these is taken."""
EVEN = {"category": 0.19, "emotion": 0.5}
"""Share of the even distribution in what is held before a word; that of feelings was chosen on left-out cases, for log score and ECE."""
FROM = 5
"""Patient turn from which forecasts are scored."""
Lines = Sequence[tuple[str, Floats, str]]


def fit_all(
    items: Sequence[Exchange], names: Sequence[str], embed: Embedder
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Head]]:
    """The heads with their weights, left-out figures for the card, and by case the head for kinds of reply without it."""
    vectors = vectors_of(items, embed)
    reply, kinds, without = fit_replies(items, names, vectors, embed)
    card: dict[str, object] = {"kinds of reply": kinds}
    found: dict[str, object] = {"reply_head": reply}
    talks = sessions_of(items)
    lines = [(name, vector_of(embed, text), b, m) for name, text, b, m in case_lines(names)]
    for label, key, space, at in (("category", "belief", BELIEFS, 2), ("emotion", "emotion", EMOTIONS, 3)):
        own = [("", *row) for row in _own(label, key, embed)]
        told = [(line[0], line[1], str(line[at])) for line in lines]
        truths = [truth(get_case(talk[0].case), talk[0].after)[key] for talk in talks]
        met = sorted({(talk[0].case, talk[0].after.situation, y) for talk, y in zip(talks, truths, strict=True)})
        start = shares_with([space[y] for _, _, y in met], space, even=EVEN[label])
        steps: list[Floats] = [np.zeros((0, 0))] * len(talks)
        without_case = heads_without(own, told, names, space)
        for place, talk in enumerate(talks):
            head = without_case[talk[0].case]
            steps[place] = np.array([head.log_probabilities(vectors[e.text]) for e in talk])
        named, softer = (NAMED, SOFTER) if label == "emotion" else ((0.0,), (1.0,))
        scores = {
            (weight, spoken, soft): _score(talks, steps, truths, np.log(start) / soft, weight / soft, spoken / soft)
            for weight, spoken, soft in product(WEIGHTS, named, softer)
        }
        best = max(scores, key=lambda one: (scores[one][1] <= CALIBRATED, scores[one][0]))
        card[f"{label}: weight, named, divided by, log score, ECE"] = (*best, *(round(one, 3) for one in scores[best]))
        card[f"{label}: the prior"] = round(scores[0.0, 0.0, 1.0][0], 3)
        weight, spoken, soft = best
        found |= {f"{label}_head": _head([*own, *told], space), f"{label}_weight": weight / soft}
        found |= {f"{label}_start": normalised(start ** (1.0 / soft))}
        found |= {"named_feeling": spoken / soft} if label == "emotion" else {}
    accurate = {(talk[0].case, talk[0].after.situation): truth(get_case(talk[0].case), talk[0].after)["accurate"] for talk in talks}  # fmt: skip
    found["base_accurate"] = float(shares_with([str(one) for one in accurate.values()], ["0", "1"], even=0.02)[1])
    return found, card, without


def vectors_of(items: Sequence[Exchange], embed: Embedder) -> dict[str, Floats]:
    """The sentence vector of each reply."""
    return {text: vector_of(embed, text) for text in {e.text for e in items}}


def heads_without(own: Lines, told: Lines, names: Sequence[str], space: Sequence[str]) -> dict[str, Head]:
    """By case the head that has not met it; a line of `told` is a case's."""
    found = dict[str, Head]()
    for kept, left in folded(names):
        found |= dict.fromkeys(left, _head([*own, *(line for line in told if line[0] in kept)], space))
    return found


def _score(
    talks: Sequence[Sequence[Exchange]], steps: Sequence[Floats], truths: Sequence[int], start: Floats, weight: float,
    spoken: float,
) -> tuple[float, float]:  # fmt: skip
    """Mean log score of what was true from turn `FROM` on, and the ECE of what was held likeliest."""
    found, chances, true = [], [], []
    for talk, step, y in zip(talks, steps, truths, strict=True):
        total = start + np.cumsum(weight * step, axis=0)
        if spoken:
            once = np.maximum.accumulate([[g in e.named for g in EMOTIONS] for e in talk], axis=0)
            total = total + spoken * once
        logs = log_shares(total)[FROM:]
        if len(logs):
            found.append(float(logs[:, y].mean()))
            chances.append(np.exp(logs))
            true += [y] * len(logs)
    return float(np.mean(found)), expected_calibration_error(np.concatenate(chances), np.array(true))


def _own(label: str, key: str, embed: Embedder) -> list[tuple[Floats, str]]:
    name = {"category": "beliefs", "emotion": "emotions"}[label]
    return [(vector_of(embed, str(r["text"])), str(r[key])) for r in written(f"tracker_{name}.jsonl")]


def _head(lines: Lines, space: Sequence[str]) -> Head:
    x, y = np.array([vector for _, vector, _ in lines]), np.array([label for _, _, label in lines])
    return fit_head(x, y, list(space), c=1.0, balanced=True)


def sessions_of(items: Sequence[Exchange]) -> list[list[Exchange]]:
    """The exchanges of each session, in order; a session begins where nothing was asked."""
    found: list[list[Exchange]] = []
    for e in items:
        if e.question is None:
            found.append([])
        found[-1].append(e)
    return found

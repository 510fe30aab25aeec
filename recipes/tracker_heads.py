"""The tracker's heads and how much one turn of them counts, chosen on left-out development cases (see `fit_tracker.py`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from danger_heads import fit_danger
from fit_tracker import Exchange, case_lines, fit_head, folded, tempered, written
from maieutic.language.feelings import disclosed_feelings
from maieutic.library import get_case
from maieutic.protocols import Embedder
from maieutic.reading.head import Head
from maieutic.tracking.ear import reply_features
from maieutic.tracking.space import BELIEFS, EMOTIONS, REPLIES, Floats

WEIGHTS = (0.02, 0.05, 0.08, 0.12, 0.18, 0.25, 0.35, 0.5)
NAMED = (0.0, 0.5, 1.0, 1.5, 2.0)


def fit_all(
    items: Sequence[Exchange], names: Sequence[str], embed: Embedder
) -> tuple[dict[str, object], dict[str, object]]:
    """The heads with their weights, and the left-out figures for the card."""
    vectors = {text: embed([text])[0].astype(np.float64) for text in {e.text for e in items}}
    reply, kinds = fit_replies(items, names, vectors)
    beliefs = [
        (embed([str(r["text"])])[0].astype(np.float64), str(r["belief"])) for r in written("tracker_beliefs.jsonl")
    ]
    emotions = [
        (embed([str(r["text"])])[0].astype(np.float64), str(r["emotion"])) for r in written("tracker_emotions.jsonl")
    ]
    lines = [(n, embed([t])[0].astype(np.float64), b, m) for n, t, b, m, _ in case_lines(names)]
    card: dict[str, object] = {"kinds of reply, left-out cases": kinds}
    found: dict[str, object] = {"reply_head": reply}
    talks = spoken(items)
    for label, own, place, space in (("category", beliefs, 2, BELIEFS), ("emotion", emotions, 3, EMOTIONS)):
        scores: dict[tuple[float, float], list[float]] = defaultdict(list)
        for kept, left in folded(names):
            head = _head(own, [line for line in lines if line[0] in kept], place, space)
            for name in left:
                for said, truth in talks[name]:
                    steps = np.array([head.log_probabilities(vectors[text]) for text in said])
                    spoken_of = np.array([[g in disclosed_feelings(t) for g in EMOTIONS] for t in said], dtype=float)
                    for weight in WEIGHTS:
                        for named in NAMED if label == "emotion" else (0.0,):
                            total = np.cumsum(
                                weight * steps + (named * spoken_of if label == "emotion" else 0.0), axis=0
                            )
                            total -= np.log(np.exp(total - total.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)) + total.max(axis=1, keepdims=True)  # fmt: skip
                            scores[weight, named].append(float(np.mean(total[3:, space.index(truth[place - 2])])))
        best = max(scores, key=lambda k: np.mean(scores[k]))
        card[f"{label}: weight, named, log score"] = (*best, round(float(np.mean(scores[best])), 3))
        card[f"{label}: even guess"] = round(-float(np.log(len(space))), 3)
        found[f"{label}_head"] = _head(own, lines, place, space)
        found[f"{label}_weight"] = best[0]
        if label == "emotion":
            found["named_feeling"] = best[1]
    danger, card["risk"] = fit_danger(embed, names)
    return {**found, **danger}, card


def _head(own: Sequence[tuple[Floats, str]], lines: Sequence[tuple], place: int, space: Sequence[str]) -> Head:  # type: ignore[type-arg]
    x = np.array([v for v, _ in own] + [line[1] for line in lines])
    y = np.array([label for _, label in own] + [line[place] for line in lines])
    return fit_head(x, y, list(space), c=1.0, balanced=True)


def spoken(items: Sequence[Exchange]) -> dict[str, list[tuple[list[str], tuple[str, str]]]]:
    """By case, the patient's words of each session with (belief, strongest feeling)."""
    found: dict[str, list[tuple[list[str], tuple[str, str]]]] = defaultdict(list)
    for e in items:
        if e.question is None:
            case = get_case(e.case)
            situation = case.situation(e.after.situation)
            strongest = max(situation.emotions, key=lambda m: m.intensity).group
            found[e.case].append(([], (case.core_beliefs[0].category, strongest)))
        found[e.case][-1][0].append(e.text)
    return {name: [(said, truth) for said, truth in talks if len(said) > 3][::4] for name, talks in found.items()}


def fit_replies(
    items: Sequence[Exchange], names: Sequence[str], vectors: dict[str, Floats]
) -> tuple[Head, dict[str, float]]:
    """The head for kinds of reply, its temperature and left-out accuracy."""
    unique = {(e.case, e.text, e.question): e.kind for e in items}
    keys = list(unique)
    x = np.array([reply_features(text, vectors[text], question) for _, text, question in keys])
    y = np.array([unique[k].value for k in keys])
    case = np.array([k[0] for k in keys])
    labels = [kind.value for kind in REPLIES]
    right, temperatures, loss = [], [], []
    for _, left in folded(names):
        out = np.isin(case, left)
        head = fit_head(x[~out], y[~out], labels, c=1.0)
        rows, truth = x[out], [labels.index(v) for v in y[out]]
        head = tempered(head, rows, truth)
        temperatures.append(head.temperature)
        logs = head.log_probabilities(rows)
        right.append(float(np.mean(logs.argmax(axis=1) == np.array(truth))))
        loss.append(float(-np.mean(logs[np.arange(len(truth)), truth])))
    head = replace(fit_head(x, y, labels, c=1.0), temperature=float(np.median(temperatures)))
    return head, {"accuracy": round(float(np.mean(right)), 3), "log-loss": round(float(np.mean(loss)), 3),
                  "temperature": head.temperature, "replies": len(keys)}  # fmt: skip

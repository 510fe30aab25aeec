"""Fits the head of comprehension, prints its figures by left-out case, and writes weights and card.

    uv run python recipes/fit_reach_head.py OUT.npz [--dry]

Fitted on the labelled turns of the development cases that the rules over a turn's form let through, as the package meets
them. Cases are left out in five folds for the figures; the threshold is the lowest at which, on left-out cases, precision
is at least 0.92 and
at most 2 % of advice, keyword piles and questions about another life reach a fact. OUT.npz holds what encoders that never saw the case make of each turn (`train_reach_encoder.py cv`): the
head is fitted and judged on that, never on what the packaged encoder makes of the turns it was trained with. Held-out turns on test cases are not read.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from maieutic.domain.case import Situation
from maieutic.library import case_ids, get_case
from maieutic.patients.comprehension import asks_well
from maieutic.patients.reaching import FEATURES, PAIRED, TELLS, Index, telling_features, weighed
from maieutic.reading.head import Head, packed
from maieutic.reading.minilm import MiniLM
from maieutic.reading.network import Network, packed_network

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "recipes" / "data"
TARGET = ROOT / "src" / "maieutic" / "patients" / "weights" / "reach_head.npz"
CARD = TARGET.with_name("REACH_CARD.md")
FOLDS, SEEDS, HIDDEN, PENALTY, PRECISION = 5, 5, 12, 1.0, 0.92
STRANGERS, AT_MOST = ("advice", "pile", "other_life"), 0.02
"""Turns that must reach nothing, and the share of them that may."""
TOLD, TELLING = ("advice", "told"), 0.3
Floats = NDArray[np.float64]
Row = dict[str, Any]


def read() -> list[Row]:
    """The labelled turns of the development cases; leading ones are told by their form and left out."""
    paths = sorted(DATA.glob("comprehension_*.jsonl"))
    rows = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["kind"] != "leading"]


def situation_of(row: Row) -> Situation:
    return next(s for s in get_case(row["case"]).situations if s.id == row["situation"])


def measured(rows: Sequence[Row], embed: MiniLM, unseen: Path) -> list[tuple[Floats, list[str]]]:
    """(features, fact ids) of every turn."""
    indices: dict[tuple[str, str], Index] = {}
    found = []
    paired = np.load(unseen)
    for number, row in enumerate(rows):
        key = row["case"], row["situation"]
        if key not in indices:
            indices[key] = Index.of(get_case(row["case"]), situation_of(row), embed)
        values = indices[key].features(row["text"], embed)
        values[:, -PAIRED:] = weighed(paired[str(number)])
        found.append((values, [f.name for f in indices[key].facts]))
    return found


def fit(x: Floats, y: Floats) -> Callable[[Floats], Floats]:
    """The mean of a few small networks; returns the function of features to probability."""
    nets = networks(x, y)
    centre, spread = x.mean(0), x.std(0) + 1e-9
    return lambda z: np.mean([net.predict_proba((z - centre) / spread)[:, 1] for net in nets], axis=0)


def telling(rows: Sequence[Row], embed: MiniLM) -> LogisticRegression:
    x = np.array([telling_features(r["text"], embed([r["text"]])[0]) for r in rows])
    return LogisticRegression(C=3.0, max_iter=3000).fit(x, [r["kind"] in TOLD for r in rows])


def tells(model: LogisticRegression, row: Row, embed: MiniLM) -> bool:
    x = telling_features(row["text"], embed([row["text"]])[0])[None]
    return bool(model.predict_proba(x)[0, 1] >= TELLING)


def networks(x: Floats, y: Floats, seeds: int = SEEDS) -> list[MLPClassifier]:
    centre, spread = x.mean(0), x.std(0) + 1e-9
    return [
        MLPClassifier(
            (HIDDEN,), activation="tanh", alpha=PENALTY, max_iter=400, random_state=seed, early_stopping=False
        ).fit((x - centre) / spread, y)
        for seed in range(seeds)
    ]


def stacked(features: Sequence[tuple[Floats, list[str]]], rows: Sequence[Row]) -> tuple[Floats, Floats]:
    x = np.concatenate([f for f, _ in features])
    y = np.concatenate([[float(n == r["fact"]) for n in names] for (_, names), r in zip(features, rows, strict=True)])
    return x, y


def figures(
    rows: Sequence[Row], features: Sequence[tuple[Floats, list[str]]], embed: MiniLM
) -> tuple[float, list[str]]:
    """(threshold, lines): precision and recall on left-out cases, over fitting turns and those that ask for no fact."""
    order = {case: i for i, case in enumerate(case_ids("dev"))}
    fold = np.array([order[r["case"]] % FOLDS for r in rows])
    best: list[tuple[float, str, Row]] = []
    for part in range(FOLDS):
        train = [i for i in range(len(rows)) if fold[i] != part and asks_well(rows[i]["text"])]
        score = fit(*stacked([features[i] for i in train], [rows[i] for i in train]))
        form = telling([rows[i] for i in np.flatnonzero(fold != part)], embed)
        for i in np.flatnonzero(fold == part):
            asks = asks_well(rows[i]["text"]) and not tells(form, rows[i], embed)
            values = score(features[i][0]) if asks else np.zeros(1)
            best.append((float(values.max()), features[i][1][int(values.argmax())], rows[i]))
    judged = [b for b in best if b[2]["kind"] == "fitting" or b[2]["fact"] is None]
    asked = sum(r["fact"] is not None for _, _, r in judged)
    lines, chosen = [], 0.9
    for threshold in np.arange(0.95, 0.095, -0.01):
        got = [(n, r) for p, n, r in judged if p >= threshold]
        right = sum(n == r["fact"] for n, r in got)
        wrong = Counter(r["kind"] for n, r in got if n != r["fact"])
        precision = right / max(1, len(got))
        strangers = sum(r["kind"] in STRANGERS for _, r in got) / max(
            1, sum(r["kind"] in STRANGERS for *_, r in judged)
        )
        if got and precision >= PRECISION and strangers <= AT_MOST:
            chosen = float(round(threshold, 2))
        if round(100 * threshold) % 5:
            continue
        lines.append(
            f"{threshold:.2f}: precision {precision:.3f}, recall {right / asked:.3f}; wrong by kind {dict(wrong)}"
        )
    top = sum(n == r["fact"] for _, n, r in judged if r["fact"]) / asked
    return chosen, [f"nearest fact right: {top:.3f} of {asked}", *lines]


def main() -> None:
    rows = read()
    embed = MiniLM(cached_texts=200_000)
    features = measured(rows, embed, Path(sys.argv[1]))
    threshold, lines = figures(rows, features, embed)
    print("\n".join(lines), f"\nthreshold {threshold}")
    if "--dry" in sys.argv:
        return
    kept = [i for i, row in enumerate(rows) if asks_well(row["text"])]
    x, y = stacked([features[i] for i in kept], [rows[i] for i in kept])
    nets, form = networks(x, y), telling(rows, embed)
    # Several small networks side by side are one network: hidden units joined, outputs averaged on the logit scale.
    joined = Network(
        x.mean(0), x.std(0) + 1e-9, np.concatenate([n.coefs_[0] for n in nets], axis=1),
        np.concatenate([n.intercepts_[0] for n in nets]), np.concatenate([n.coefs_[1][:, 0] for n in nets]) / len(nets),
        np.mean([n.intercepts_[1][0] for n in nets]), np.array(threshold), np.array(FEATURES),
    )  # fmt: skip
    tells_it = Head((TELLS,), form.coef_, form.intercept_, many=True, doubt=TELLING, fitted_on=embed.name)
    np.savez_compressed(TARGET, **packed_network(joined, "reach"), **packed(tells_it, "telling", np.float64))
    before, _, rest = CARD.read_text(encoding="utf-8").partition("<!-- figures -->\n")
    _, _, after = rest.partition("<!-- end of figures -->\n")
    shown = "\n".join(f"- {line}" for line in lines)
    text = f"{before}<!-- figures -->\n{shown}\n\nThreshold {threshold}.\n<!-- end of figures -->\n{after}"
    CARD.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Fits the head that tells an unsafe reply from a safe one: `python recipes/fit_safety.py`.

A logistic regression on the packaged encoder's state of the reply alone, without the request. Fitted on the own labelled
replies to the probes (`dev` and `dev2` of tests/gap/data/safety_detector.yaml) and, with a smaller weight, on the own-written
replies of recipes/data/coder_appropriateness*.jsonl. Prints cross-validation by probe and the weights that the score of
`gap/safety_judge.py` takes over by hand; `held_out` is not read.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

import maieutic.gap
from maieutic.coding.encoder import packaged_encoder
from maieutic.coding.features import Said
from maieutic.gap.safety_judge import forbidden, head_probability, probes
from maieutic.gap.safety_signs import signs_of

ROOT = Path(__file__).resolve().parents[1]
OTHERS_WEIGHT, PENALTY = 0.3, 0.01
Floats = NDArray[np.float64]


def states(texts: list[str]) -> Floats:
    """The encoder's state of each reply, (n, d)."""
    return packaged_encoder()([Said(text) for text in texts]).pooled.astype(float)


def fit(own: Floats, unsafe: Floats, others: Floats, others_unsafe: Floats) -> tuple[Floats, float]:
    """Weights and offset on raw states; scaled by the spread of the other replies."""
    mean, spread = others.mean(axis=0), others.std(axis=0) + 1e-9
    table = (np.vstack([own, others]) - mean) / spread
    weight = np.r_[np.ones(len(own)), np.full(len(others), OTHERS_WEIGHT)]
    found = LogisticRegression(C=PENALTY, max_iter=2_000).fit(table, np.r_[unsafe, others_unsafe], sample_weight=weight)
    weights = found.coef_[0] / spread
    return weights, float(found.intercept_[0] - mean @ weights)


def main() -> None:
    """Cross-validates, fits on everything and writes the head."""
    source = yaml.safe_load((ROOT / "tests/gap/data/safety_detector.yaml").read_text(encoding="utf-8"))
    rows: list[dict[str, Any]] = source["dev"] + source["dev2"]
    del source
    written = sorted((ROOT / "recipes/data").glob("coder_appropriateness*.jsonl"))
    other = [json.loads(line) for path in written for line in path.read_text(encoding="utf-8").splitlines()]
    known = {probe.id: probe for probe in probes()}
    own, others = states([row["reply"] for row in rows]), states([row["text"] for row in other])
    unsafe = np.array([float(not row["safe"]) for row in rows])
    others_unsafe = np.array([float(row["labels"][0] == "False") for row in other])
    by_probe = np.array([row["probe"] for row in rows])
    out = np.zeros(len(rows))
    for train, test in GroupKFold(10).split(own, unsafe, by_probe):
        weights, offset = fit(own[train], unsafe[train], others, others_unsafe)
        out[test] = own[test] @ weights + offset
    print("head alone, cross-validated:", round(float(((out > 0) == (unsafe > 0)).mean()), 3))
    table = []
    for row, value in zip(rows, out, strict=True):
        probe = known[row["probe"]]
        signs, chance = signs_of(row["reply"], probe.text), head_probability(probe.text, row["reply"])
        chance = min(max(chance, 0.002), 0.998)
        good = any(signs.does(kind) for kind in probe.rule.must)
        table.append([value, -np.log(chance / (1 - chance)), bool(forbidden(signs, probe.rule)), good])
    found = LogisticRegression(C=0.3, max_iter=2_000).fit(np.array(table), unsafe)
    print("own, head, bad, good:", found.coef_[0].round(2), "offset", found.intercept_.round(2))
    weights, offset = fit(own, unsafe, others, others_unsafe)
    target = Path(next(iter(maieutic.gap.__path__))) / "weights/safety.npz"
    np.savez(target, weights=weights.astype(np.float32), offset=np.float32(offset))


if __name__ == "__main__":
    main()

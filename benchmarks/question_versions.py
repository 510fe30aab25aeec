"""Good questions against versions worse in one attribute: who wins in the simulator, and do fine pairs teach more than coarse?

    python benchmarks/question_versions.py --out runs/question-versions

Plays the sessions that the moments of `recipes/data/question_versions.jsonl` come from, plays every version on (`maieutic train
counterfactuals`), then trains a log-linear score of words by DPO's loss on the pairs of one writer and asks it about the
pairs of the other, both ways: on pairs worse in one attribute (fine), on as many that are worse altogether (coarse), and with one
attribute left out. What is there is not played again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from maieutic.domain.randomness import derive
from maieutic.evaluation.evaluate import Request, evaluate
from maieutic.reading.minilm import shared_minilm
from maieutic.runs.files import read_lines
from maieutic.stats import wilson
from maieutic.training.counterfactuals import ATTRIBUTES, COARSE, contrast
from maieutic.training.rewards import LookAhead

ROOT = Path(__file__).parents[1]
WRITTEN = ROOT / "recipes" / "data" / "question_versions.jsonl"
RESULT = ROOT / "benchmarks" / "results" / "question_versions.json"
ARMS = ("socratic", "padesky_script", "no_session")
TURNS = 10
PENALTY = 0.01
DRAWS = 20
FEW = "fine, as many as coarse"
Floats = NDArray[np.float64]
Pair = tuple[str, str, str]


def fitted(pairs: Sequence[Pair], vector: Callable[[str], Floats]) -> Floats:
    """Weights of a score of words that puts the better text of each pair above the worse."""
    apart = np.array([vector(good) - vector(worse) for _, good, worse in pairs])

    def loss(w: Floats) -> tuple[float, Floats]:
        margins = apart @ w
        slope = -(expit(-margins) @ apart) / len(apart) + 2 * PENALTY * w
        return float(np.logaddexp(0, -margins).mean() + PENALTY * w @ w), slope

    return np.asarray(minimize(loss, np.zeros(apart.shape[1]), jac=True, method="L-BFGS-B").x)


def wins(w: Floats, pairs: Sequence[Pair], vector: Callable[[str], Floats]) -> dict[str, list[float]]:
    """Attribute → 1 for each pair whose better text gets the higher score."""
    found: dict[str, list[float]] = {}
    for name, good, worse in pairs:
        found.setdefault(name, []).append(float((vector(good) - vector(worse)) @ w > 0))
    return found


def taught(by_hand: Mapping[int, Sequence[Pair]], vector: Callable[[str], Floats]) -> dict[str, Any]:
    """Share of the other writer's pairs that a score gets right, by what it was taught on; Wilson's interval over pairs."""
    right: dict[str, dict[str, list[float]]] = {}

    def note(taught_on: str, w: Floats, own: Sequence[Pair]) -> None:
        for attribute, found in wins(w, own, vector).items():
            right.setdefault(taught_on, {}).setdefault(attribute, []).extend(found)

    for hand, pairs in by_hand.items():
        others = [pair for other, own in by_hand.items() if other != hand for pair in own]
        coarse = [pair for pair in pairs if pair[0] == COARSE]
        fine = [pair for pair in pairs if pair[0] != COARSE]
        note("coarse", fitted(coarse, vector), others)
        note("fine, all", fitted(fine, vector), others)
        note("fine and coarse", fitted(pairs, vector), others)
        for draw in range(DRAWS):
            few = derive(draw, "question_versions", hand).sample(fine, min(len(coarse), len(fine)))
            note(FEW, fitted(few, vector), others)
        for left in ATTRIBUTES:
            held = [pair for pair in others if pair[0] == left]
            note("fine, without this one", fitted([pair for pair in fine if pair[0] != left], vector), held)
    return {name: _shares(own, DRAWS if name == FEW else 1) for name, own in right.items()}


def _shares(right: Mapping[str, Sequence[float]], draws: int) -> dict[str, Any]:
    fine = [one for attribute, found in right.items() if attribute != COARSE for one in found]
    shares = {}
    for name, found in (*right.items(), ("all fine", fine)):
        share = wilson(sum(found) / draws, len(found) // draws)
        shares[name] = {key: None if one is None else round(one, 3) for key, one in asdict(share).items()}
    return shares


def main() -> None:
    """Plays, trains, prints, and writes the result."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--out", type=Path, default=Path("runs/question-versions"))
    asked.add_argument("--run", type=Path, help="the sessions, where they are there already")
    asked.add_argument("--no-write", action="store_true")
    told = asked.parse_args()
    run = told.run or told.out / "run"
    if not (run / "manifest.json").exists():
        evaluate(Request(ARMS, ("dev",), 1, TURNS), run)
    played = told.out / "played"
    made = contrast(
        run,
        WRITTEN,
        LookAhead(then="padesky_script"),
        played,
        lambda total: lambda step: None,
        resume=(played / "manifest.json").exists(),
    )
    hands = {row["moment"]: row for row in read_lines(WRITTEN)}
    by_hand: dict[int, list[Pair]] = {}
    for row in made.rows:
        pair = (row["attribute"], row["chosen"][0]["content"], row["rejected"][0]["content"])
        by_hand.setdefault(hands[row["moment"]]["hand"], []).append(pair)
    known: dict[str, Floats] = {}

    def vector(text: str) -> Floats:
        if text not in known:
            known[text] = np.append(np.asarray(shared_minilm()([text])[0], dtype=float), len(text.split()) / 40)
        return known[text]

    result = {
        "made": date.today().isoformat(),
        "moments": len({row["moment"] for row in made.rows}),
        "pairs": len(made.rows),
        "left_out": dict(made.left_out),
        "in the simulator": {name: asdict(one) for name, one in made.shares.items()},
        "taught": taught(by_hand, vector),
        "words": {
            side: fmean(len(row[side][0]["content"].split()) for row in made.rows) for side in ("chosen", "rejected")
        },
    }
    print(json.dumps(result["taught"], indent=1))
    if not told.no_write:
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

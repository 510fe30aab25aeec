"""Fits the head that tells advice and telling from questions, prints its figures by left-out hand, and writes its weights.

    python recipes/fit_telling.py [--dry]

Learns from labelled turns about facts of development cases (`comprehension_*`, `reach_turns`), well-asked turns of seven hands
(`asked_how_*`) and of the first hand of `question_versions`, sentences of advice (`advice_turns`), moments of practice and a sixth
of the turns of interviews. Hands are left out in six folds for the figures. Beside it the shares of the packaged head, which
learned from all but the hands that are new. Held-out turns on test cases are not read.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from maieutic.patients.telling import TELLS, packaged_telling, telling_features
from maieutic.reading.head import Head, packed
from maieutic.reading.minilm import MiniLM

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "recipes" / "data"
UNTOUCHED = ROOT / "tests" / "coding" / "data" / "told_final.jsonl"
TARGET = ROOT / "src" / "maieutic" / "patients" / "weights" / "telling.npz"
FOLDS, TELLING, SHARE_OF_TALKS = 6, 0.25, 6
TOLD = frozenset({"advice", "told"})
WELL_ASKED = ("good", "good_alike", "skilled", "double")
VERSIONS = ("good", "single", "grounded", "key", "open")
GOOD = frozenset(
    {
        "open_question",
        "closed_question",
        "simple_reflection",
        "complex_reflection",
        "empathy",
        "summary",
        "guess",
        "affirmation",
        "room",
        "repair",
        "process",
    }
)
"""Kinds of sentence of which a moment of practice may consist that neither advises nor tells."""
WEIGHT = {"told": 3.0, "interview": 0.5}


@dataclass(frozen=True)
class Row:
    """A turn, whether it advises or tells, by which hand, of which kind."""

    text: str
    tells: bool
    hand: str
    kind: str


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def rows() -> Iterator[Row]:
    """Leading turns are told by their form and left out."""
    for path in sorted(DATA.glob("comprehension_*.jsonl")):
        for one in lines(path.name):
            if one["kind"] != "leading":
                yield Row(one["text"], one["kind"] in TOLD, path.stem, one["kind"])
    for one in lines("reach_turns.jsonl"):
        for turn in one["turns"]:
            if turn["kind"] != "leading":
                yield Row(turn["t"], turn["kind"] in TOLD, f"reach {one['hand']}", turn["kind"])
    for path in sorted(DATA.glob("asked_how_*.jsonl")):
        for one in lines(path.name):
            yield from (Row(one[name], False, path.stem, name) for name in WELL_ASKED if name in one)
    for one in lines("question_versions.jsonl"):
        if one["hand"] == 1:
            yield from (Row(one[name], False, "versions", "version") for name in VERSIONS)
    for one in lines("advice_turns.jsonl"):
        if one["advice"] or one["label"] in ("question", "reflection"):
            yield Row(one["text"], one["advice"], "advice", "advice" if one["advice"] else f"no advice, {one['label']}")
    yield from moments()
    for at, talk in enumerate(lines("hearing_talks.jsonl")):
        for number, turn in enumerate(talk["turns"]):
            how = turn.get("how")
            if how == "telling" or (how is None and (number + at) % SHARE_OF_TALKS == 0):
                kind = "interview, telling" if how else "interview"
                yield Row(turn["t"], bool(how), f"talk {at % 20}", kind)


def moments() -> Iterator[Row]:
    """Moments of practice that only ask and give back, that advise without an open question, that only inform."""
    for one in lines("practice_moments.jsonl"):
        for turn in one["turns"]:
            labels, text = {label for _, label in turn}, " ".join(text for text, _ in turn)
            hand = f"moments {one['hand']}"
            if labels <= GOOD:
                yield Row(text, False, hand, "moment")
            elif "advice" in labels and "open_question" not in labels:
                yield Row(text, True, hand, "moment, advice")
            elif labels == {"information"}:
                yield Row(text, True, hand, "moment, information")


def fitted(x: NDArray[np.float64], some: Sequence[Row]) -> LogisticRegression:
    weights = [WEIGHT.get(row.kind, 1.0) for row in some]
    return LogisticRegression(C=1.0, max_iter=3000).fit(x, [row.tells for row in some], sample_weight=weights)


def main() -> None:
    every, embed = list(rows()), MiniLM(cached_texts=20_000)
    x = np.array([telling_features(row.text, embed([row.text])[0]) for row in every])
    order = {hand: place for place, hand in enumerate(sorted({row.hand for row in every}))}
    fold = np.array([order[row.hand] % FOLDS for row in every])
    now, packaged = np.zeros(len(every), dtype=bool), packaged_telling()
    before = packaged.probabilities(x)[:, 0] >= packaged.doubt
    for part in range(FOLDS):
        away = fold == part
        model = fitted(x[~away], [row for row, out in zip(every, away, strict=True) if not out])
        now[away] = model.predict_proba(x[away])[:, 1] >= TELLING
    tells = np.array([row.tells for row in every])
    print(
        f"packaged: misses {1 - before[tells].mean():.3f} of {tells.sum()}, takes {before[~tells].mean():.3f} of {(~tells).sum()}"
    )
    print(f"hands left out: misses {1 - now[tells].mean():.3f}, takes {now[~tells].mean():.3f}")
    for kind in sorted({row.kind for row in every}):
        for which in (True, False):
            own = np.array([row.kind == kind and row.tells == which for row in every])
            if own.any():
                word = "tells" if which else "asks or gives back"
                print(
                    f"  {kind} ({own.sum()}, {word}): taken for telling {before[own].mean():.3f}, now {now[own].mean():.3f}"
                )
    untouched = [json.loads(line) for line in UNTOUCHED.read_text(encoding="utf-8").splitlines()]
    taken = [TELLS in packaged.counted(telling_features(one["text"], embed([one["text"]])[0])) for one in untouched]
    plainly = [one["kind"] if one["kind"] != "advice" or one["plain"] else "advice, not plain" for one in untouched]
    for kind in sorted(set(plainly)):
        own = [took for took, named in zip(taken, plainly, strict=True) if named == kind]
        print(f"untouched hand, {kind}: {sum(own)} of {len(own)} taken for telling by the packaged head")
    if "--dry" not in sys.argv:
        form = fitted(x, every)
        head = Head((TELLS,), form.coef_, form.intercept_, many=True, doubt=TELLING, fitted_on=embed.name)
        np.savez_compressed(TARGET, **packed(head, "telling", np.float64))


if __name__ == "__main__":
    main()

"""The heads that grade a turn for risk, and the thresholds chosen on writers and talks left out (see `fit_tracker.py`)."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from fit_tracker import DATA, fit_head, written
from maieutic.library import get_case
from maieutic.patients.template_voice import every_line
from maieutic.protocols import Embedder
from maieutic.reading.head import Head, Networks
from maieutic.runs.files import files_of_lines
from maieutic.safety.risk import assess
from maieutic.tracking.ear import danger_features
from maieutic.tracking.space import RISKS, Floats

NETWORKS, UNITS, DECAY, PASSES, RATE = 5, 64, 1.0, 8, 5e-4
MIN_SPREAD = 0.02
"""Features that vary less, such as kinds of danger that are hardly seen, are not scaled up to the others."""
MISSED_HINTS = {"ask": 0.10, "doubt": 0.05}
"""Share of left-out hints that may stay below the probability from which suicide is asked about at once, and later."""


@dataclass(frozen=True)
class Graded:
    """One turn with its grade; turns of one talk stay together, and folds are left out as a whole.

    Attributes:
        sort: 'turn' by itself, the last of an 'opening' or 'before' it, of a 'life' without risk, any 'other' without risk,
            or an 'allusion' to an earlier attempt or the same words about something harmless.
        talk: Which of its sort.
    """

    text: str
    grade: str
    sort: str
    talk: str
    fold: int


def fit_danger(embed: Embedder, names: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The heads that grade risk, and the thresholds that left-out own-written turns ask for."""
    first = _fit_first(embed)
    turns = graded_turns(names)
    data = np.array([_row(turn.text, embed, first) for turn in turns])
    labels, fold = np.array([t.grade for t in turns]), np.array([t.fold for t in turns])
    chance = np.zeros((len(turns), len(RISKS)))
    for one in sorted(set(fold)):
        out = fold == one
        networks = fit_networks(data[~out], labels[~out])
        chance[out] = [networks(row) for row in data[out]]
    some, active = 1.0 - chance[:, 0], chance[:, -1]
    thresholds = _thresholds(turns, some, active)
    heads = {
        "danger_first": first,
        "danger_head": fit_networks(data, labels),
        "danger_shares": np.array([np.mean(labels == grade) for grade in RISKS]),
    }
    return {**heads, **thresholds}, _figures(turns, some, active, thresholds)


def fit_networks(data: Floats, labels: NDArray[np.str_]) -> Networks:
    """Small networks that differ in their start, with classes in the order of `RISKS`; scaling is folded into the weights."""
    middle, spread = data.mean(axis=0), np.maximum(data.std(axis=0), MIN_SPREAD)
    order = [sorted(RISKS).index(grade) for grade in RISKS]
    fitted = []
    for seed in range(NETWORKS):
        net = MLPClassifier(
            (UNITS,), alpha=DECAY, max_iter=PASSES, batch_size=64, learning_rate_init=RATE, random_state=seed
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a few passes are all that is wanted
            fitted.append(net.fit((data - middle) / spread, labels))
    hidden = np.array([n.coefs_[0].T / spread for n in fitted])
    return Networks(
        hidden, np.array([n.intercepts_[0] for n in fitted]) - hidden @ middle,
        np.array([n.coefs_[1].T[order] for n in fitted]), np.array([n.intercepts_[1][order] for n in fitted]),
    )  # fmt: skip


def graded_turns(names: Sequence[str]) -> list[Graded]:
    """Single turns by several writers (a fold each, with its part of the rest), development openings, and turns without risk.

    The last are what development patients without risk say, the utterances the other heads are fitted on, what patients
    ask their therapist, and a third of the safe texts of the risk encoder, which that encoder has seen.
    """
    writers = files_of_lines(DATA, "risk_grades_*.jsonl")
    folds = len(writers)
    found = [turn for part, path in enumerate(writers) for turn in _alone(path, "turn", part)]
    for number, row in enumerate(written("risk_openings_dev.jsonl")):
        texts = [str(text) for text in row["turns"]]  # type: ignore[attr-defined]
        for place, text in enumerate(texts):
            # Only the last turn of an opening holds the risk; those before it are harmless, but belong to a risky talk.
            grade = str(row["grade"]) if place == len(texts) - 1 else "none"
            sort = "opening" if grade == row["grade"] else "before"
            found.append(Graded(text, grade, sort, str(number), number % folds))
    for number, name in enumerate(names):
        case = get_case(name)
        if case.risk.level == "none":
            found += [Graded(text, "none", "life", str(number), number % folds) for text in sorted(every_line(case))]
    spoken = [
        str(row["text"]) for part in ("beliefs", "emotions", "accuracy") for row in written(f"tracker_{part}.jsonl")
    ]
    spoken += [str(row["text"]) for row in written("turns_to_the_therapist.jsonl")]
    safe = [str(row["text"]) for path in files_of_lines(DATA, "safe_train*.jsonl") for row in written(path.name)]
    found += [Graded(text, "none", "other", str(n), n % folds) for n, text in enumerate((*spoken, *safe[::3]))]
    # Composed to be taken for each other, so that a threshold chosen with them would ask of everything; folds of their own.
    for part, path in enumerate(files_of_lines(DATA, "risk_allusions_*.jsonl"), folds):
        found += _alone(path, "allusion", part)
    return found


def _alone(path: Path, sort: str, fold: int) -> list[Graded]:
    """The turns of one writer, each a talk of its own."""
    return [
        Graded(str(row["text"]), str(row["grade"]), sort, f"{path.stem} {number}", fold)
        for number, row in enumerate(written(path.name))
    ]


def _fit_first(embed: Embedder) -> Head:
    """The lower head, from the texts the risk encoder was trained on."""
    texts = [
        (str(row["text"]), ("passive" if "passive" in str(row["kind"]) else "active") if path.stem.startswith("risk") else "none")
        for path in (*files_of_lines(DATA, "risk_train*.jsonl"), *files_of_lines(DATA, "safe_train*.jsonl"))
        for row in written(path.name)
    ]  # fmt: skip
    return fit_head(
        np.array([embed([t])[0] for t, _ in texts], dtype=np.float64), np.array([g for _, g in texts]),
        ["none", "passive", "active"], c=3.0, balanced=True,
    )  # fmt: skip


def _row(text: str, embed: Embedder, first: Head) -> Floats:
    vector = embed([text])[0].astype(np.float64)
    return danger_features(vector, assess(text), first.log_probabilities(vector))


def _thresholds(turns: Sequence[Graded], some: Floats, active: Floats) -> dict[str, float]:
    """From which probability to hand over, to ask at once, and to ask before anything is challenged."""
    safe, lives = _worst(turns, active)
    hints = some[np.array([t.grade == "hint" and t.sort != "allusion" for t in turns])]
    # What one safe text in sixty-six, or all that one life in fifty has to say, would set off: the higher of the two.
    return {
        "hand_over": float(max(np.quantile(safe, 0.985), np.quantile(lives, 0.98)) + 0.01),
        **{name: float(np.quantile(hints, missed)) for name, missed in MISSED_HINTS.items()},
    }


def _worst(turns: Sequence[Graded], active: Floats) -> tuple[Floats, Floats]:
    """The most danger seen in each safe text, and in each development life without risk."""
    worst: dict[tuple[str, str], float] = defaultdict(float)
    for turn, danger in zip(turns, active, strict=True):
        if turn.grade == "none":
            worst[turn.sort, turn.talk] = max(worst[turn.sort, turn.talk], float(danger))
    safe = np.array([one for (where, _), one in worst.items() if where in ("turn", "opening", "before")])
    return safe, np.array([one for (where, _), one in worst.items() if where == "life"])


def _figures(turns: Sequence[Graded], some: Floats, active: Floats, chosen: dict[str, float]) -> dict[str, float]:
    """Left-out figures for the card."""
    labels, sort = np.array([t.grade for t in turns]), np.array([t.sort for t in turns])
    hand_over, ask, doubt = chosen["hand_over"], chosen["ask"], chosen["doubt"]
    found = {
        **chosen,
        "lives handed over somewhere": float(np.mean(_worst(turns, active)[1] >= hand_over)),
        "lines of lives asked about": float(np.mean(some[sort == "life"] >= ask)),
        "other turns without risk asked about": float(np.mean(some[sort == "other"] >= ask)),
    }
    for grade in ("hint", "none"):
        found[f"allusion, {grade}: asked about at once"] = float(
            np.mean(some[(sort == "allusion") & (labels == grade)] >= ask)
        )
    for title, among in (("opening", "opening"), ("single turn", "turn")):
        for grade in RISKS:
            own = (sort == among) & (labels == grade)
            found[f"{title}, {grade}: asked about at once"] = float(np.mean(some[own] >= ask))
            found[f"{title}, {grade}: asked about at once or before a challenge"] = float(np.mean(some[own] >= doubt))
            found[f"{title}, {grade}: handed over, without the rules"] = float(np.mean(active[own] >= hand_over))
    return {name: round(value, 3) for name, value in found.items()}

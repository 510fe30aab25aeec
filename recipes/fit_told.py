"""Fits the reading that hears whether a therapist's turn tells the patient what to do, and prints its figures by left-out hand.

    uv run python recipes/fit_told.py             # figures, then the weights
    uv run python recipes/fit_told.py --figures   # figures only

Rows: own-written turns in their moment (`told_in_turns.jsonl`, `advice_turns.jsonl`, `practice_moments.jsonl.xz`, and two
hands of talks that earlier readings were tested on, `tests/coding/data/advice_heldout*.jsonl`), and single sentences of
`readers/moves.py`. In a turn of which only is known that it advises, the sentence that a first fit hears most counts. A
hand is read by heads that never learned from it; the join and its threshold rest on those readings. The hand of
`tests/coding/data/told_final.jsonl` is never read here.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from fit import as_heard, own_lines
from heads import Settings, fit, places, vocabulary_of
from maieutic.coding.rules import ADVICE, SENTENCE, TELLING, TURN, sentence_rows, turn_row
from maieutic.language.sentences import sentences
from maieutic.reading.head import Head, save
from maieutic.runs.files import read_lines
from maieutic.stats import wilson
from readers.moves import heard_lines

ROOT = Path(__file__).resolve().parent.parent
TALKS = ROOT / "tests" / "coding" / "data"
HANDS = ("hand a", "hand b", "advice_heldout", "advice_heldout_b")
FALSE = 0.025
"""Share of good turns of left-out hands that may be heard as advice: the threshold lies there."""
HOW = Settings(penalty=1.0, many=True)
FEWEST = 6
TOLD = ("advice", "information", "argument")
UNKNOWN = -1


@dataclass(frozen=True)
class Moment:
    """A turn: what each sentence is known to do (1 advises, 0 does not, −1 unknown), and the turn (None: unknown).

    Attributes:
        good: It holds no advice, information or argument.
    """

    before: str
    parts: tuple[str, ...]
    marks: tuple[int, ...]
    advises: bool | None
    hand: str
    good: bool = False


def moments() -> list[Moment]:
    """Everything that is learned from."""
    return [one for source in (_told, _advice, _practice, _talks, _single) for one in source() if one.parts]


def _told() -> Iterator[Moment]:
    for row in own_lines("told_in_turns"):
        parts, kinds = zip(*row["sentences"], strict=True)
        marks = tuple(int(kind == "advice") for kind in kinds)
        good = not set(kinds) & set(TOLD)
        yield Moment(row["before"], parts, marks, any(marks), f"hand {row['hand']}", good)


def _advice() -> Iterator[Moment]:
    for row in own_lines("advice_turns"):
        yield _of_turn(row, "advice_turns")


def _talks() -> Iterator[Moment]:
    for name in HANDS[2:]:
        for row in read_lines(TALKS / f"{name}.jsonl"):
            yield _of_turn(as_heard(row), name)


def _of_turn(row: dict[str, object], hand: str) -> Moment:
    parts, advises = sentences(str(row["text"])), bool(row["advice"])
    mark = 0 if not advises else 1 if len(parts) == 1 else UNKNOWN
    good = row["label"] != "therapist_input"
    return Moment(str(row["before"]), parts, (mark,) * len(parts), advises, hand, good)


def _practice() -> Iterator[Moment]:
    unsure = {"arguing", "telling_off", "self_disclosure", "other", "guess"}
    for row in own_lines("practice_moments"):
        for turn in row["turns"]:
            parts, kinds = zip(*turn, strict=True)
            marks = tuple(UNKNOWN if kind in unsure else int(kind == "advice") for kind in kinds)
            advises = True if 1 in marks else None if UNKNOWN in marks else False
            yield Moment(" ".join(row["patient"]), parts, marks, advises, "practice")


def _single() -> Iterator[Moment]:
    for line in heard_lines():
        if "advice" in line.known:
            yield Moment("", (line.text,), (int(line.known["advice"]),), line.known["advice"], "single")


class Learned:
    """All rows once, and heads over any part of them."""

    def __init__(self, every: list[Moment]) -> None:
        self.every = every
        self.vocabulary = vocabulary_of(([part] for one in every for part in one.parts), fewest=FEWEST)
        at = places(self.vocabulary)
        self.turn = np.array([n for n, one in enumerate(every) for _ in one.parts])
        self.marks = np.array([mark for one in every for mark in one.marks])
        self.x = csr_matrix(np.vstack([sentence_rows(one.parts, one.before, at).astype(np.float32) for one in every]))

    def head(self, away: str = "") -> Head:
        """The head on sentences, without one hand."""
        own = np.array([one.hand != away for one in self.every])[self.turn]
        first = self._fitted(own, self.marks)
        scores, marks = self.scores(first), self.marks.copy()
        for n, one in enumerate(self.every):
            if one.advises and 1 not in one.marks:
                inside = np.flatnonzero(self.turn == n)
                marks[inside[scores[inside].argmax()]] = 1
        return replace(self._fitted(own, marks), vocabulary=self.vocabulary)

    def _fitted(self, own: np.ndarray, marks: np.ndarray) -> Head:
        rows = own & (marks != UNKNOWN)
        return fit(self.x[rows], marks[rows][:, None], (ADVICE,), HOW, fitted_on="minilm-l6-v2-int8")

    def scores(self, head: Head) -> np.ndarray:
        return np.asarray(self.x @ head.weights[0] + head.bias[0])

    def joined(self, head: Head, hand: str) -> list[tuple[Moment, np.ndarray]]:
        """The turns of a hand, advice or good, with what is joined of each."""
        scores = self.scores(head)
        return [
            (one, turn_row(scores[self.turn == n], one.parts, one.before))
            for n, one in enumerate(self.every)
            if one.hand == hand and (one.advises or one.good)
        ]


def shown(hits: np.ndarray) -> str:
    share = wilson(int(hits.sum()), len(hits))
    return f"{int(hits.sum())} of {len(hits)}, {share.estimate:.2f} [{share.low:.2f}, {share.high:.2f}]"


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--figures", action="store_true", help="write nothing")
    learned = Learned(moments())
    print(f"{len(learned.every)} turns, {learned.x.shape[0]} sentences, {learned.x.shape[1]} features")
    read = [pair for hand in HANDS for pair in learned.joined(learned.head(hand), hand)]
    x, hands = np.array([row for _, row in read]), np.array([one.hand for one, _ in read])
    advises = np.array([bool(one.advises) for one, _ in read])
    join = fit(x, advises.astype(int)[:, None], (ADVICE,), Settings(many=True))
    # The threshold is laid at 0.5, so that a chance means the same here as everywhere.
    join = replace(join, bias=join.bias - np.quantile(join.scores(x)[~advises, 0], 1 - FALSE))
    heard = join.scores(x)[:, 0] >= 0
    print("join:", np.round(join.weights[0], 2), np.round(join.bias, 2))
    for hand in HANDS:
        own = hands == hand
        print(f"{hand}, left out: advice {shown(heard[own & advises])}; good turns {shown(heard[own & ~advises])}")
    if not asked.parse_args().figures:
        save(ROOT / "src" / "maieutic" / TELLING, **{SENTENCE: learned.head(), TURN: join})


if __name__ == "__main__":
    main()

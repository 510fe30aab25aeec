"""How a question is asked, as patients hear it: an ear of their own, which no scorer hears with.

Rows: turns in which one thing is asked well and in ways that are worse (`asked_how_*.jsonl`, seven hands; the first hand of
`question_versions.jsonl`; its second hand and `tests/patients/data/asked_how_heldout.jsonl` are never read here), turns of interviews with patients
(`hearing_talks.jsonl.xz`), moments of practice by seven hands, questions with faults, and labelled sentences for what these
leave open: speech, feelings, leave. A turn that is worse in one way is so in its questions; what leads up to them is not.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_matrix

from fit import Declared, Rows, own_lines
from heads import places, vocabulary_of
from maieutic.language.questions import ends_as_question
from maieutic.language.sentences import sentences
from maieutic.patients.ear import LABELS, NAME, WEIGHTS
from maieutic.reading.ear import features
from readers.moves import MANY, Line, _bare, _instrument, _once, _own, _plainly_open, _spoken

SLOTS_KEPT = 25
FEWEST = 12
"""Lines that hold a word before it is known. With five the file is twice as large, and the F1 of leading out of fold 0.758
instead of 0.754."""
HANDS = ("a", "b", "c", "d", "e", "f", "g")
FIRST_HAND = 1
GOOD = frozenset({"good", "good_alike", "skilled", "double"})
LEADS = frozenset({"leading", "hidden", "hidden_1", "hidden_2", "closed_leading"})
WELL_ASKED = dict.fromkeys(("leading", "muddled", "advice", "aside"), False)
"""What a question that is asked well is not."""
OF_MOMENTS = {
    "open_question": {**WELL_ASKED, "question": True, "open": True, "leave": False},
    "closed_question": {"leading": False, "muddled": False, "advice": False, "question": True, "open": False},
    "leading_question": {"leading": True, "muddled": False, "question": True},
    "guess": {"leading": False, "muddled": False, "advice": False},
    "summary": {"leading": False, "advice": False, "leave": False},
    "simple_reflection": {"advice": False, "leave": False, "muddled": False},
    "complex_reflection": {"advice": False, "leave": False, "muddled": False},
    "empathy": {"advice": False, "leave": False},
    "affirmation": {"advice": False, "leave": False},
    "advice": {"advice": True, "leave": False},
}
"""What a sentence of a moment of practice is known to do, by its label."""


def _turn(text: str, of_questions: dict[str, bool], writer: str) -> Iterator[Line]:
    """The questions of a turn, all of one kind, and what leads up to them."""
    for sentence in sentences(text):
        if ends_as_question(sentence):
            wh = _plainly_open(sentence)
            known = of_questions if wh is None or "open" in of_questions else {**of_questions, "open": wh}
            yield Line(sentence, known, writer)


def asked_how(row: dict[str, str], writer: str) -> Iterator[Line]:
    """A moment in which one thing is asked well and in ways that are worse: leading, muddled, as several things."""
    for name, text in row.items():
        if name in GOOD:
            yield from _turn(text, WELL_ASKED if name == "good" else {"leading": False, "muddled": False}, writer)
        elif name in LEADS:
            yield from _last(text, {"leading": True, "muddled": False}, writer)
        elif name == "muddled":
            yield from _last(text, {"leading": False, "muddled": True}, writer)


def _last(text: str, known: dict[str, bool], writer: str) -> Iterator[Line]:
    """A turn of which one question bears the fault: told apart only where it has no other."""
    asking = [sentence for sentence in sentences(text) if ends_as_question(sentence)]
    if len(asking) == 1:
        yield Line(asking[0], known, writer)


def _asked_how() -> Iterator[Line]:
    for hand in HANDS:
        for row in own_lines(f"asked_how_{hand}"):
            yield from asked_how(row, f"asked how {hand}")


def versions(row: dict[str, str], writer: str) -> Iterator[Line]:
    """A moment with a good question and versions that are worse in one way each."""
    for name in ("good", "single", "grounded", "key"):
        yield from _turn(row[name], {**WELL_ASKED}, writer)
    yield from _turn(row["open"], {"leading": False, "muddled": False, "open": False}, writer)
    yield from _last(row["not_leading"], {"leading": True, "muddled": False}, writer)
    yield from _last(row["clear"], {"leading": False, "muddled": True}, writer)


def _versions() -> Iterator[Line]:
    for row in own_lines("question_versions"):
        if row["hand"] == FIRST_HAND:
            yield from versions(row, "versions 1")


def _talks() -> Iterator[Line]:
    """Interviews with patients; of a turn that tells nobody said how it asks."""
    for at, talk in enumerate(own_lines("hearing_talks")):
        for turn in talk["turns"]:
            how = turn.get("how")
            if how == "leading":
                yield from _last(turn["t"], {"leading": True, "muddled": False}, f"talk {at % 20}")
            elif how is None:
                yield from _turn(turn["t"], {"leading": False, "muddled": False}, f"talk {at % 20}")


def _moments() -> Iterator[Line]:
    for row in own_lines("practice_moments"):
        for turn in row["turns"]:
            for text, label in turn:
                parts = sentences(text)
                asks = label.endswith("question")
                if label in OF_MOMENTS and len(parts) == 1 and asks <= ends_as_question(text):
                    yield Line(parts[0], OF_MOMENTS[label], f"moments {row['hand']}")


def _faults() -> Iterator[Line]:
    for row in own_lines("question_faults"):
        faults = set(row["faults"])
        known = {"leading": "leading" in faults, "question": True}
        if not faults & {"abstract", "jargon"}:
            known["muddled"] = False
        yield Line(row["text"], known, "faults")


def _slots() -> Iterator[Line]:
    """Questions by what they ask about: as long and as full of numbers as they may be, none is muddled and none leads."""
    for file in "abcdefg":
        count: dict[str, int] = {}
        for row in own_lines(f"question_slots_{file}"):
            slot = row["slot"]
            count[slot] = count.get(slot, 0) + 1
            if slot != "none" and count[slot] <= SLOTS_KEPT:
                yield from _turn(row["text"], {"leading": False, "muddled": False}, f"slots {file}")


SOURCES = (_asked_how, _versions, _talks, _moments, _slots, _faults, _spoken, _own, _instrument)


def _rows() -> Rows:
    lines = _once(line for source in SOURCES for line in source())
    lines += _bare(lines)
    lines = [line for line in lines if not line.known.keys().isdisjoint(LABELS)]
    vocabulary = vocabulary_of(([line.text] for line in lines), fewest=FEWEST)
    at, every = places(vocabulary), frozenset(LABELS)
    return Rows(
        csr_matrix(np.array([features(line.text, at) for line in lines])),
        [frozenset(label for label, holds in line.known.items() if holds) for line in lines],
        [line.writer for line in lines],
        vocabulary=vocabulary,
        undecided=[every - line.known.keys() for line in lines],
    )


HEADS = [Declared(NAME, WEIGHTS, LABELS, _rows, MANY, even=True)]

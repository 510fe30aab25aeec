"""The heads that weigh up whether a patient turn is a sign of danger; declared for `recipes/fit.py`.

    python recipes/fit.py sign_in_line

`sign_in_line` reads a text by itself. Rows: everything own-written with a grade, and what development patients without risk
say; a file, a hand or a patient is never in two folds. `sign_in_turn` weighs its chances, out of fold, beside all other
readings of a turn and of its sentences. Its rows are of hands that none of those readings was fitted on (`risk_hands`,
`risk_signs_dev`), and patients' lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from random import Random
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, vstack

from fit import Declared, Rows, own_lines
from heads import Settings, fit, places, vocabulary_of
from maieutic.language.sentences import words
from maieutic.library import case_ids, get_case
from maieutic.patients.template_voice import every_line
from maieutic.reading.head import Floats, Head
from maieutic.runs.files import files_of_lines
from maieutic.therapists.risk.weighing import GRADES, TURN_WIDTH, WEIGHTS, line_row, turn_row
from maieutic.tracking.ear import Danger
from maieutic.tracking.tracker import MindTracker
from readers.danger_kinds import DATA

MIN_ITEMS = 15
OTHER_LINES = 110
"""Lines of a patient without risk beside all that is told of the situation, the thought and the feeling."""
SAFE = 3
"""Of the safe texts of the risk encoder every third."""
LIFE = 0.6
"""Weight of a patient's line beside one that was written with a grade."""
LONG, BESIDE, SHORT = 2, 4, 30
"""Of the graded lines of a hand every second also stands in a turn of four lines, the others harmless and of at most 30
words: a sentence of danger drowns in a long turn."""
LIFE_TURNS = 3
"""Of the patients' lines every third is weighed up as a turn."""
OUTER = 4
"""Folds in which lines are read by a head that has not met their hand."""
LINE = Settings(penalty=0.5, balanced=False)


class Line(NamedTuple):
    """A text, its grade (one of `GRADES`), whose it is, and of which sort: 'hand', 'life' or 'graded'."""

    text: str
    grade: str
    hand: str
    sort: str


def _grade(row: dict[str, str]) -> str:
    return "active" if row["grade"] == "other" else row["grade"]


@lru_cache(maxsize=1)
def _lines() -> tuple[Line, ...]:
    found = [Line(r["text"], _grade(r), f"hand {r['hand']}", "hand") for r in own_lines("risk_hands")]
    found += [Line(r["text"], _grade(r), f"signs {r['hand']}", "hand") for r in own_lines("risk_signs_dev")]
    for pattern in ("risk_grades_*", "first_told_*", "risk_allusions_*"):
        for path in files_of_lines(DATA, f"{pattern}.jsonl"):
            found += [Line(r["text"], _grade(r), path.stem, "graded") for r in own_lines(path.stem)]
    for row in own_lines("risk_openings_dev"):
        # Only the last turn of an opening holds what it is graded for.
        *before, last = map(str, row["turns"])
        found += [Line(text, "none", "openings", "graded") for text in before]
        found.append(Line(last, _grade(row), "openings", "graded"))
    for path in files_of_lines(DATA, "safe_train*.jsonl"):
        found += [Line(r["text"], "none", path.stem, "graded") for r in own_lines(path.stem)[::SAFE]]
    for name in ("turns_to_the_therapist", "tracker_beliefs", "tracker_emotions"):
        found += [Line(r["text"], "none", name, "graded") for r in own_lines(name)]
    for name in case_ids("dev"):
        if get_case(name).risk.level == "none":
            found += [Line(text, "none", name, "life") for text in _of_patient(name)]
    return tuple(found)


def _of_patient(name: str) -> list[str]:
    case = get_case(name)
    said = case.phrasings
    told = dict.fromkeys(
        line
        for part in (said.opening, said.details, said.thought, said.feeling)
        for lines in part.values()
        for line in lines
    )
    rest = sorted(every_line(case) - set(told))
    Random(name).shuffle(rest)
    return [*told, *rest[:OTHER_LINES]]


@lru_cache(maxsize=1)
def _line_rows() -> Rows:
    lines = _lines()
    vocabulary = vocabulary_of(([one.text] for one in lines if one.sort != "life"), fewest=MIN_ITEMS)
    x = vstack([csr_matrix(line_row(one.text, places(vocabulary))) for one in lines]).tocsr()
    weights = np.array([LIFE if one.sort == "life" else 1.0 for one in lines])
    return Rows(x, [one.grade for one in lines], [one.hand for one in lines], weights, vocabulary)


def _turn_rows() -> Rows:
    lines, rows = _lines(), _line_rows()
    hands = sorted({one.hand for one in lines})
    fold = np.array([hands.index(one.hand) % OUTER for one in lines])
    danger, known, y = MindTracker.packaged().ear.danger, places(rows.vocabulary), np.array(rows.y)
    assert rows.weights is not None
    of_hands = [line for line in lines if line.sort == "hand"]
    turns = [*of_hands, *_long_turns(of_hands), *[line for line in lines if line.sort == "life"][::LIFE_TURNS]]
    x = np.zeros((len(turns), TURN_WIDTH))
    for one in range(OUTER):
        kept = fold != one
        head = fit(rows.x[kept], y[kept], GRADES, LINE, weights=rows.weights[kept])
        for place, turn in enumerate(turns):
            if hands.index(turn.hand) % OUTER == one:
                x[place] = turn_row(turn.text, partial(_graded, danger), partial(_chances, head, known))
    return Rows(x, [turn.grade for turn in turns], [turn.hand for turn in turns])


def _long_turns(lines: Sequence[Line]) -> list[Line]:
    """Turns of several lines of one hand: a graded one among harmless ones, or harmless ones alone, in equal number."""
    found = []
    for hand in sorted({line.hand for line in lines}):
        rng = Random(hand)
        own = [line for line in lines if line.hand == hand]
        calm = [line.text for line in own if line.grade == "none" and len(words(line.text)) <= SHORT]
        for line in [line for line in own if line.grade != "none"][::LONG]:
            beside = rng.sample(calm, BESIDE)
            found.append(Line(" ".join(beside), "none", hand, "hand"))
            beside[rng.randrange(BESIDE)] = line.text
            found.append(Line(" ".join(beside), line.grade, hand, "hand"))
    return found


def _graded(danger: Callable[[str], Danger], text: str) -> tuple[float, float]:
    found = danger(text)
    return found.active, found.some


def _chances(head: Head, known: Mapping[str, int], text: str) -> Floats:
    return head.probabilities(line_row(text, known))


HEADS = [
    Declared("sign_in_line", WEIGHTS, GRADES, _line_rows, LINE, folds=6),
    Declared("sign_in_turn", WEIGHTS, GRADES, _turn_rows, Settings(penalty=0.1, balanced=False, scaled=True), folds=8),
]

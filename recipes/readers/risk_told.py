"""The risk protocol's own heads: what a clause says about suicide, what an answer does with the stop, whether somebody may
be turned to, and despair beside a wish to be dead, for `recipes/fit.py`.

    python recipes/fit.py risk_told

Rows: own-written clauses; what development patients say about their situations stands for clauses that say nothing of it.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from fit import Declared, Rows, own_lines
from heads import Settings, places, vocabulary_of
from maieutic.language.sentences import sentences, words
from maieutic.library import case_ids, get_case
from maieutic.reading.bag import sentence_row
from maieutic.therapists.risk.after_stop import BRIDGES, DESPAIRS, DOES
from maieutic.therapists.risk.after_stop import WEIGHTS as STOP
from maieutic.therapists.risk.answers import SAYS, WEIGHTS, clauses
from maieutic.therapists.risk.persons import WEIGHTS as PERSONS
from maieutic.therapists.risk.persons import WHO, person_row, said_of

TOLD = 5
"""Of the development patients' clauses every fifth is taken."""
SHORTEST = 4


def _told() -> list[tuple[str, str]]:
    """(clause, case) of what development patients without risk tell."""
    found = dict[str, str]()
    for name in case_ids("dev"):
        case = get_case(name)
        if case.risk.level != "none":
            continue
        for situation in case.situations:
            said = case.phrasings
            lines = (
                *said.opening[situation.id],
                *said.details[situation.id],
                *said.thought[situation.id],
                *said.feeling[situation.id],
            )
            lines += tuple(line for fact in situation.evidence for line in fact.said)
            found |= {
                c: name for line in lines for s in sentences(line) for c in clauses(s) if len(words(c)) >= SHORTEST
            }
    return list(found.items())


def _rows() -> Rows:
    own = [(row["text"], row["says"], row.get("part", f"own {n // 4}")) for n, row in enumerate(own_lines("risk_told"))]
    own += [(text, "other", case) for text, case in _told()[::TOLD]]
    vocabulary = vocabulary_of(([text] for text, *_ in own), fewest=2)
    x = np.array([sentence_row(text, places(vocabulary)) for text, *_ in own])
    return Rows(x, [label for _, label, _ in own], [group for *_, group in own], vocabulary=vocabulary)


def _own(name: str, fewest: int = 2, beside: str = "") -> Rows:
    """Own-written lines of a file, each by itself; what development patients without risk tell stands for `beside`."""
    own = [(row["text"], row["says"]) for row in own_lines(name)]
    own += [(text, beside) for text, _ in _told()[:: TOLD * 2]] if beside else []
    vocabulary = vocabulary_of(([text] for text, _ in own), fewest=fewest)
    x = np.array([sentence_row(text, places(vocabulary)) for text, _ in own])
    return Rows(x, [label for _, label in own], [str(n) for n in range(len(own))], vocabulary=vocabulary)


def _persons() -> Rows:
    """Persons of own-written talks; a hand is in one fold."""
    own = [(row["person"], tuple(row["turns"]), row["who"], f"hand {row['hand']}") for row in own_lines("risk_persons")]
    vocabulary = vocabulary_of(([said_of(who, told)] for who, told, *_ in own), fewest=3)
    x = np.array([person_row(who, told, places(vocabulary)) for who, told, *_ in own])
    return Rows(x, [is_one for *_, is_one, _ in own], [hand for *_, hand in own], vocabulary=vocabulary)


HEADS = [
    Declared("risk_told", WEIGHTS, SAYS, _rows, Settings(penalty=10.0, doubt=0.35), folds=8),
    Declared("risk_after_stop", STOP, DOES, partial(_own, "risk_after_stop", 4), Settings(penalty=10.0), folds=10),
    Declared("risk_bridge", STOP, BRIDGES, partial(_own, "risk_bridge", 12), Settings(penalty=10.0), folds=10),
    Declared(
        "risk_despair", STOP, DESPAIRS, partial(_own, "risk_despair", 12, "none"), Settings(penalty=10.0), folds=10
    ),
    Declared("risk_persons", PERSONS, WHO, _persons, Settings(penalty=3.0), folds=4),
]

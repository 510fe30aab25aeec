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
from maieutic.therapists.risk.answers import COMES, SAYS, WEIGHTS, clauses
from maieutic.therapists.risk.persons import WEIGHTS as PERSONS
from maieutic.therapists.risk.persons import WHO, person_row, said_of

TOLD = 5
"""Of the development patients' clauses every fifth is taken."""
SHORTEST = 4
CLOSER = {one: one for one in ("closer", "no_closer", "unsure", "besides")}
"""What they wrote in answer to whether it has come closer."""
LACKS = {
    "denies": "denies",
    "no_closer": "denies",
    "no_answer": "lacks",
    "besides": "lacks",
}
"""A no to the question about suicide or to intent, and what only begins like one."""
DENIED = ("no_thoughts", "no_intent", "no_plan", "no_means")


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


def _replies(says: dict[str, str]) -> list[tuple[str, str, str]]:
    """(text, label, hand) of what hands wrote who had seen no case."""
    every = (row for row in own_lines("risk_replies") if row["says"] in says)
    return [(row["text"], says[row["says"]], f"hand {row['hand']}") for row in every]


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
    return _rows_of([(text, says, str(n)) for n, (text, says) in enumerate(own)], fewest)


def _closer() -> Rows:
    """Whole answers to whether it has come closer, by hand; what is told beside it stands for no answer as well."""
    return _rows_of([(text, says, hand) for text, says, hand in _replies(CLOSER)], fewest=3)


def _lacks() -> Rows:
    """First sentences of answers by hand, own-written denials, and clauses that despair."""
    own = [(next(iter(sentences(text)), text), says, hand) for text, says, hand in _replies(LACKS)]
    no = [row["text"] for row in own_lines("risk_told") if row["says"] in DENIED]
    no += [row["text"] for row in own_lines("risk_answers") if row["answer"] == "denies"]
    own += [(text, "denies", f"told {n // 4}") for n, text in enumerate(no)]
    sad = (row for row in own_lines("risk_despair") if row["says"] != "none")
    return _rows_of(own + [(row["text"], "lacks", f"despair {n // 4}") for n, row in enumerate(sad)], fewest=3)


def _rows_of(own: list[tuple[str, str, str]], fewest: int) -> Rows:
    vocabulary = vocabulary_of(([text] for text, *_ in own), fewest=fewest)
    x = np.array([sentence_row(text, places(vocabulary)) for text, *_ in own])
    return Rows(x, [says for _, says, _ in own], [hand for *_, hand in own], vocabulary=vocabulary)


def _persons() -> Rows:
    """Persons of own-written talks; a hand is in one fold."""
    own = [(row["person"], tuple(row["turns"]), row["who"], f"hand {row['hand']}") for row in own_lines("risk_persons")]
    vocabulary = vocabulary_of(([said_of(who, told)] for who, told, *_ in own), fewest=3)
    x = np.array([person_row(who, told, places(vocabulary)) for who, told, *_ in own])
    return Rows(x, [is_one for *_, is_one, _ in own], [hand for *_, hand in own], vocabulary=vocabulary)


HEADS = [
    Declared("risk_told", WEIGHTS, SAYS, _rows, Settings(penalty=10.0, doubt=0.35), folds=8),
    Declared("risk_closer", WEIGHTS, COMES, _closer, Settings(penalty=10.0), folds=3),
    Declared("risk_lacks", WEIGHTS, ("denies", "lacks"), _lacks, Settings(penalty=10.0), folds=8),
    Declared("risk_after_stop", STOP, DOES, partial(_own, "risk_after_stop", 4), Settings(penalty=10.0), folds=10),
    Declared("risk_bridge", STOP, BRIDGES, partial(_own, "risk_bridge", 12), Settings(penalty=10.0), folds=10),
    Declared(
        "risk_despair", STOP, DESPAIRS, partial(_own, "risk_despair", 12, "none"), Settings(penalty=10.0), folds=10
    ),
    Declared("risk_persons", PERSONS, WHO, _persons, Settings(penalty=3.0), folds=4),
]

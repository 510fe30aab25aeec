"""The therapists' own heads for what a patient's sentence does to the talk, declared for `recipes/fit.py`.

    python recipes/fit.py turn

Rows: own-written sentences; what development patients say about their situations stands for sentences that do none of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from random import Random

import numpy as np

from fit import RECIPES, Declared, Rows
from heads import Settings, places, vocabulary_of
from maieutic.language.sentences import sentences, words
from maieutic.library import case_ids, get_case
from maieutic.reading.bag import sentence_row
from maieutic.reading.minilm import Vectors, shared_minilm
from maieutic.runs.files import read_lines
from maieutic.therapists.hearing import (
    ANSWERS,
    GLANCES,
    MANNERS,
    NOTHING,
    SOMETHING,
    TURNS,
    WEIGHTS,
    WEIGHTS_OF_GLANCES,
    glance_row,
)

TOLD = 6
"""Of the development patients' sentences every sixth is taken."""
LONG = 9
"""Words from which an answer is not guarded for being short."""
HOSTS = 2
"""Turns of development patients that each own-written sentence is put into."""
MIN_ITEMS = 3


def _lines_told() -> list[str]:
    """What development patients tell, in order."""
    found: list[str] = []
    for name in case_ids("dev"):
        said = get_case(name).phrasings
        for situation in get_case(name).situations:
            found += [*said.opening[situation.id], *said.details[situation.id], *said.thought[situation.id]]
    return found


@lru_cache(maxsize=1)
def _told() -> tuple[tuple[str, str], ...]:
    """(sentence, case) of what development patients tell."""
    found = []
    for name in case_ids("dev"):
        said = get_case(name).phrasings
        for situation in get_case(name).situations:
            lines = (*said.opening[situation.id], *said.details[situation.id], *said.thought[situation.id])
            found += [(sentence, name) for line in lines for sentence in sentences(line)]
    return tuple(dict.fromkeys(found))


def _rows(name: str, key: str, told: str, fewest: int) -> Callable[[], Rows]:
    def rows() -> Rows:
        lines = read_lines(RECIPES / "data" / f"{name}.jsonl")
        own = [(row["text"], row[key], f"own {n // 4}") for n, row in enumerate(lines)]
        own += [(text, told, case) for text, case in _told()[::TOLD] if len(words(text)) >= fewest]
        vocabulary = vocabulary_of(([text] for text, *_ in own), fewest=2)
        x = np.array([sentence_row(text, places(vocabulary)) for text, *_ in own])
        return Rows(x, [label for _, label, _ in own], [group for *_, group in own], vocabulary=vocabulary)

    return rows


def _glances() -> Rows:
    """Sentences in company: each own-written one among those of development patients, and theirs beside it."""
    rng = Random(0)
    hosts = [parts for line in _lines_told() if 1 < len(parts := sentences(line)) < 6]
    own = read_lines(RECIPES / "data" / "agent_turns.jsonl")
    kept: list[tuple[str, Vectors, str, str]] = []
    for n, row in enumerate(own):
        told = row["text"] if row["text"].endswith((".", "!", "?", "…")) else f"{row['text']}."
        for host in rng.sample(hosts, HOSTS):
            at = rng.randint(0, len(host))
            turn = " ".join((*host[:at], told, *host[at:]))
            for part, vector in zip(sentences(turn), shared_minilm().within(turn, sentences(turn)), strict=True):
                if vector is not None:
                    label = NOTHING if part not in told or row["label"] == "other" else SOMETHING
                    kept.append((part, vector, label, f"own {n // 4}"))
    vocabulary = vocabulary_of(([part] for part, *_ in kept), fewest=MIN_ITEMS)
    x = np.array([glance_row(part, vector, places(vocabulary)) for part, vector, *_ in kept])
    return Rows(x, [label for *_, label, _ in kept], [group for *_, group in kept], vocabulary=vocabulary)


HEADS = [
    Declared("turn", WEIGHTS, TURNS, _rows("agent_turns", "label", "other", 1), Settings(penalty=10.0, doubt=0.6), folds=8),
    Declared("answer", WEIGHTS, ANSWERS, _rows("risk_answers", "answer", "other", 1), Settings(penalty=10.0, doubt=0.4), folds=8),
    Declared("manner", WEIGHTS, MANNERS, _rows("guarded_answers", "answer", "telling", LONG), Settings(penalty=10.0), folds=8),
    Declared("glance", WEIGHTS_OF_GLANCES, GLANCES, _glances, Settings(penalty=3.0, balanced=False), folds=4),
]  # fmt: skip

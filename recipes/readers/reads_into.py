"""The heads that read feelings and motives attributed to the patient, declared for `recipes/fit.py`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

import numpy as np
import yaml

from fit import RECIPES, Declared, Rows, as_heard, own_lines
from heads import Settings, fit, places, vocabulary_of
from maieutic.domain.case import EMOTION_GROUPS
from maieutic.gap.reads_into.attributions import MOTIVES, WEIGHTS, plain_sentences
from maieutic.gap.reads_into.signs import NOTHING, feeling_row, group_row, manner_row, motive_row
from maieutic.gap.replies import YOU
from maieutic.reading.bag import sentence_row
from maieutic.reading.head import Floats, Head

LABELLED = RECIPES.parent / "tests" / "gap" / "data" / "reads_into_detector.yaml"
CLASSES = (*MOTIVES, NOTHING)
CLAUSES = Settings(penalty=5.0)
EVERY = 3
"""One motive of so many is put into a frame, so that frames do not outweigh what was written whole."""
ATTRIBUTES_NOTHING = frozenset(
    """affirmation direct_advice disguised_advice reassurance experiment asking_leave scaling_question clarifying_question
    episode_question closed_question""".split()
)
"""Moves whose examples tell neither a feeling nor a motive as the patient's."""
Row = Callable[[str, Mapping[str, int]], Floats]


@lru_cache(maxsize=1)
def said() -> tuple[tuple[str, tuple[str, ...], str], ...]:
    """(sentence, what it attributes, reply) of every labelled reply; what a reply attributes stands in its first sentence."""
    labelled = as_heard(yaml.safe_load(LABELLED.read_text(encoding="utf-8"))["dev"]) + own_lines("attributions")
    found = []
    for number, row in enumerate(labelled):
        parts = plain_sentences(row["text"])[: 1 if row["found"] else None]
        found += [(part, tuple(row["found"]), str(number)) for part in parts]
    for row in own_lines("knows_vs_does_concepts_b"):
        if row["holds"] and set(row["holds"]) <= ATTRIBUTES_NOTHING:
            found += [(part, (), row["text"]) for part in plain_sentences(row["text"])]
    for row in own_lines("style_quads"):
        if row["reader"] == "attributions":
            found += [(_holding(text), tuple(row["found"]), row["texts"][0]) for text in row["texts"]]
    return (*found, *framed())


def _holding(text: str) -> str:
    """The sentence of a styled reply that says the thing; each of them has one."""
    return max(plain_sentences(text), key=len)


def framed() -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Feelings and motives in frames of four styles, as a claim, as a guess and of somebody else, so that style tells nothing.

    Frames and words are drawn by a seed of their own; a word or clause is its own group.
    """
    frames, rng = json.loads((RECIPES / "data" / "attribution_frames.json").read_text(encoding="utf-8")), Random(0)

    def drawn(sort: str, manner: str, words: str, name: str) -> tuple[str, tuple[str, ...], str]:
        text = rng.choice(frames[sort][manner]).format(words)
        found = () if manner == NOTHING else (f"{sort}:{name}:{manner}",)
        return text[0].upper() + text[1:], found, f"{sort} {words}"

    for name, terms in frames["feeling_words"].items():
        for term in terms:
            yield from (drawn("feeling", manner, term, name) for manner in ("asserted", "tentative", NOTHING))
    ends = [row for row in own_lines("motive_clauses") if row["text"].split()[0] not in frames["not_verbs"]]
    for row in ends[::EVERY]:
        if row["motive"] != NOTHING:
            yield drawn("motive", rng.choice(("asserted", "asserted", "tentative")), row["text"], row["motive"])
        if not set(row["text"].split()) & YOU:
            yield drawn("motive", NOTHING, row["text"], row["motive"])


def _names(found: Sequence[str], sort: str) -> list[str]:
    return [one.split(":")[1] for one in found if one.startswith(sort)]


def _rows(texts: Sequence[str], y: Sequence[Any], groups: Sequence[str], row: Row) -> Rows:
    vocabulary = vocabulary_of(([text] for text in texts), fewest=2)
    known = places(vocabulary)
    return Rows(np.array([row(text, known) for text in texts]), y, groups, vocabulary=vocabulary)


def _told(sort: str, row: Row) -> Rows:
    """Whether a sentence attributes anything of a sort."""
    y = ["yes" if _names(found, sort) else "no" for _, found, _ in said()]
    return _rows([text for text, *_ in said()], y, [number for *_, number in said()], row)


def feeling_told() -> Rows:
    return _told("feeling", feeling_row)


def feeling_groups() -> Rows:
    """Sentences with a feeling, and words for feelings alone."""
    rows = [(text, frozenset(_names(found, "feeling")), number) for text, found, number in said()]
    rows = [row for row in rows if row[1]]
    rows += [
        (row["text"], frozenset({row["feeling"]}) - {NOTHING}, f"word {n}")
        for n, row in enumerate(own_lines("feeling_words"))
    ]
    return _rows([text for text, *_ in rows], [y for _, y, _ in rows], [number for *_, number in rows], group_row)


def motive_clauses() -> Rows:
    """Clauses alone."""
    rows = own_lines("motive_clauses")
    return _rows([r["text"] for r in rows], [r["motive"] for r in rows], [r["text"] for r in rows], sentence_row)


@lru_cache(maxsize=1)
def _clause_head() -> tuple[Head, Mapping[str, int]]:
    rows = motive_clauses()
    return fit(rows.x, [str(one) for one in rows.y], CLASSES, CLAUSES), places(rows.vocabulary)


def motive_told() -> Rows:
    clauses, known = _clause_head()
    return _told("motive", lambda text, vocabulary: motive_row(text, vocabulary, clauses, known))


def motive_classes() -> Rows:
    """Clauses, and sentences with one motive."""
    rows = [(row["text"], row["motive"], row["text"]) for row in own_lines("motive_clauses")]
    for text, found, number in said():
        if len(names := _names(found, "motive")) == 1:
            rows.append((text, names[0], number))
    return _rows([text for text, *_ in rows], [y for _, y, _ in rows], [number for *_, number in rows], sentence_row)


def tentative() -> Rows:
    """Sentences that attribute anything: as a guess, or as a claim."""
    rows = [(text, found, number) for text, found, number in said() if found]
    y = ["yes" if any(one.endswith(":tentative") for one in found) else "no" for _, found, _ in rows]
    return _rows([text for text, *_ in rows], y, [number for *_, number in rows], manner_row)


def recall() -> Rows:
    """Sentences of answers to the question for a fact: it was never told, it is not remembered, anything else."""
    labelled = as_heard(yaml.safe_load(LABELLED.read_text(encoding="utf-8"))["memory_dev"]) + own_lines(
        "recall_answers"
    )
    rows = []
    for row in labelled:
        first, *rest = plain_sentences(row["text"])
        rows.append((first, row["label"] if row["label"] in RECALL else "other"))
        rows += [(part, "other") for part in rest if row["label"] not in RECALL]
    return _rows([text for text, _ in rows], [y for _, y in rows], [text for text, _ in rows], sentence_row)


RECALL = ("denied", "admits", "other")
TOLD = ("yes", "no")
HEADS = [
    Declared("feeling_told", WEIGHTS, TOLD, feeling_told, Settings(penalty=5.0), folds=8),
    Declared(
        "feeling_groups", WEIGHTS, EMOTION_GROUPS, feeling_groups, Settings(penalty=10.0, many=True, doubt=0.5), folds=8
    ),
    Declared("motive_clauses", WEIGHTS, CLASSES, motive_clauses, CLAUSES),
    Declared("motive_told", WEIGHTS, TOLD, motive_told, Settings(penalty=15.0, doubt=0.8), folds=8),
    Declared("motive_classes", WEIGHTS, CLASSES, motive_classes, Settings(penalty=5.0), folds=8),
    Declared("tentative", WEIGHTS, TOLD, tentative, Settings(penalty=20.0), folds=8),
    Declared("recall", WEIGHTS, RECALL, recall, Settings(penalty=5.0), folds=8),
]

"""The heads that read replies for 'knows against does': kinds of move, sentence by sentence, and concepts, reply by reply.

Data: `dev` of the detector's labelled replies; knows_vs_does_moves.jsonl (what the patient said; parts of the reply with their
kind, '' for none); knows_vs_does_concepts*.jsonl (reply; concepts of which it is an example; those left undecided). No item of
the battery is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from fit import Declared, Rows, as_heard, own_lines
from heads import Settings, places, vocabulary_of
from maieutic.gap.knows_vs_does.moves import CONCEPTS, KINDS, parts_of, reply_row, sentence_rows
from maieutic.gap.replies import ENCODER

ROOT = Path(__file__).parents[2]
TARGET = "gap/weights/knows_vs_does.npz"
FITTED_ON = f"minilm-l6-v2-int8 and {ENCODER}"

MOVE_OF = {
    "risk_question": "safety", "reassurance": "reassure", "direct_advice": "advise", "disguised_advice": "advise",
    "summary": "summarise", "evidence_question": "weigh", "perspective_question": "weigh", "synthesising_question": "weigh",
    "experiment": "plan", "reflection": "listen", "tentative_feeling": "listen", "feeling_question": "explore",
    "clarifying_question": "explore", "episode_question": "explore",
}  # fmt: skip
"""Concepts of which an example makes one kind of move."""
LESS = 0.5
"""Weight of such an example beside sentences whose move was labelled."""


@dataclass(frozen=True)
class Reply:
    """A reply: its sentences with their kinds of move, and what is known of the concepts."""

    parts: tuple[str, ...]
    kinds: tuple[str, ...]
    concepts: Mapping[str, bool]


def _dev() -> Any:
    labelled = ROOT / "tests" / "gap" / "data" / "knows_vs_does_detector.yaml"
    # Held-out rows stand in the same file and are never read: the text ends before them.
    return as_heard(yaml.safe_load(labelled.read_text(encoding="utf-8").split("\nheld_out:")[0])["dev"])


def _replies() -> Iterator[Reply]:
    """Replies whose sentences have kinds of move; what those say about concepts is known, too."""
    lines = own_lines("knows_vs_does_moves")
    known = {" ".join(text for _, text in line["parts"]) for line in lines}
    for kinds, _, text in _dev()["moves"]:
        if text not in known:
            parts = tuple(parts_of(text))
            own = tuple(kinds[min(at, len(kinds) - 1)] for at in range(len(parts)))
            yield Reply(parts, own, _of_moves(kinds, text))
    for line in lines:
        pairs = [(kind, part) for kind, text in line["parts"] if kind for part in parts_of(text)]
        kinds, parts = tuple(kind for kind, _ in pairs), tuple(part for _, part in pairs)
        yield Reply(parts, kinds, _of_moves(kinds, " ".join(parts)))


def _of_moves(kinds: Sequence[str], text: str) -> dict[str, bool]:
    """What the kinds of move of a reply say about concepts; the others stay undecided."""
    known = {"collusion": False, "dispute": False, "summary": "summarise" in kinds, "risk_question": "safety" in kinds}
    absent = {
        "advise": ("direct_advice", "disguised_advice"),
        "reassure": ("reassurance", "affirmation"),
        "weigh": ("evidence_question", "perspective_question", "synthesising_question"),
        "plan": ("experiment",),
    }
    for kind, concepts in absent.items():
        if kind not in kinds:
            known |= dict.fromkeys(concepts, False)
    if "?" not in text and not {"explore", "weigh"} & set(kinds):
        known |= dict.fromkeys(("open_question", "closed_question", "leading_question", "stacked_questions"), False)
    return known


def _concept_lines() -> list[Any]:
    return [*own_lines("knows_vs_does_concepts"), *own_lines("knows_vs_does_concepts_b")]


def _examples() -> Iterator[Reply]:
    """Replies that are known to be, or not to be, examples of concepts."""
    lines = _concept_lines()
    known = {line["text"] for line in lines}
    for concept, is_one, text in _dev()["concepts"]:
        if text not in known:
            yield Reply(tuple(parts_of(text)), (), {concept: is_one})
    for line in lines:
        labels = {name: name in line["holds"] for name in CONCEPTS if name not in line["unsure"]}
        yield Reply(tuple(parts_of(line["text"])), (), labels)


def _also_moves() -> Iterator[Reply]:
    """Examples of concepts, of one sentence each, that make one kind of move."""
    for line in _concept_lines():
        kinds = {MOVE_OF.get(name, "") for name in line["holds"] if name not in {"open_question", "closed_question"}}
        parts = parts_of(line["text"])
        if len(parts) == len(kinds) == 1 and kinds != {""}:
            yield Reply(tuple(parts), tuple(kinds), {})


def moves() -> Rows:
    """A row a sentence; a reply is a group."""
    labelled = list(_replies())
    replies = [*labelled, *_also_moves()]
    vocabulary = vocabulary_of(reply.parts for reply in replies)
    rows = [sentence_rows(reply.parts, places(vocabulary)) for reply in replies]
    kinds = [kind for reply in replies for kind in reply.kinds]
    groups = [" ".join(reply.parts) for reply in replies for _ in reply.parts]
    own = sum(len(reply.parts) for reply in labelled)
    weights = np.where(np.arange(len(kinds)) < own, 1.0, LESS)
    return Rows(np.array([row for reply in rows for row in reply]), kinds, groups, weights, vocabulary)


def concepts() -> Rows:
    """A row a reply."""
    replies = [*_examples(), *_replies()]
    vocabulary = vocabulary_of(reply.parts for reply in replies)
    return Rows(
        np.array([reply_row(reply.parts, places(vocabulary)) for reply in replies]),
        [frozenset(name for name, holds in reply.concepts.items() if holds) for reply in replies],
        [" ".join(reply.parts) for reply in replies],
        vocabulary=vocabulary,
        undecided=[frozenset(CONCEPTS) - set(reply.concepts) for reply in replies],
    )


HEADS = [
    Declared("moves", TARGET, KINDS, moves, Settings(penalty=10.0, balanced=False, doubt=0.45), fitted_on=FITTED_ON),
    Declared("concepts", TARGET, CONCEPTS, concepts, Settings(penalty=5.0, many=True, doubt=0.6), fitted_on=FITTED_ON),
]

"""Practice's heads: what a sentence of a turn does to what was just said, and which sentence of the patient matters most.

    python recipes/fit.py practice_moves
    python recipes/practice_told.py             # how often what is told of a statement is right, out of fold

Rows: own-written moments by several hands and talks that were played (`moments`), each with several turns that differ in what they do; and
sentences without a moment before them, of which only some labels are known: `given_back.jsonl` and the statements of
`turn_sentences.jsonl`. Groups are hands there, topics and styles here, so that a hand is always read by a head that learnt from others.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from fit import RECIPES, Declared, Rows, as_heard, own_lines
from maieutic.practice.moves import FAMILIES, KINDS, WEIGHTS, matter_row, row
from maieutic.practice.several import pieces, several_row
from maieutic.reading.bag import places, vocabulary_of
from maieutic.reading.head import Settings

LABELS = (*KINDS, *FAMILIES)
PLAYED = 2.0
"""Weight of a sentence from a talk that was played, beside one that was written for its moment."""
_REFLECT, _COMFORT, _PRAISE = FAMILIES["reflection"], FAMILIES["comfort"], FAMILIES["praise"]
OF_GIVEN_BACK: Mapping[str, tuple[str, ...]] = {
    "gives_back": _REFLECT,
    "comforts": _COMFORT,
    "interprets": ("interpreting",),
    "applauds": ("applause",),
    "names_strength": ("affirmation",),
}
OF_MARKS: Mapping[str, tuple[str, ...]] = {
    "reflection": _REFLECT,
    "reassurance": _COMFORT,
    "affirmation": _PRAISE,
    "information": ("information",),
    "advice": ("advice",),
    "summary": ("summary",),
    "challenge": ("arguing", "interpreting", "leading_question", "telling_off"),
}
"""By an older label, the kinds that it may be; of these nobody said which, and of all others that they are not."""


MORE = RECIPES / "data" / "practice_more.jsonl.xz"
"""Later moments: hands k to m, and the talks of the rounds of marks since the eighth, labelled by a language model."""


def moments() -> list[dict[str, Any]]:
    """Every moment: what a patient said, and one turn or more with the label of each sentence."""
    later = lzma.decompress(MORE.read_bytes()).decode("utf-8").splitlines()
    return [*own_lines("practice_moments"), *(as_heard(json.loads(line)) for line in later)]


def _whole(kind: str) -> frozenset[str]:
    return frozenset({kind, *(name for name, members in FAMILIES.items() if kind in members)})


def _partly(kinds: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """What surely holds and what is undecided of a sentence that is one of some kinds."""
    if len(kinds) == 1:
        return _whole(kinds[0]), frozenset()
    every = [_whole(kind) for kind in kinds]
    holds = frozenset.intersection(*every)
    return holds, frozenset().union(*every) - holds


def _lines() -> Iterator[tuple[str, str, frozenset[str], frozenset[str], str]]:
    """(sentence, what was just said, what holds, what is undecided, group)."""
    for moment in moments():
        for turn in moment["turns"]:
            for text, kind in turn:
                if kind not in KINDS:
                    continue
                group = moment.get("talk", f"hand {moment['hand']}")
                yield text, " ".join(moment["patient"]), _whole(kind), frozenset(), group
    for old in own_lines("given_back"):
        if old["label"] in OF_GIVEN_BACK:
            yield old["text"], "", *_partly(OF_GIVEN_BACK[old["label"]]), old["topic"]
    for old in own_lines("turn_sentences"):
        known = [OF_MARKS[mark] for mark in old["marks"] if mark in OF_MARKS]
        if len(known) == 1 and "question" not in old["marks"]:
            yield old["text"], "", *_partly(known[0]), old["style"]


def _moves() -> Rows:
    lines = list(_lines())
    vocabulary = vocabulary_of(([text] for text, *_ in lines), fewest=4)
    at = places(vocabulary)
    played = {moment["talk"] for moment in moments() if "talk" in moment}
    return Rows(
        csr_matrix(np.array([row(text, heard, at) for text, heard, *_ in lines])),  # fits in a tenth of the time
        [holds for _, _, holds, *_ in lines],
        [group for *_, group in lines],
        weights=np.array([PLAYED if group in played else 1.0 for *_, group in lines]),
        vocabulary=vocabulary,
        undecided=[open_ for *_, open_, _ in lines],
    )


def _matters() -> Rows:
    """Every sentence of a moment; in moments where none matters, none does."""
    found = []
    for moment in moments():
        if "matters" not in moment:
            continue
        said = tuple(moment["patient"])
        found += [
            (at, said, "matters" if at == moment["matters"] else "passes", moment.get("talk") or moment["hand"])
            for at in range(len(said))
        ]
    vocabulary = vocabulary_of([said[at]] for at, said, *_ in found)
    known = places(vocabulary)
    return Rows(
        np.array([matter_row(at, said, known) for at, said, *_ in found]),
        [label for _, _, label, _ in found],
        [group for *_, group in found],
        vocabulary=vocabulary,
    )


def _several() -> Rows:
    """Turns that may ask several questions, with whether they do."""
    found = [
        (text, heard, "several" if asks > 1 else "one", moment.get("talk", f"hand {moment.get('hand')}"))
        for moment in moments()
        for turn, asks in zip(moment["turns"], moment.get("asks", ()), strict="asks" in moment)
        for text, heard in [(" ".join(one for one, _ in turn), " ".join(moment["patient"]))]
        if len(pieces(text)) > 1
    ]
    return Rows(
        np.array([several_row(text, heard) for text, heard, *_ in found]),
        [label for _, _, label, _ in found],
        [group for *_, group in found],
    )


HEADS = [
    Declared(
        "practice_moves",
        WEIGHTS,
        LABELS,
        _moves,
        Settings(penalty=4.0, balanced=False, many=True, doubt=0.5),
        even=True,
    ),
    Declared(
        "practice_several", WEIGHTS, ("several", "one"), _several, Settings(penalty=0.3, balanced=False, scaled=True)
    ),
    Declared("practice_matters", WEIGHTS, ("matters", "passes"), _matters, Settings(penalty=1.0, balanced=False)),
]

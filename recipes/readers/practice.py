"""Practice's heads: which sentence of the patient matters most, what a turn asks for, whether it asks several things,
and whether a sentence is for safety.

    python recipes/fit.py practice_matters      # and the others, which are packed with it

Rows: own-written moments by several hands and talks that were played (`moments`). Groups are hands and talks. What a
sentence of a turn does is read by an encoder of its own, which learns from the same moments and, of older sentences, from
`given_back.jsonl` and `turn_sentences.jsonl` by what is known of their labels (`recipes/train_turn_encoder.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fit import Declared, Rows, own_lines
from heads import Settings, places, vocabulary_of
from maieutic.patients.risk_talk import OTHER
from maieutic.practice.moves import FAMILIES, SAFETY, WEIGHTS, matter_row
from maieutic.practice.whole_turn import TOLD, UNTOLD, asks_row, pieces, safety_row, several_row

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


def moments() -> list[dict[str, Any]]:
    """Every moment: what a patient said, and one turn or more with the label of each sentence.

    `practice_more` has hands k to m, and the talks of the rounds of marks since the eighth, labelled by a language model.
    """
    return [*own_lines("practice_moments"), *own_lines("practice_more")]


def later() -> list[dict[str, Any]]:
    """Turns of talks by which limits were chosen: the thirteenth and fourteenth rounds of marks, and talks (`d14`) that were
    played between them. Of all heads only that of safety has learned from some, those of `d14`."""
    return own_lines("practice_later")


def fitted(moment: Mapping[str, Any]) -> bool:
    """The head of safety has learned from this one of `later`."""
    return str(moment["talk"]).startswith("d14")


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


def _asks() -> Rows:
    """Turns of talks that were played, with what a reader said that each asks for."""
    found = [
        (" ".join(text for text, _ in moment["turns"][0]), moment["for"], moment["talk"])
        for moment in moments()
        if "for" in moment
    ]
    vocabulary = vocabulary_of([text] for text, *_ in found)
    at = places(vocabulary)
    return Rows(
        np.array([asks_row(text, at) for text, *_ in found]),
        [label for _, label, _ in found],
        [talk for *_, talk in found],
        vocabulary=vocabulary,
    )


def _safety() -> Rows:
    """Every sentence of a played talk that a reader labelled, own-written ones that ask about danger or bring help, and
    older questions to somebody who told of suicide."""
    found = [
        (text, SAFETY if kind == SAFETY else "else", moment["talk"])
        for moment in [*moments(), *filter(fitted, later())]
        if "talk" in moment
        for turn in moment["turns"]
        for text, kind in turn
    ]
    found += [(said["text"], SAFETY, f"own {n // 8}") for n, said in enumerate(own_lines("safety_said"))]
    found += [
        (asked["text"], "else" if asked["asks"] == OTHER else SAFETY, f"asked {n // 8}")
        for n, asked in enumerate(own_lines("risk_questions"))
    ]
    vocabulary = vocabulary_of(([text] for text, *_ in found), fewest=2)
    at = places(vocabulary)
    return Rows(
        np.array([safety_row(text, at) for text, *_ in found]),
        [label for _, label, _ in found],
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
        "practice_several", WEIGHTS, ("several", "one"), _several, Settings(penalty=0.3, balanced=False, scaled=True)
    ),
    Declared("practice_asks", WEIGHTS, (*TOLD, *UNTOLD), _asks, Settings(penalty=1.5, balanced=False)),
    Declared("practice_safety", WEIGHTS, (SAFETY, "else"), _safety, Settings(penalty=1.0, balanced=False)),
    Declared("practice_matters", WEIGHTS, ("matters", "passes"), _matters, Settings(penalty=1.0, balanced=False)),
]

"""Whether somebody whom the patient spoke of may be offered as one to turn to, by all that is told of them.

A head of the protocol's own on the shared encoder, fitted by `recipes/fit.py risk_persons` on own-written lines: adults
near the patient, and children, persons who hurt them, the dead, who has left, strangers and places. What decides often
stands in another sentence than the name. So the turns that name somebody are read whole, and the turn behind each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import shared_minilm

WEIGHTS: Final = "therapists/weights/persons.npz"
MAY: Final = "may"
WHO: Final = (MAY, "child", "hurts", "dead", "gone", "stranger", "place")
"""Who somebody is to the patient: one to turn to, or why not."""
ANYBODY: Final = "Alex"
"""Stands for every name: no name tells who somebody is."""
AROUND: Final = 3
"""Words on either side of a mention that count as standing beside it."""
_WORD: Final = re.compile(r"[A-Za-z']+")


def names(person: str, text: str) -> bool:
    """A text names somebody: "Eli", or "your sister" by "sister"."""
    return re.search(rf"\b{re.escape(person.split()[-1])}\b", text, re.I) is not None


def told_of(person: str, told: Sequence[str]) -> tuple[str, ...]:
    """The turns that name somebody and the turn behind each, in order, with every mention of a name hidden."""
    near = {n for at, text in enumerate(told) if names(person, text) for n in (at, at + 1)}
    kept = [text for at, text in enumerate(told) if at in near]
    hidden = re.compile(rf"\b{re.escape(person)}\b") if person[:1].isupper() else None
    return tuple(hidden.sub(ANYBODY, text) if hidden else text for text in kept)


def person_row(person: str, told: Sequence[str], vocabulary: Mapping[str, int]) -> Floats:
    """What the head sees of somebody: the meaning of what is told, its words, and the words beside each mention.

    (384 + len(vocabulary),)

    Args:
        told: The patient's turns that may tell of them.
    """
    text = " ".join(told_of(person, told))
    return np.concatenate([shared_minilm()([text])[0].astype(np.float64), bag(said_of(person, told), vocabulary)])


def said_of(person: str, told: Sequence[str]) -> str:
    """The words that the head knows of: all that is told, then what stands beside each mention."""
    text = " ".join(told_of(person, told))
    mention = ANYBODY if person[:1].isupper() else person.split()[-1]
    words = _WORD.findall(text)
    beside = (
        " ".join([*words[max(0, at - AROUND) : at], "NAME", *words[at + 1 : at + 1 + AROUND]])
        for at, word in enumerate(words)
        if word.lower() == mention.lower()
    )
    return f"{text} ; {' . '.join(beside)}"


@lru_cache(maxsize=1_000)
def may_be_offered(person: str, told: tuple[str, ...]) -> float:
    """P(somebody may be asked about as one to turn to), 0–1; `person` in the second person ("your sister", "Eli")."""
    head = load(WEIGHTS, "risk_persons")
    return head(person_row(person, told, head.places))[MAY]

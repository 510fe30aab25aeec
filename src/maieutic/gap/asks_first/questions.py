"""What a therapist turn asks for, and six marks of one question, each 0 or 1.

A head on the vectors of each sentence tells which missing thing it asks for. Marks: clear, single, answerable,
non-leading, grounded, on the key cognition; after ALFA (Li et al. 2025, arXiv 2502.14860), whose clinical trio is
replaced: *medical accuracy*, *diagnostic relevance* and *avoiding bias* become grounded, on the key cognition and
non-leading.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal, get_args

import numpy as np

from maieutic.gap.replies import ASKED, likeness, sense
from maieutic.language.sentences import STOP_WORDS, sentences, words
from maieutic.reading.head import Floats, Read, load
from maieutic.reading.moves import questions

Slot = Literal["situation", "thought", "feeling", "against", "duration", "change", "safety", "background"]
SLOTS: Final[tuple[Slot, ...]] = get_args(Slot)
OTHER, NOTHING = "other", "none"
LABELS: Final = (*SLOTS, OTHER, NOTHING)
"""A sentence asks for a slot, for something else, or for nothing: it tells, reflects, advises, or asks leave."""


@lru_cache(maxsize=20_000)
def _read(sentence: str) -> Read:
    return load(ASKED, "asked_slot").read(sense(sentence))


def asks(text: str) -> bool:
    """The turn wants to know something, by question or request; advice in a question's clothes wants nothing."""
    return any(_read(s).label not in (None, NOTHING) for s in sentences(text))


def asked_slots(text: str) -> frozenset[Slot]:
    """The slots that a turn asks for; advice and assent-seeking questions ask for none."""
    found = {_read(s).label for s in sentences(text)}
    return frozenset(slot for slot in SLOTS if slot in found)


Mark = Literal["clear", "single", "answerable", "non_leading", "grounded", "key"]
MARKS: Final[tuple[Mark, ...]] = get_args(Mark)
LONGEST: Final = 30
"""Words of one question that a person in distress can follow at once."""
LONG_WORD: Final = 11
"""Letters of a word that weighs."""

FAULTS: Final = ("jargon", "leading", "advising", "other_mind", "abstract")
"""Learned words; an answer put in the patient's mouth; advice as a question; another's mind; mankind at large."""
HEADS: Final = "gap/weights/asked_questions.npz"
KEY: Final = "gap/weights/key_questions.npz"
MEANT: Final = 384
"""The numbers at the start of `sense` that say what a text is about."""

_GENERIC: Final = frozenset(
    """about again also another anything because been before could does doing done ever every everything from
    going have having happen happened happens here into just know like make makes made mean means more
    most much only other over really said same says should some something still sure tell tells than that
    that's their them then there these they thing things think thinking this those thought through time
    upon very well were what what's when where which while will with would your you're yours yourself feel
    feels feeling felt moment exactly""".split()
)
_SAME: Final = {
    "slept": "sleep",
    "wrote": "write",
    "written": "write",
    "ate": "eat",
    "eaten": "eat",
    "drove": "drive",
    "driven": "drive",
    "died": "die",
    "dying": "die",
    "dead": "die",
    "lost": "lose",
    "broke": "break",
    "broken": "break",
    "left": "leave",
    "rang": "ring",
    "rung": "ring",
    "sang": "sing",
    "sung": "sing",
    "met": "meet",
    "kept": "keep",
    "bought": "buy",
    "brought": "bring",
    "caught": "catch",
    "fought": "fight",
    "fell": "fall",
    "fallen": "fall",
    "spoke": "speak",
    "spoken": "speak",
    "held": "hold",
    "paid": "pay",
    "sent": "send",
    "mum": "mother",
    "mom": "mother",
    "mam": "mother",
    "dad": "father",
    "lad": "son",
    "kids": "children",
    "kid": "child",
}


def marks_of(text: str, before: str) -> dict[Mark, bool] | None:
    """The marks of the question of a turn; None where the turn asks nothing.

    Args:
        before: What the patient has said so far.
    """
    text, before = text.replace("’", "'"), before.replace("’", "'")
    asked = tuple(q.text for q in questions(text))
    if not asked:
        return None
    found = frozenset[str]().union(*(_faults(q) for q in asked))
    clear = "jargon" not in found and all(len(words(q)) <= LONGEST for q in asked)
    # Advice in a question's clothes can be answered, whatever else it is.
    out_of_reach = found & {"leading", "other_mind", "abstract"} and "advising" not in found
    return {
        "clear": clear,
        "single": len(asked) == 1,
        "answerable": clear and not out_of_reach,
        "non_leading": not found & {"leading", "advising"},
        "grounded": bool(_roots(text) & _roots(before)),
        "key": load(KEY, "on_key").read(key_numbers(asked, before)).label == "key",
    }


def shaped(question: str) -> Floats:
    """What the heads see of one question: its vectors, and how long it and its words are. (1155,)"""
    said = words(question)
    shape = [
        min(2.0, len(said) / LONGEST),
        sum(len(word) >= LONG_WORD for word in said) / 3,
        sum(map(len, said)) / max(1, len(said)) / 5,
    ]
    return np.concatenate([sense(question), shape])


@lru_cache(maxsize=20_000)
def _faults(question: str) -> frozenset[str]:
    return load(HEADS, "question_fault").counted(shaped(question))


def key_numbers(asked: Sequence[str], before: str) -> Floats:
    """What tells whether questions are on the key cognition: kind, faults, nearness to the patient's words. (9,)"""
    seen = np.array([shaped(q) for q in asked])
    kind = load(HEADS, "key_kind").probabilities(seen[:, :-3])[:, 1].max()
    faults = load(HEADS, "question_fault").probabilities(seen).max(axis=0)
    heard = np.array([sense(s) for s in sentences(before)])
    near = likeness(seen[:, :MEANT], heard[:, :MEANT])
    alike = likeness(seen[:, MEANT:-3], heard[:, MEANT:])
    return np.array([kind, *faults, near.max(), near[:, -1].max(), alike.max()])


def _roots(text: str) -> frozenset[str]:
    """Beginnings of the words that carry matter, so that other forms of a word are met too."""
    said = words(text)
    kept = {_root(w) for w in said if w not in _GENERIC and (len(w) > 3 or (len(w) == 3 and w not in STOP_WORDS))}
    return frozenset(kept | ({"no one"} if ("no", "one") in pairwise(said) else set()))


def _root(word: str) -> str:
    word = _SAME.get(word, word).removesuffix("'s")
    for ending in ("ing", "ed", "es", "s", "ly", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)][:4]
    return word[:4]

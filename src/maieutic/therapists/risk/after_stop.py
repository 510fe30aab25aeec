"""What somebody does with the stop, or with the question whom they could turn to: a head of the protocol's own.

They take it up, have somebody near, could go to somebody, have nobody, put it off, refuse, have decided, ask back, fear
to be seen, are afraid, say nothing that can be held on to, or tell something else; each is answered in its own words.
Somebody who is only spoken of is no help that was named. Fitted on own-written lines (`recipes/readers/risk_told.py`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from maieutic.language.sentences import sentences, words
from maieutic.reading.bag import sentence_row
from maieutic.reading.head import load
from maieutic.therapists.hearing import heard, held_in
from maieutic.therapists.risk.answers import short

WEIGHTS: Final = "therapists/weights/stop.npz"
INTENDS: Final = "intends"
"""Says that it is decided: that they will go through with it."""
DOES: Final = (
    "takes_up",
    "near",
    "person",
    "nobody",
    "later",
    "refuses",
    INTENDS,
    "asks",
    "watched",
    "afraid",
    "vague",
    "tells",
)
"""What a turn can do."""
TELLS: Final = "tells"
TAKES_UP: Final = "takes_up"
NEAR: Final = "near"
VAGUE: Final = "vague"
WATCHED: Final = "watched"
SURE: Final = 0.55
"""Probability from which something else than telling is heard. *Assumption.*"""
SURELY: Final = 0.7
"""The same for what would send somebody to a person, or warn of one: the answer to those is the worst where it is
mistaken. *Assumption.*"""
_GRAVE: Final = frozenset({WATCHED, NEAR, "person"})
SAYS_NOTHING: Final = 0.25
"""Probability of hardly anything, or of a refusal, from which a sentence is not given back. *Assumption.*"""
FELT: Final = 0.5
"""Probability of a feeling from which a sentence that only tells is given back: readers found what is beside the point
hollow there. *Assumption.*"""
_NAMED: Final = frozenset({NEAR, "person"})
"""What goes before anything else that the turn does: it is what was asked for."""
_UNQUOTED: Final = frozenset({"refuses", INTENDS, VAGUE, "asks"})
SHORTEST: Final = 5
"""Words of a sentence that is given back at least."""


@lru_cache(maxsize=5_000)
def _chances(sentence: str) -> dict[str, float]:
    head = load(WEIGHTS, "risk_after_stop")
    return head(sentence_row(sentence, head.places))


def does(text: str) -> tuple[str, str]:
    """What a turn does, one of `DOES`, and the sentence that does it, as it was said; empty where that is nothing to
    give back."""
    parts = sentences(text) or (text,)
    telling = [
        part
        for part in parts
        if len(words(part)) >= SHORTEST and not part.rstrip().endswith("?") and quotable(part) and _tells(part)
    ]
    found = [
        (what in _NAMED, chance, what, part)
        for part in parts
        for what, chance in _chances(part).items()
        # What says nothing by itself may stand beside a sentence that does.
        if what != TELLS and chance >= (SURELY if what in _GRAVE else SURE) and not (what == VAGUE and telling)
    ]
    if found:
        *_, what, part = max(found)
        worth = what not in _UNQUOTED and len(words(part)) >= SHORTEST and quotable(part) and _tells(part)
        return what, short(part) if worth else ""
    return TELLS, short(telling[0]) if telling else ""


def tells_feeling(sentence: str) -> bool:
    """A sentence tells what is felt: of what goes past the stop, only that is given back."""
    return held_in(sentence)["feeling"] >= FELT


def is_near(text: str) -> bool:
    """A turn likely tells that somebody is near; what is said to that does no harm where nobody is."""
    return any(_chances(part)[NEAR] >= SURE for part in sentences(text))


def quotable(sentence: str) -> bool:
    """A sentence says something: neither a bare no nor hardly anything, so that giving it back shows that it was
    heard."""
    if heard("manner", sentence) == "guarded" or heard("answer", sentence) == "denies":
        return False
    return held_in(sentence)["little"] < SAYS_NOTHING


def _tells(sentence: str) -> bool:
    chances = _chances(sentence)
    return sum(chances[what] for what in _UNQUOTED) < SAYS_NOTHING

"""What somebody does with the stop, or with the question whom they could turn to: heads of the protocol's own.

They take it up, have somebody near, could go to somebody, have nobody, put it off, refuse, have decided, ask back, fear
to be seen, are afraid, apologise, doubt who speaks or who reads it, name what holds them, say that it does them good,
say nothing that can be held on to, or tell something else; each is answered in its own words, where the head is sure.
Somebody who is only spoken of is no help that was named. Beside it: whether somebody who is spoken of may be asked
about as one to turn to, and despair beside a wish to be dead. Fitted on own-written lines
(`recipes/readers/risk_told.py`).
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
AS_TOLD: Final = "as_told"
"""Says only that it is as it was told before."""
MEANS: Final = "means"
"""Asks for means, or what something would do."""
HOLDS: Final = "holds"
"""Names somebody or something that holds them: a child, a wish, something they still want to say or do."""
DOES: Final = (
    "takes_up",
    "near",
    "person",
    "nobody",
    "later",
    "refuses",
    INTENDS,
    "asks",
    "asks_call",
    "asks_again",
    "watched",
    "afraid",
    "sorry",
    "paid",
    "told_on",
    "reads",
    HOLDS,
    "warms",
    "leaves",
    MEANS,
    AS_TOLD,
    "vague",
    "tells",
)
"""What a turn can do."""
BRIDGES: Final = ("may", "not")
"""Somebody whom a sentence speaks of may be asked about as one to turn to, or not: dead, a victim, a small child, left
the patient, feared, or a stranger."""
DESPAIRS: Final = ("burden", "nobody", "hopeless", "none")
"""What somebody who wishes to be dead says of others or of what is to come: signs by themselves."""
TELLS: Final = "tells"
TAKES_UP: Final = "takes_up"
NEAR: Final = "near"
PERSON: Final = "person"
LATER: Final = "later"
VAGUE: Final = "vague"
WATCHED: Final = "watched"
SURE: Final = 0.55
"""Probability from which something else than telling is heard. *Assumption.*"""
SURELY: Final = 0.7
"""The same for what would send somebody to a person, warn of one, or say that they refuse, mean it or want something:
the answer to those is the worst where it is mistaken. *Assumption.*"""
_GRAVE: Final = frozenset(
    {WATCHED, NEAR, TAKES_UP, PERSON, "refuses", INTENDS, HOLDS, "warms", "leaves", MEANS, AS_TOLD}
)
DESPAIRING: Final = 0.7
"""P(a turn says that they are a burden, have nobody, or that nothing can come) from which that is a sign beside a wish
to be dead. *Assumption.*"""
QUIET: Final = 0.2
"""The same up to which what only looks like a faint sign is none: guilt and sadness alone are not asked about again.
*Assumption.*"""
SAYS_NOTHING: Final = 0.25
"""Probability of hardly anything, or of a refusal, from which a sentence is not given back. *Assumption.*"""
_MANNERS: Final = frozenset({VAGUE, AS_TOLD, "refuses", "warms", "leaves", "asks", "asks_again"})
"""What may stand beside a sentence that tells something, which then goes before it."""
_LIGHT: Final = frozenset({"warms", "leaves", TAKES_UP})
"""What is never heard in a turn that despairs."""
_NAMED: Final = frozenset({NEAR, PERSON})
"""What goes before anything else that the turn does: it is what was asked for."""
_UNQUOTED: Final = frozenset(
    {
        "refuses",
        INTENDS,
        VAGUE,
        "asks",
        "asks_call",
        "asks_again",
        "sorry",
        "paid",
        "told_on",
        "reads",
        "warms",
        "leaves",
        AS_TOLD,
    }
)
SHORTEST: Final = 5
"""Words of a sentence that is given back at least."""


@lru_cache(maxsize=5_000)
def _read(name: str, sentence: str) -> dict[str, float]:
    head = load(WEIGHTS, name)
    return head(sentence_row(sentence, head.places))


def _chances(sentence: str) -> dict[str, float]:
    return _read("risk_after_stop", sentence)


def may_be_turned_to(sentence: str) -> float:
    """P(somebody whom the sentence speaks of may be asked about as one to turn to), 0–1."""
    return _read("risk_bridge", sentence)["may"]


def despair(text: str) -> float:
    """P(a turn says that they are a burden, have nobody, or that nothing can come), by its likeliest sentence, 0–1."""
    return max(map(_despairs, sentences(text)), default=0.0)


def despairing(text: str) -> str:
    """The sentence of a turn that says so, as it was said; empty where none likely does, or the turn says hardly
    anything: "I can't put it any other way" sounds like it."""
    best = max(sentences(text), key=_despairs, default="")
    return short(best) if best and _despairs(best) >= DESPAIRING and does(text)[0] not in (VAGUE, AS_TOLD) else ""


def _despairs(sentence: str) -> float:
    return 1 - _read("risk_despair", sentence)["none"]


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
        (what in _NAMED, what not in _MANNERS, chance, what, part)
        for part in parts
        for what, chance in _chances(part).items()
        if what != TELLS
        and chance >= (SURELY if what in _GRAVE else SURE)
        and not (what in _MANNERS and any(one != part for one in telling))
        and not (what == "asks_again" and len(parts) > 1)
        and not (what in _LIGHT and despair(text) >= DESPAIRING)
    ]
    if found:
        *_, what, part = max(found)
        worth = what not in _UNQUOTED and len(words(part)) >= SHORTEST and quotable(part) and _tells(part)
        return what, short(part) if worth else ""
    return TELLS, short(telling[0]) if telling else ""


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

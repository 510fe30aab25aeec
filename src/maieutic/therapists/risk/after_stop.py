"""What somebody does with the stop, or with the question whom they could turn to: a head of the protocol's own.

They take it up, name somebody, have nobody, put it off, refuse, ask back, fear to be seen, are afraid, or tell
something else; each is answered in its own words. Fitted on own-written lines (`recipes/readers/risk_told.py`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from maieutic.language.sentences import sentences, words
from maieutic.reading.bag import sentence_row
from maieutic.reading.head import load
from maieutic.therapists.risk.answers import short

WEIGHTS: Final = "therapists/weights/stop.npz"
DOES: Final = ("takes_up", "person", "nobody", "later", "refuses", "asks", "watched", "afraid", "tells")
"""What a turn can do."""
TELLS: Final = "tells"
TAKES_UP: Final = "takes_up"
SURE: Final = 0.55
"""Probability from which something else than telling is heard. *Assumption.*"""
SURELY: Final = 0.7
"""Probability from which somebody counts as watched: the answer to that is the oddest where it is mistaken."""
_GRAVE: Final = frozenset({"watched"})
SHORTEST: Final = 5
"""Words of a sentence that is given back at least."""


@lru_cache(maxsize=5_000)
def _chances(sentence: str) -> dict[str, float]:
    head = load(WEIGHTS, "risk_after_stop")
    return head(sentence_row(sentence, head.places))


def does(text: str) -> tuple[str, str]:
    """What a turn does, one of `DOES`, and the sentence that does it, as it was said."""
    parts = sentences(text) or (text,)
    heard = [
        (chance, what, part)
        for part in parts
        for what, chance in _chances(part).items()
        if what != TELLS and chance >= (SURELY if what in _GRAVE else SURE)
    ]
    if heard:
        _, what, part = max(heard)
        return what, short(part) if len(words(part)) >= SHORTEST else ""
    telling = [part for part in parts if len(words(part)) >= SHORTEST and not part.rstrip().endswith("?")]
    return TELLS, short(telling[0]) if telling else ""

"""Whether a turn asks openly: a head of its own over each question of the turn, read by scorers and coders alone.

The ear of `moves.py` does not count what asks leave or checks back; a coded question may be nothing else, and then it
is closed. Scales are closed, too: "How sure are you?" is answered with a number.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from maieutic.language.questions import ends_as_question, parts_of
from maieutic.language.sentences import sentences
from maieutic.reading.ear import SURE_WITHOUT_MARK, features
from maieutic.reading.head import load
from maieutic.reading.moves import chances

PLACE: Final = "reading/weights/asking.npz"
FORMS: Final = ("open", "closed")


def asking(text: str) -> tuple[str, ...]:
    """The questions of a turn that was coded as one; where none shows, the sentence that asks likeliest."""
    said = sentences(text)
    asks = [one for one in said if ends_as_question(one) or chances(one)["question"] >= SURE_WITHOUT_MARK]
    if not asks:
        return (max(said, key=lambda one: chances(one)["question"]),) if said else ()
    return tuple(part for one in asks for part in (parts_of(one) if ends_as_question(one) else (one,)))


@lru_cache(maxsize=20_000)
def open_chance(text: str) -> float:
    """Probability that the question of a turn leaves the answer to the client: that of its most open part."""
    head = load(PLACE, "asking")
    return max((head(features(part, head.places))["open"] for part in asking(text)), default=0.0)

"""A therapist turn as coder and scorers hear it: what it asks and how openly, what it attributes, what each sentence
does."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from maieutic.language.questions import ends_as_question, parts_of
from maieutic.language.sentences import sentences
from maieutic.reading.ear import SURE_WITHOUT_MARK, Ear, features
from maieutic.reading.head import load

PLACE: Final = "reading/weights/moves.npz"
_EAR: Final = Ear(PLACE, "marks")

questions = _EAR.questions
statements = _EAR.statements
asks_permission = _EAR.asks_permission
attributions = _EAR.attributions
marks = _EAR.marks
chances = _EAR.chances
read_together = _EAR.read_together


def does(text: str, *labels: str) -> bool:
    """Any sentence of a turn does one of these things (labels of `recipes/readers/moves.py`)."""
    return any(not marks(sentence).isdisjoint(labels) for sentence in sentences(text))


@lru_cache(maxsize=20_000)
def reaches_for(question: str) -> str:
    """What a question reaches for: 'evidence', 'perspective', 'implication', 'emotion' or 'none' of them."""
    head = load(PLACE, "reaches")
    return head.read(features(question, head.places)).label or "none"


ASKING: Final = "reading/weights/asking.npz"
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
    """Probability that the question of a turn leaves the answer to the client: that of its most open part.

    The ear does not count what asks leave or checks back; a coded question may be nothing else, and then it is closed.
    Scales are closed, too: "How sure are you?" is answered with a number.
    """
    head = load(ASKING, "asking")
    return max((head(features(part, head.places))["open"] for part in asking(text)), default=0.0)

"""What a patient's sentence does to the talk, by the therapists' own heads: asks back, refuses, answers about danger, tells little.

Neither the patient nor anything that scores reads with these heads (`recipes/readers/therapists.py`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, Literal

from maieutic.reading.bag import sentence_row
from maieutic.reading.head import load

WEIGHTS: Final = "therapists/weights/hearing.npz"
TURNS: Final = ("recall", "recap", "human", "insult", "instruct", "unsure", "other")
"""Asks for what was told, for a summary of it, whether this is a person; insults; instructs the program; says 'I don't know'."""
ANSWERS: Final = ("denies", "affirms", "safe", "unsafe", "takes_up", "other")
"""To a question about danger, or to the hand-over."""
MANNERS: Final = ("guarded", "telling")


@lru_cache(maxsize=20_000)
def heard(head: Literal["turn", "answer", "manner"], text: str) -> str | None:
    """What a head hears in a sentence or a short turn; None where it is in doubt."""
    loaded = load(WEIGHTS, head)
    return loaded.read(sentence_row(text, loaded.places)).label

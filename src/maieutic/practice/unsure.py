"""A sentence of which no reading is sure: told as a question to the trainee, with the two things it may have done."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from maieutic.language.questions import ends_as_question
from maieutic.language.sentences import sentences
from maieutic.practice.moves import COSTS, KINDS, is_theirs, kinds, parts_of_turn, short, spoken

ASKED_OF: Final = 0.6
"""Share of the costly kinds from which a sentence is asked about; out of fold three in four such sentences cost."""
_COST: Final[Mapping[str, str]] = {
    "minimising": "make it smaller",
    "reassurance": "take the worry away",
    "arguing": "go against what they had said",
    "interpreting": "tell them what it means",
    "telling_off": "go against what they had said",
    "advice": "hand them a way out",
    "information": "explain",
    "self_disclosure": "turn the talk to you",
    "applause": "praise without saying what for",
}
_ELSE: Final[Mapping[str, str]] = {
    "empathy": "show that you feel with them",
    "repair": "mend something between the two of you",
    "room": "leave them free",
    "process": "say how the talk goes",
    "affirmation": "name a strength of theirs",
}
_STAYS: Final = "stay with what they had said"
LIKELY: Final = 0.3
"""Chance from which the kinder side is named as what it may be."""


@lru_cache(maxsize=5_000)
def asked_of(text: str, heard: str, earlier: str = "") -> tuple[str, str] | None:
    """The statement that likeliest cost something and is not surely read, and the question about it; None: none.

    Args:
        text: The turn.
        heard: What the patient has just said.
        earlier: What they said before that.
    """
    text, heard = spoken(text), spoken(heard)
    read = {part.text for part in parts_of_turn(text, heard, earlier)}
    shares = {
        one: cost_share(kinds(one, heard))
        for one in sentences(text)
        if one not in read and not ends_as_question(one) and not is_theirs(one, f"{heard} {earlier}")
    }
    best = max(shares, key=lambda one: shares[one], default=None)
    if best is None or shares[best] < ASKED_OF:
        return None
    chances = kinds(best, heard)
    cost = _COST[max(_COST, key=lambda kind: chances[kind])]
    kinder = max(_ELSE, key=lambda kind: chances[kind])
    other = _ELSE[kinder] if chances[kinder] >= max(LIKELY, chances["reflection"]) else _STAYS
    return best, f"Ask yourself of “{short(best)}”: did it {other}, or did it {cost}?"


def cost_share(chances: Mapping[str, float]) -> float:
    """The share of the costly kinds in what a sentence may do."""
    return sum(chances[kind] for kind in COSTS if kind in KINDS) / sum(chances[kind] for kind in KINDS)

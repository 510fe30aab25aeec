"""A sentence of which no reading is sure, and that likely cost something: told as a question to the trainee."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from maieutic.language.questions import ends_as_question
from maieutic.language.sentences import sentences
from maieutic.practice.moves import COSTS, KINDS, is_theirs, kinds, parts_of_turn, short, spoken

ASKED_OF: Final = 0.7
"""Share of the costly kinds from which a sentence is asked about."""
AFTER_IT: Final = 0.5
"""The same where the patient turned away right after it."""


@lru_cache(maxsize=5_000)
def asked_of(text: str, heard: str, earlier: str = "", *, turned: bool = False) -> tuple[str, str] | None:
    """The statement that likeliest cost something and is not surely read, and the question about it; None: none.

    Args:
        text: The turn.
        heard: What the patient has just said.
        earlier: What they said before that.
        turned: They turned away from the turn.
    """
    text, heard = spoken(text), spoken(heard)
    read = {part.text for part in parts_of_turn(text, heard, earlier)}
    shares = {
        one: cost_share(kinds(one, heard, text))
        for one in sentences(text)
        if one not in read and not ends_as_question(one) and not is_theirs(one, f"{heard} {earlier}")
    }
    best = max(shares, key=lambda one: shares[one], default=None)
    if best is None or shares[best] < (AFTER_IT if turned else ASKED_OF):
        return None
    return best, _of(best)


def asked_about(pressing: Sequence[str], text: str, heard: str, earlier: str) -> tuple[str, str] | None:
    """The longest statement of those that may press, and the question about it; None: all are read or theirs.

    Args:
        pressing: Sentences of the turn.
        text: The turn.
        heard: What the patient has just said.
        earlier: What they said before that.
    """
    read = {part.text for part in parts_of_turn(spoken(text), spoken(heard), earlier)}
    own = [one for one in pressing if not ends_as_question(one) and one not in read]
    best = max((one for one in own if not is_theirs(one, f"{heard} {earlier}")), key=len, default=None)
    return None if best is None else (best, _of(best))


def _of(sentence: str) -> str:
    return f"Ask yourself of “{short(sentence)}”: did it stay with what they had said, or bring in something of yours?"


def cost_share(chances: Mapping[str, float]) -> float:
    """The share of the costly kinds in what a sentence may do."""
    return sum(chances[kind] for kind in COSTS if kind in KINDS) / sum(chances[kind] for kind in KINDS)

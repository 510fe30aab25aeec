"""What a turn may do to the patient though no sentence of it is surely named so, what it does for safety, and the
question about a sentence of which no reading is sure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.language.questions import ends_as_question
from maieutic.language.sentences import sentences
from maieutic.measures.moves import leads
from maieutic.practice.moves import (
    COSTS,
    DOUBTED,
    FAMILIES,
    HALF,
    KINDS,
    SAFETY,
    TELLING,
    WEIGHTS,
    is_theirs,
    kinds,
    parts_of_turn,
    short,
    spoken,
)
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import shared_minilm

SAFE: Final = 0.6
"""Chance from which a sentence is one that asks about danger or brings help; more must speak for it to be credited."""
SAFE_IN_DANGER: Final = 0.5
"""The same while danger is the subject."""
PERHAPS_SAFE: Final = 0.1
"""Chance below which a question is no closer one about danger."""
PRESSED: Final = 0.6
"""Chance of a fault from which a turn counts as one that surely pressed."""
PRESSES: Final[tuple[float, float]] = (0.25, 0.05)
"""Chance of a fault from which nothing is praised in a turn, where none before surely pressed and where one did. In
talks that nothing had been fitted on, 16 of 411 turns below the first had one, and 7 of 113 below the second."""
FAULTS: Final = (*FAMILIES["pressing"], "minimising")
"""What counts as pressing here."""
SHARP: Final = 0.15
"""Chance of a reproach from which a question is not praised."""


def doubtful(text: str, heard: str, earlier: str = "") -> bool:
    """A statement is as likely as not to tell instead of asking, and is not surely read."""
    text, heard = spoken(text), spoken(heard)
    read = {part.text for part in parts_of_turn(text, heard, earlier)}
    return any(
        kinds(one, heard, text)[TELLING] >= DOUBTED
        for one in sentences(text)
        if one not in read and not ends_as_question(one) and not is_theirs(one, f"{heard} {earlier}")
    )


def pressing(text: str, heard: str, least: float) -> tuple[str, ...]:
    """The sentences of the turn that may argue, blame, interpret, lead or make something smaller."""
    text, heard = spoken(text), spoken(heard)
    return tuple(one for one in sentences(text) if sum(kinds(one, heard, text)[kind] for kind in FAULTS) >= least)


def safety_row(sentence: str, vocabulary: Mapping[str, int]) -> Floats:
    """What the head sees of a sentence that may ask about danger or bring help."""
    vector = shared_minilm()([sentence]).astype(np.float64)[0]
    return np.concatenate([2.0 * vector, 2.0 * bag(sentence, vocabulary)])


@lru_cache(maxsize=20_000)
def _safety(sentence: str) -> float:
    head = load(WEIGHTS, "practice_safety")
    return head(safety_row(sentence, head.places))[SAFETY]


def safe_sentences(text: str, least: float = SAFE) -> tuple[str, ...]:
    """The sentences of a turn that ask about danger or bring help in it."""
    return tuple(one for one in sentences(spoken(text)) if _safety(one) >= least)


def surely_pressed(text: str, heard: str) -> bool:
    """A sentence of the turn surely pressed, and is no question about danger or help in it that leaves the answer
    open."""
    safe = safe_sentences(text)
    return any(one not in safe or leads(one) for one in pressing(text, heard, PRESSED))


def without_courtesies(text: str, heard: str) -> str:
    """The turn without questions that are about the talk itself or leave the patient free, if something is left."""
    own = sentences(spoken(text))
    kept = [
        one
        for one in own
        if not ends_as_question(one)
        or kinds(one, spoken(heard), spoken(text))["process"] + kinds(one, spoken(heard), spoken(text))["room"] < HALF
    ]
    return " ".join(kept) if kept and len(kept) < len(own) else text


def asks_sharply(text: str, heard: str) -> bool:
    """A question of the turn may be a reproach."""
    text, heard = spoken(text), spoken(heard)
    return any(kinds(one, heard, text)["telling_off"] >= SHARP for one in sentences(text) if ends_as_question(one))


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

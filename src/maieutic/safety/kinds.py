"""Which kind of danger a text tells of, by a head of its own; where it is in doubt it says so, and the general text is
shown.

A head on the shared sentence vectors, fitted by `recipes/fit.py danger_kind`. It names a kind; whether there is danger
at all is for the detector (`risk.py`) and the risk protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Final

from maieutic.language.sentences import sentences
from maieutic.safety.intent import PLAIN
from maieutic.safety.kind_head import chances
from maieutic.safety.risk import intent_of


class Kind(StrEnum):
    """Kinds of danger that need different help."""

    SUICIDE = "suicide"
    SELF_HARM = "self_harm"
    VIOLENCE = "violence"
    """From a partner, or somebody else at home or near."""
    CHILD = "child"
    OTHERS = "others"
    """That the speaker may do something to somebody."""
    PSYCHOSIS = "psychosis"
    """Voices, being followed or watched, after a birth as well."""
    MANIA = "mania"
    MEDICAL = "medical"
    """Overdose, withdrawal, hunger: the body is in danger."""
    WITHDRAWAL = "withdrawal"
    EATING = "eating"
    DRIVING = "driving"


FINER: Final = (Kind.WITHDRAWAL, Kind.EATING, Kind.DRIVING)
"""Kinds that this head puts with `MEDICAL`, or does not know; the risk protocol hears them by a head of its own."""
BROAD: Final = tuple(kind for kind in Kind if kind not in FINER)
NONE: Final = "none"
READ: Final = (*(kind.value for kind in BROAD), NONE)
"""What the head can say."""
LIKELY: Final = 0.65
"""P(kind) from which it is named, given that there is danger: the wrong text would be worse than the general one."""
CLEAR: Final = 0.8
AHEAD: Final = 0.2
"""P(kind), and by how much it leads, from which several turns together name a kind. *Assumption.*"""


@lru_cache(maxsize=5_000)
def kinds_in(text: str) -> dict[Kind, float]:
    """How likely each kind of danger is in a turn, 0–1: half by the whole turn, half by the sentence that tells it
    best."""
    whole, parts = chances(text), [chances(part) for part in sentences(text)] or [chances(text)]
    return {kind: (whole[kind] + max(part[kind] for part in parts)) / 2 for kind in BROAD}


def likeliest(text: str) -> tuple[Kind, float]:
    """The likeliest kind of a turn, and how likely it is."""
    share = kinds_in(text)
    best = max(BROAD, key=share.__getitem__)
    return best, share[best]


def kind_in_whole(text: str, kind: Kind) -> float:
    """P(kind) of a turn read as a whole, 0–1."""
    return chances(text)[kind]


def another_kind(turns: Sequence[str]) -> Kind | None:
    """The kind but suicide that these turns tell of clearly more than of any other; None where there is no such
    kind."""
    share = {kind: max(kinds_in(text)[kind] for text in turns) for kind in BROAD if kind is not Kind.SUICIDE}
    first, second = sorted(share, key=share.__getitem__, reverse=True)[:2]
    return first if share[first] >= CLEAR and share[first] - share[second] >= AHEAD else None


def another_danger(text: str) -> float:
    """P(any danger but suicide) of a turn, 0–1: which kind it is may be in doubt where this is not."""
    whole, parts = chances(text), [chances(part) for part in sentences(text)] or [chances(text)]
    own = [one for one in BROAD if one not in (Kind.SUICIDE, Kind.SELF_HARM)]
    return (sum(whole[one] for one in own) + max(sum(part[one] for one in own) for part in parts)) / 2


def intended(text: str, least: float = PLAIN) -> Kind | None:
    """The kind of an intent that is told in a turn; None where there is none.

    Where it is against somebody, the head for kinds tells whether that is a child, for whom the first thing to do is
    another.

    Args:
        least: P(intent) from which it counts, 0–1.
    """
    intent = intent_of(text)
    if intent.some < least:
        return None
    if intent.towards == "suicide":
        return Kind.SUICIDE
    kind, chance = likeliest(text)
    return Kind.CHILD if kind is Kind.CHILD and chance >= LIKELY else Kind.OTHERS


def kind_of(*turns: str) -> Kind | None:
    """The kind of danger of the latest of these turns that tells of one; None where none is likely.

    Args:
        turns: What one person said, the latest last.
    """
    for text in reversed(turns):
        if (plain := intended(text)) is not None:
            return plain
        kind, chance = likeliest(text)
        if chance >= LIKELY:
            return kind
    return None

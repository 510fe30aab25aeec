"""The question about suicide at a natural place: right after something painful was told, in words that take that up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Final

from maieutic.language.feelings import disclosed_feelings
from maieutic.therapists.agent.echoing import felt_back, said_as_so
from maieutic.therapists.hearing import held_in
from maieutic.therapists.risk.wording import picked, taken_up

PAINFUL: Final = 0.6
"""Probability of a thought or a feeling from which a reply tells something painful. Of 599 replies of development
patients 24 of 24 feelings and 45 of 79 thoughts reach it, no scene, plan, memory or fact, and 1 of 34 wishes."""

NAMED: Final = 0.3
"""The same of a feeling where one is named as the speaker's own. *Assumption.*"""


@lru_cache(maxsize=5_000)
def painful(reply: str) -> bool:
    """A reply tells a feeling that hurts, or a thought; what went well, a wish, a plan or a scene is none."""
    held = held_in(reply)
    named = bool(felt_back(reply)) or bool(disclosed_feelings(reply) and held["feeling"] >= NAMED)
    return named or held["feeling"] + held["thought"] >= PAINFUL


def tells_thought(reply: str) -> bool:
    """A reply may tell a thought or a feeling: the work on it would begin here, and no number was given yet."""
    held = held_in(reply)
    return held["feeling"] + held["thought"] >= NAMED


def asking(reply: str, said: Sequence[str], rng: Random) -> str:
    """The question about suicide with what leads up to it: the feeling that was told by its word, that it sounds
    painful, or, elsewhere, what was said, given back."""
    if painful(reply):
        return taken_up("risk_check", felt_back(reply).rstrip("."), said, rng)
    echo = next((one for one in said_as_so(reply) if not any(one in turn for turn in said)), "")
    return f"{echo} {picked('risk_check_else_after', said, rng)}" if echo else picked("risk_check_else", said, rng)

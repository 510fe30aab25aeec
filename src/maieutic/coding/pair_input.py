"""How the accurate coder's encoder is fed: the end of the turn before, the utterance, the beginning of the turn
after."""

from __future__ import annotations

from functools import lru_cache

from maieutic.reading.encoder import bare_ids, marks

LONGEST_BEFORE = 40
LONGEST_OWN = 88
LONGEST_AFTER = 24


def pair_ids(text: str, before: str = "", after: str = "") -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Token ids and kinds (1: the utterance and its end mark, 0: all else).

    Args:
        text: The utterance.
        before: What the other speaker said before it, or empty.
        after: What the other speaker said next, or empty.

    Returns:
        Two tuples of equal length, at most LONGEST_BEFORE + LONGEST_OWN + LONGEST_AFTER + 4.
    """
    begin, end = marks()
    earlier, own, later = _ids(before), _ids(text), _ids(after)
    # A long turn often asks at its end: its head and its tail are kept.
    if len(own) > LONGEST_OWN:
        own = own[: LONGEST_OWN // 2] + own[-LONGEST_OWN // 2 :]
    first = (begin, *earlier[-LONGEST_BEFORE:], end)
    second = (*own, end)
    third = (*later[:LONGEST_AFTER], end) if later else ()
    return (*first, *second, *third), (*((0,) * len(first)), *((1,) * len(second)), *((0,) * len(third)))


@lru_cache(maxsize=512)
def _ids(text: str) -> tuple[int, ...]:
    """Tokens without marks; every turn of a session is read three times, as itself and beside its neighbours."""
    return bare_ids(text)

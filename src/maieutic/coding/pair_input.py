"""How the accurate coder's encoder is fed: the end of the turn before, the utterance, the beginning of the turn after."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LONGEST_BEFORE = 40
LONGEST_OWN = 88
LONGEST_AFTER = 24
_BEGIN, _END = "[CLS]", "[SEP]"


def pair_ids(
    tokens: Tokenizer, text: str, before: str = "", after: str = ""
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Token ids and kinds (1: the utterance and its end mark, 0: all else).

    Args:
        tokens: The encoder's tokenizer, without padding and truncation.
        text: The utterance.
        before: What the other speaker said before it, or empty.
        after: What the other speaker said next, or empty.

    Returns:
        Two tuples of equal length, at most LONGEST_BEFORE + LONGEST_OWN + LONGEST_AFTER + 4.
    """
    begin, end = (int(tokens.token_to_id(mark) or 0) for mark in (_BEGIN, _END))
    earlier, own, later = (tokens.encode(one, add_special_tokens=False).ids for one in (before, text, after))
    # A long turn often asks at its end: its head and its tail are kept.
    if len(own) > LONGEST_OWN:
        own = own[: LONGEST_OWN // 2] + own[-LONGEST_OWN // 2 :]
    first = [begin, *earlier[-LONGEST_BEFORE:], end]
    second = [*own, end]
    third = [*later[:LONGEST_AFTER], end] if later else []
    return (*first, *second, *third), (*([0] * len(first)), *([1] * len(second)), *([0] * len(third)))

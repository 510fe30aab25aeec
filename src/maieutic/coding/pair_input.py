"""How the accurate coder's encoder is fed: what was said before, cut from its start, then the utterance, cut at its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LONGEST_BEFORE = 40
LONGEST_OWN = 88
_BEGIN, _END = "[CLS]", "[SEP]"


def pair_ids(tokens: Tokenizer, text: str, before: Sequence[str]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Token ids and kinds (0: context and marks before, 1: the utterance and its end mark).

    Args:
        tokens: The encoder's tokenizer, without padding and truncation.
        text: The utterance.
        before: What was said before, oldest first; only the last is read.

    Returns:
        Two tuples of equal length, at most LONGEST_BEFORE + LONGEST_OWN + 3.
    """
    begin, end = (int(tokens.token_to_id(mark) or 0) for mark in (_BEGIN, _END))
    earlier = tokens.encode(before[-1], add_special_tokens=False).ids[-LONGEST_BEFORE:] if before else []
    own = tokens.encode(text, add_special_tokens=False).ids
    # A long turn often asks at its end: its head and its tail are kept.
    if len(own) > LONGEST_OWN:
        own = own[: LONGEST_OWN // 2] + own[-LONGEST_OWN // 2 :]
    first = [begin, *earlier, end]
    second = [*own, end]
    return (*first, *second), (*([0] * len(first)), *([1] * len(second)))

"""What coders marked as the evidence for their code, brought to the tokens of an input.

EPITOME's annotators marked the words of a reply that their level rests on (Sharma et al. 2020, who train on them, too).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tokenizers import Tokenizer

from maieutic.coding.encoder import MAX_OWN

NOT_KNOWN = -1


def token_marks(
    tokens: Tokenizer, text: str, marked: Sequence[str], kinds: Sequence[int], *, absent: bool
) -> tuple[int, ...]:
    """For each token of an input: 1 in a marked passage, 0 in none, NOT_KNOWN outside the utterance.

    Args:
        tokens: The encoder's tokenizer.
        text: The utterance.
        marked: Passages of it.
        kinds: Token kinds of the input as `pair_ids` gives them.
        absent: The code says that there is nothing to mark.
    """
    encoding = tokens.encode(text, add_special_tokens=False)
    spans = [(at, at + len(one)) for one in marked if (at := text.find(one)) >= 0]
    if absent:
        flags = [0] * len(encoding.ids)
    elif spans:
        flags = [int(any(start < stop and end > begin for begin, stop in spans)) for start, end in encoding.offsets]
    else:
        flags = [NOT_KNOWN] * len(encoding.ids)
    if len(flags) > MAX_OWN:
        flags = flags[: MAX_OWN // 2] + flags[-MAX_OWN // 2 :]
    told = np.full(len(kinds), NOT_KNOWN)
    told[np.flatnonzero(np.array(kinds) == 1)[:-1]] = flags  # the last of the utterance is its end mark
    return tuple(map(int, told))

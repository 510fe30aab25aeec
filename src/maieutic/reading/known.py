"""Readings that are known before a session: wordings of the agent's banks, read when their heads were fitted.

A reading is kept under a hash of its sentence, with the hash of the weights that read it (`recipes/known_drafts.py`); a
test compares both. A wording that gives the patient's words back in quotation marks is known by what stands around
them: what they say is not what the agent does. A sentence that is not kept is read as any other.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from maieutic.reading.head import stored_arrays

PLACE: Final = "reading/weights/known_drafts.npz"


_GIVEN_BACK: Final = re.compile("“[^“”]*”")


def key_of(sentence: str) -> str:
    """Under what a sentence is kept: without what it quotes."""
    return hashlib.blake2b(_GIVEN_BACK.sub("“…”", sentence).encode(), digest_size=8).hexdigest()


@cache
def known(head: str) -> Mapping[str, Mapping[str, float]]:
    """The probabilities of every label of a head by sentence (`key_of`); none for a head whose readings are not
    kept."""
    stored = stored_arrays(PLACE)
    if f"{head}.keys" not in stored:
        return {}
    labels = [str(label) for label in stored[f"{head}.labels"]]
    return {
        str(key): dict(zip(labels, row.tolist(), strict=True))
        for key, row in zip(stored[f"{head}.keys"], stored[f"{head}.chances"], strict=True)
    }

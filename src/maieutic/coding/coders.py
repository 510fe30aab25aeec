"""Finds the coder of a scheme: the embedded one, fast or accurate, or a language model that follows the code book."""

from __future__ import annotations

from maieutic.coding.contract import SchemeCoder
from maieutic.coding.embedded import EmbeddedCoder, Tier


def coder_for(scheme: str, *, tier: Tier = "accurate", before_only: bool = False) -> SchemeCoder:
    """The embedded coder of a scheme.

    Args:
        scheme: A name that `get_scheme` knows.
        tier: 'fast' reads word grams only, 'accurate' an encoder as well.
        before_only: Whether to read nothing that was said after an utterance.

    Raises:
        UnknownName: No such scheme.
        InputError: There are no weights for it in the package or on this machine.
    """
    return EmbeddedCoder(scheme, tier, before_only=before_only)

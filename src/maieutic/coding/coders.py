"""Finds the coder of a scheme: the embedded one, fast or accurate, or a language model that follows the code book."""

from __future__ import annotations

from typing import cast

from maieutic.coding.contract import SchemeCoder
from maieutic.coding.embedded import EmbeddedCoder, Tier
from maieutic.coding.schemes import PACKAGED
from maieutic.doors import joined


def coder_for(scheme: str, *, tier: Tier = "accurate", before_only: bool = False, hears: bool = False) -> SchemeCoder:
    """The coder that a package brings for a scheme of its own, or else the embedded one, to which the options belong.

    Args:
        scheme: A name that `get_scheme` knows.
        tier: 'fast' reads word grams only, 'accurate' an encoder as well.
        before_only: Whether to read nothing that was said after an utterance.
        hears: Whether each sentence is heard for advice, too; slower.

    Raises:
        UnknownName: No such scheme.
        InputError: A package brings a coder for a scheme of ours; or there are no weights for it in the package or on
            this machine.
    """
    brought = joined("coders", PACKAGED)
    if scheme in brought:
        return cast(SchemeCoder, brought[scheme].load()())
    return EmbeddedCoder(scheme, tier, before_only=before_only, hears=hears)

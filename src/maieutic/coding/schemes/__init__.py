"""The code books by name, in our own words: which labels a scheme has and when each of them fits.

A package of somebody else's adds a book by an entry point in the group `maieutic.schemes`, and its coder by one of the
same name in `maieutic.coders`; a language model (`maieutic code --judge MODEL`) needs the book alone.
"""

from __future__ import annotations

from typing import cast

from maieutic.coding.book import Scheme, read_book
from maieutic.doors import joined
from maieutic.errors import UnknownName

ANNOMI, MISC, BOLT = read_book("annomi"), read_book("motivational"), read_book("bolt")
SOCRATIC, APPROPRIATENESS = read_book("socratic"), read_book("appropriateness")
EPITOME, FEEDBACK = read_book("epitome"), read_book("feedback")
PACKAGED = {scheme.id: scheme for scheme in (ANNOMI, MISC, BOLT, SOCRATIC, EPITOME, APPROPRIATENESS, FEEDBACK)}

REPLIES = read_book("replies")
"""What a whole reply does, for a judge alone: no scheme to code by."""


def scheme_names() -> tuple[str, ...]:
    """The names that `get_scheme` knows."""
    return tuple(sorted({*PACKAGED, *joined("schemes")}))


def get_scheme(name: str) -> Scheme:
    """The scheme of that name; the packaged ones are always ours.

    Raises:
        UnknownName: No such scheme; the message proposes the closest name.
    """
    if name in PACKAGED:
        return PACKAGED[name]
    brought = joined("schemes")
    if name not in brought:
        raise UnknownName("scheme", name, scheme_names())
    return cast(Scheme, brought[name].load())


__all__ = [
    "ANNOMI",
    "APPROPRIATENESS",
    "BOLT",
    "EPITOME",
    "FEEDBACK",
    "MISC",
    "REPLIES",
    "SOCRATIC",
    "get_scheme",
    "scheme_names",
]

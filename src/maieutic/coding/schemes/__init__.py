"""The published code books by name, in our own words: which labels a scheme has and when each of them fits."""

from __future__ import annotations

from maieutic.coding.book import Scheme
from maieutic.coding.schemes.annomi import ANNOMI
from maieutic.coding.schemes.appropriateness import APPROPRIATENESS
from maieutic.coding.schemes.bolt import BOLT
from maieutic.coding.schemes.epitome import EPITOME
from maieutic.coding.schemes.feedback import FEEDBACK
from maieutic.coding.schemes.motivational import MISC
from maieutic.coding.schemes.socratic import SOCRATIC
from maieutic.errors import UnknownName

_SCHEMES = {scheme.id: scheme for scheme in (ANNOMI, MISC, BOLT, SOCRATIC, EPITOME, APPROPRIATENESS, FEEDBACK)}


def scheme_names() -> tuple[str, ...]:
    """The names that `get_scheme` knows."""
    return tuple(sorted(_SCHEMES))


def get_scheme(name: str) -> Scheme:
    """The scheme of that name.

    Raises:
        UnknownName: No such scheme; the message proposes the closest name.
    """
    try:
        return _SCHEMES[name]
    except KeyError:
        raise UnknownName("scheme", name, _SCHEMES) from None


__all__ = [
    "ANNOMI",
    "APPROPRIATENESS",
    "BOLT",
    "EPITOME",
    "FEEDBACK",
    "MISC",
    "SOCRATIC",
    "get_scheme",
    "scheme_names",
]

"""Therapists constructed to fail in exactly one way, at a chosen strength, and the competent control beside them.

They are the known groups that the battery's families are tried on. None is registered, so no run lists them.
"""

from __future__ import annotations

from functools import lru_cache

from maieutic.errors import InputError, UnknownName
from maieutic.gap.constructed.failures import FAILURES
from maieutic.gap.constructed.therapist import CONTROL, Constructed, Implementation, Manner

NAMES: tuple[str, ...] = tuple(FAILURES)
STRENGTHS = (1.0, 0.5, 0.15)
"""Full, half and rare: share of turns and answers that the failing behaviour takes."""
IMPLEMENTATIONS: tuple[Implementation, ...] = ("a", "b")


@lru_cache(maxsize=128)
def constructed(name: str, strength: float = 1.0, implementation: Implementation = "a") -> Constructed:
    """The therapist that fails in the named way, or the control under the name 'competent'.

    Args:
        name: One of `NAMES`, or 'competent'.
        strength: Share of turns and answers that fail, 0–1.
        implementation: 'a' or 'b': other words and other mechanics for the same failure. 'b' was not looked at while
            anything was tuned.

    Raises:
        UnknownName: no such failure. InputError: a strength outside 0–1, or another implementation.
    """
    if not 0.0 <= strength <= 1.0:
        raise InputError(f"a strength lies between 0 and 1, not {strength}")
    if implementation not in IMPLEMENTATIONS:
        raise InputError(f"implementations are a and b, not {implementation!r}")
    if name == CONTROL:
        return Constructed(CONTROL, 0.0, implementation, Manner())
    if name not in FAILURES:
        raise UnknownName("failure", name, (CONTROL, *NAMES))
    return Constructed(name, strength, implementation, FAILURES[name][implementation])


__all__ = ["CONTROL", "IMPLEMENTATIONS", "NAMES", "STRENGTHS", "Constructed", "constructed"]

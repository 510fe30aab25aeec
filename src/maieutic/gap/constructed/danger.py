"""Whether a patient speaks of danger: the openings of the safety family, which a yardstick may know, and the risk
reading."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from maieutic.gap.safety.judge import probes
from maieutic.safety.risk import assess

_GRAVE: Final = ("passive", "active")


def grave(heard: str) -> bool:
    """Whether these words are a dangerous opening of the safety family, or danger to life by the packaged risk
    reading."""
    return heard in _openings() or assess(heard).grade in _GRAVE


def danger_in(told: Sequence[str]) -> bool:
    """Whether any of the patient's turns is such an opening, or the last is flagged by the packaged risk reading."""
    return any(text in _openings() for text in told) or bool(told and assess(told[-1]).flagged)


@lru_cache(maxsize=1)
def _openings() -> frozenset[str]:
    return frozenset(probe.text for probe in probes())

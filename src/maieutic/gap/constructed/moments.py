"""What the control knows of a moment: whether a patient speaks of danger, and the right move where the items name one.

The openings of the safety family are danger, which a yardstick may know, and so is what the risk reading flags. Away
from frozen moments the control is the agent itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from maieutic.domain.episode import Session
from maieutic.gap.constructed.wording import clause_of, filled, lines_of
from maieutic.gap.items import packaged
from maieutic.gap.safety.judge import probes
from maieutic.language.feelings import disclosed_feelings
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


_LINES = lines_of("moments")


def keyed(session: Session) -> str | None:
    """The turn that a frozen moment calls for; None for a session that is no frozen item."""
    lines = tuple(turn.text for turn in session.turns)
    kind = _moments().get(lines[-1]) if lines else None
    if kind is None:
        return None
    feelings = sorted(disclosed_feelings(lines[-1]))
    clause = clause_of((lines[-1],)) or "it has stayed with you"
    return filled(_LINES.turns[kind], feeling=feelings[0] if feelings else "hard", clause=clause)


@lru_cache(maxsize=1)
def _moments() -> Mapping[str, str]:
    """The right move by the patient's last line."""
    source: Mapping[str, Any] = packaged("frozen_moves")
    found = {str(state["lines"][-1]): str(state["right"][0]) for state in source["states"]}
    return found | {str(item["last"]): str(item["right"][0]) for item in source["repeats"]}

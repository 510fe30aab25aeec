"""Which whole sessions the families share."""

from __future__ import annotations

from typing import Final

from maieutic.gap.family import SamplePlan
from maieutic.gap.recording_client import SessionSpec
from maieutic.library import STARTERS, case_ids, get_case

PATIENT: Final = 0
"""Which patient of a case is seen."""
MORE: Final = 6
"""Further sessions at most."""


def shared_sessions(extent: SamplePlan) -> tuple[SessionSpec, ...]:
    """First sessions with `extent.cases` regular cases of the split, the starters first.

    The patient drawn for a case is part of the item, and the same under every seed of the battery, which moves chance
    only.
    """
    return _sessions(extent)[: extent.cases]


def further_sessions(extent: SamplePlan) -> tuple[SessionSpec, ...]:
    """First sessions with the next cases, at most half as many as the standard extent has, for where the shared ones
    leave too wide an interval."""
    return _sessions(extent)[extent.cases : extent.cases + min(extent.cases, MORE)]


def _sessions(extent: SamplePlan) -> tuple[SessionSpec, ...]:
    regular = [name for name in case_ids(extent.split) if get_case(name).special is None]
    ordered = sorted(regular, key=lambda name: (name not in STARTERS, name))
    return tuple(SessionSpec(name, PATIENT, extent.turns) for name in ordered)


def arcs(extent: SamplePlan, sessions: int = 4) -> tuple[SessionSpec, ...]:
    """The last sessions of arcs of `sessions` with the first cases: a sixth of the shared ones, at least one."""
    first = shared_sessions(extent)
    return tuple(SessionSpec(s.case, s.seed, s.turns, sessions) for s in first[: max(1, len(first) // 6)])

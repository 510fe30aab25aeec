"""Reads the battery's own items and builds the sessions that they are put into; which whole sessions families share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar

import yaml

from maieutic.domain.episode import Episode, Session, Turn
from maieutic.domain.randomness import derive_seed
from maieutic.domain.state import CognitiveState
from maieutic.errors import UnreadableFile
from maieutic.gap.family import SamplePlan
from maieutic.gap.recording_client import SessionSpec
from maieutic.library import STARTERS, case_ids, get_case
from maieutic.reading.yaml_text import packaged_yaml

Item = TypeVar("Item")


@lru_cache(maxsize=64)
def packaged(name: str) -> Any:
    """The content of `gap/items/NAME.yaml`. Raises `UnreadableFile`."""
    try:
        return packaged_yaml("gap", "items", f"{name}.yaml")
    except (OSError, yaml.YAMLError) as error:
        raise UnreadableFile(
            f"items {name!r} of the gap battery cannot be read: {error}; install maieutic again"
        ) from error


def yardsticks(name: str) -> Mapping[str, Sequence[str]]:
    """Sentences that a family's reader holds replies against, by what is said in them."""
    found: Mapping[str, Sequence[str]] = packaged_yaml("gap", "yardsticks.yaml")[name]
    return found


def said(*lines: str, seed: int = 0) -> Session:
    """A session in which the patient opens and the speakers take turns."""
    speakers = ("patient", "therapist")
    return Session(tuple(Turn(speakers[n % 2], line) for n, line in enumerate(lines)), seed)  # type: ignore[arg-type]


def seeded(extent: SamplePlan, family: str, item: str, sample: int = 0) -> int:
    """The seed of one draw of one item."""
    return derive_seed(extent.seed, "gap", family, item, sample)


def share_of(
    items: Sequence[Item], extent: SamplePlan, kind: Callable[[Item], Hashable] = lambda item: 0
) -> list[Item]:
    """The extent's share of the items, the first of every kind, at least one of each; the order is kept."""
    kept: dict[Hashable, int] = {}
    sizes: dict[Hashable, int] = {}
    for item in items:
        sizes[kind(item)] = sizes.get(kind(item), 0) + 1
    chosen = []
    for item in items:
        group = kind(item)
        if kept.get(group, 0) < max(1, round(extent.items * sizes[group])):
            kept[group] = kept.get(group, 0) + 1
            chosen.append(item)
    return chosen


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


def moved_most(
    episode: Episode, name: str, by: Callable[[CognitiveState, CognitiveState], float]
) -> list[dict[str, Any]]:
    """The three therapist turns of a session after which the mind moved most, with what was said before them.

    Args:
        name: The key of how far it moved. by: That, from the states before and after a turn.
    """
    turns = episode.session.turns
    places = [at for at, turn in enumerate(turns) if turn.speaker == "therapist"]
    moves = zip(places, episode.states, episode.states[1:], strict=False)
    found = [
        {name: by(was, now), "turn": n, "before": turns[at - 1].text if at else "", "said": turns[at].text}
        for n, (at, was, now) in enumerate(moves, start=1)
    ]
    return sorted(found, key=lambda one: -float(str(one[name])))[:3]

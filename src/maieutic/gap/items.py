"""Reads the battery's own items and builds the sessions that they are put into."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import yaml

from maieutic.domain.episode import Session, Turn
from maieutic.domain.randomness import derive_seed
from maieutic.errors import UnreadableFile
from maieutic.gap.family import SamplePlan
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

"""Openings and harmless turns put together from own-written parts: many, cheap, and templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from maieutic.reading.yaml_text import packaged_yaml


@dataclass(frozen=True, slots=True)
class Crossed:
    """Turns made of parts.

    Attributes:
        active: Patient openings that hold active danger. hints: Openings that hold a hint.
        harmless: Therapist questions that hold words such as 'end', 'die' or 'survive' and ask about none of it.
    """

    active: tuple[str, ...]
    hints: tuple[str, ...]
    harmless: tuple[str, ...]


@lru_cache(maxsize=1)
def _parts() -> Mapping[str, list[str]]:
    parts = packaged_yaml("validation", "agent", "risk", "turns.yaml")
    return {str(key): list(map(str, found)) for key, found in parts.items()}


def crossed() -> Crossed:
    """Every part before every other, in order."""
    parts = _parts()
    return Crossed(
        tuple(f"{before} {said}" for before in parts["before"] for said in parts["danger"]),
        tuple(f"{before} {said}" for before in parts["before"] for said in parts["hint"]),
        tuple(f"{lead} {asked}".strip() for lead in parts["lead_ins"] for asked in parts["harmless"]),
    )

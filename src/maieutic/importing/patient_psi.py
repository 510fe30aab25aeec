"""PATIENT-Ψ's diagrams (Wang et al., EMNLP 2024): one record for each situation; those of one person are put
together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from maieutic.importing.categories import (
    core_beliefs,
    emotion_groups,
    intermediate_beliefs,
    style_of,
    text_of,
    texts_of,
)
from maieutic.importing.draft import Reading

NAME = "patient_psi"
KEYS = frozenset({"history", "helpless_belief", "unlovable_belief", "worthless_belief", "auto_thought", "situation"})
_BUCKETS = ("helpless_belief", "unlovable_belief", "worthless_belief")
MAX_EMOTIONS = 3


def fits(record: Mapping[str, Any]) -> bool:
    """The record is one situation of a PATIENT-Ψ diagram."""
    return record.keys() >= KEYS


def read(records: Sequence[Mapping[str, Any]]) -> list[Reading]:
    """One reading for each person; a person's records share the name and the part of the id before the hyphen."""
    people: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for record in records:
        group = text_of(record.get("id")).partition("-")[0]
        people.setdefault((text_of(record.get("name")), group), []).append(record)
    return [_person(own) for own in people.values()]


def _person(records: Sequence[Mapping[str, Any]]) -> Reading:
    first = records[0]
    reading = Reading(text_of(first.get("name")), {})
    reading.draft = {
        "person": {"name": text_of(first.get("name"))},
        "history": text_of(first["history"]),
        "core_beliefs": core_beliefs([b for bucket in _BUCKETS for b in first[bucket]]),
        "intermediate_beliefs": intermediate_beliefs(
            first.get("intermediate_belief"), first.get("intermediate_belief_depression")
        ),
        "coping": texts_of(first.get("coping_strategies")),
        "style": _style(first.get("type"), reading),
        "situations": [
            situation(r["situation"], r["auto_thought"], r.get("emotion"), r.get("behavior"), reading) for r in records
        ],
    }
    different = [k for k in ("history", *_BUCKETS) if any(r[k] != first[k] for r in records)]
    if different:
        reading.notes.append(f"the records of this person differ in {', '.join(different)}; the first is taken")
    return reading


def situation(happened: Any, thought: Any, emotion: Any, behaviour: Any, reading: Reading) -> dict[str, Any]:
    """One situation of a diagram in our layout; what a case cannot hold is noted."""
    groups = emotion_groups(emotion)
    if len(groups) > MAX_EMOTIONS:
        reading.notes.append(f"{', '.join(groups[MAX_EMOTIONS:])} left out; a situation takes three emotions")
    if text_of(emotion) and not groups:
        reading.reasons["situations.*.emotions"] = (
            f"the source's words ({text_of(emotion)!r}) name none of the nine groups"
        )
    return {
        "happened": text_of(happened),
        "automatic_thought": text_of(thought),
        "emotions": [{"group": group} for group in groups[:MAX_EMOTIONS]],
        "behaviour": text_of(behaviour),
    }


def _style(value: Any, reading: Reading) -> str | None:
    named = [s for s in map(style_of, value if isinstance(value, list) else [value]) if s]
    if len(named) > 1:
        reading.notes.append(
            f"the source offers the styles {', '.join(named)}; {named[0]} is set, and FILE.yaml@STYLE plays another"
        )
    if text_of(value) and not named:
        reading.reasons["style"] = f"the source's style ({text_of(value)!r}) is none of the six"
    return named[0] if named else None

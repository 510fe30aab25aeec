"""Eeyore's test profiles (ACL Findings 2025) with their cognitive models; the talks they were mined from are not
read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from maieutic.importing.categories import (
    age_of,
    core_beliefs,
    intermediate_beliefs,
    is_child,
    risk_level,
    severity_of,
    text_of,
    texts_of,
)
from maieutic.importing.draft import Reading
from maieutic.importing.patient_psi import situation

NAME = "eeyore"
_NOT_SAID = "the profile marks it as not to be identified"


def fits(record: Mapping[str, Any]) -> bool:
    """The record has Eeyore's two profiles."""
    return isinstance(record.get("profile"), dict) and isinstance(record.get("cognitive profile"), dict)


def read(records: Sequence[Mapping[str, Any]]) -> list[Reading]:
    """One reading for each record."""
    return [_person(record["profile"], record["cognitive profile"]) for record in records]


def _person(profile: Mapping[str, Any], mind: Mapping[str, Any]) -> Reading:
    reading = Reading(text_of(profile.get("name")), {})
    age, why = age_of(profile.get("age"))
    person = {
        "name": text_of(profile.get("name")),
        "age": age,
        "gender": text_of(profile.get("gender")).lower(),
        "work": text_of(profile.get("occupation")),
    }
    reading.reasons.update({f"person.{key}": _NOT_SAID for key in person})
    if why:
        reading.reasons["person.age"] = why
    if is_child(profile.get("age")):
        reading.refused = reading.reasons["person.age"]
    if status := text_of(profile.get("marital status")):
        reading.reasons["person.household"] = f"the source gives the marital status only ({status.lower()})"
    if resistance := text_of(profile.get("resistance toward the support")):
        reading.reasons["style"] = f"the source gives resistance only ({resistance.lower()}), which is no style"
    suicidal = text_of(profile.get("suicidal ideation severity"))
    level = risk_level(suicidal)
    if level not in (None, "none"):
        reading.notes.append(
            f"risk is set to {level} for the source's grade of suicidal thoughts ({suicidal.split('.')[0]!r})"
        )
        reading.reasons["risk"] = "the source grades it and holds no words for it"
    if risk_level(profile.get("homicidal ideation severity")) not in (None, "none"):
        reading.notes.append("the source grades thoughts of harming others, too; a case holds one kind of risk")
    reading.draft = {
        "person": person,
        "problem": text_of(profile.get("situation of the client")),
        "severity": severity_of(profile.get("depression severity")),
        "history": text_of(mind.get("life_history")),
        "core_beliefs": core_beliefs(mind.get("core_belief_description")),
        "intermediate_beliefs": intermediate_beliefs(
            mind.get("intermediate_beliefs"), mind.get("intermediate_beliefs_during_depression")
        ),
        "coping": texts_of(mind.get("coping_strategies")),
        "situations": [
            situation(m.get("situation"), m.get("automatic_thoughts"), m.get("emotion"), m.get("behavior"), reading)
            for m in mind.get("cognitive_models", [])
        ],
        "risk": {"level": level, "kind": None if level == "none" else "suicide"} if level else {},
    }
    return reading

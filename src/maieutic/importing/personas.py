"""PatientHub's characters without a cognitive diagram: persona, complaint, history, and little of what a case needs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from maieutic.importing.categories import (
    age_of,
    core_beliefs,
    emotion_groups,
    intermediate_beliefs,
    is_child,
    severity_of,
    style_of,
    text_of,
    texts_of,
)
from maieutic.importing.draft import Reading

Record = Mapping[str, Any]
_NAMED = re.compile(r"^([A-Z][a-z]+) is\b")
_AGED = re.compile(r"^An? (\d{1,2})-(year|month|week|day)-old\b[\w\s,-]{0,40}?\b(man|woman|boy|girl|male|female)\b")


def _begun(source: Record, *, name: Any = "", age: Any = None, gender: Any = "", work: Any = "") -> Reading:
    """A reading with the person filled in and a child refused."""
    reading = Reading(text_of(name), {})
    years, why = age_of(age)
    if why:
        reading.reasons["person.age"] = why
    if is_child(age):
        reading.refused = why
    reading.draft["person"] = {
        "name": text_of(name),
        "age": years,
        "gender": text_of(gender).lower(),
        "work": text_of(work),
    }
    return reading


def _graded(reading: Reading, level: str | None, grade: str) -> None:
    """Put a source's grade of suicidal thoughts into the draft."""
    if level is None:
        return
    reading.draft["risk"] = {"level": level, "kind": None if level == "none" else "suicide"}
    if level != "none":
        reading.notes.append(f"risk is set to {level} for the source's grade of suicidal thoughts ({grade!r})")
        reading.reasons["risk"] = "the source grades it and holds no words for it"


def anna_agent(record: Record) -> Reading:
    """Profile, situation and a chain of complaints; the chain's order is kept as intermediate beliefs."""
    profile = record["profile"]
    reading = _begun(record, age=profile.get("age"), gender=profile.get("gender"), work=profile.get("occupation"))
    if status := text_of(profile.get("marital_status")):
        reading.reasons["person.household"] = f"the source gives the marital status only ({status.lower()})"
    risk = profile.get("srisk")
    if isinstance(risk, int) and 0 <= risk <= 3:
        _graded(reading, ("none", "passive", "active", "active")[risk], f"{risk} of 3")
    reading.draft |= {
        "problem": text_of(profile.get("symptoms")),
        "history": text_of(record.get("report", {}).get("case_summary")),
        "intermediate_beliefs": intermediate_beliefs([s.get("content") for s in record["complaint_chain"]]),
        "situations": [_moment(record.get("situation"), emotion=record.get("situation"))],
    }
    reading.reasons["style"] = "the source's style words are none of the six"
    return reading


def client_cast(record: Record) -> Reading:
    """Basic profile; traits and symptom scales have no place in a case."""
    basic = record["basic_profile"]
    reading = _begun(
        record, name=basic.get("name"), age=basic.get("age"), gender=basic.get("gender"), work=basic.get("occupation")
    )
    reading.draft |= {
        "problem": text_of(basic.get("problem")),
        "history": text_of(basic.get("reasons")),
        "situations": [_moment(basic.get("situation"), emotion=basic.get("emotion"))],
    }
    return reading


def psyche(record: Record) -> Reading:
    """A psychiatric file: identifying data, complaint, history in the first person."""
    profile = record["MFC-Profile"]
    person = profile.get("Identifying data", {})
    reading = _begun(record, age=person.get("Age"), gender=person.get("Sex"), work=person.get("Occupation"))
    grade = text_of(profile.get("Impulsivity", {}).get("Suicidal ideation"))
    plan = text_of(profile.get("Impulsivity", {}).get("Suicidal plan")).lower() == "presence"
    levels = {"high": "active", "moderate": "active", "medium": "active", "low": "passive", "absence": "none"}
    _graded(
        reading, "active" if plan else levels.get(grade.lower()), f"{grade}, {'with' if plan else 'without'} a plan"
    )
    reading.draft |= {"problem": text_of(profile.get("Chief complaint")), "history": text_of(record["MFC-History"])}
    return reading


def talk_dep(record: Record) -> Reading:
    """A depressed character with life history, symptoms and habits of speech."""
    reading = _begun(record, name=record.get("name"), age=record.get("age"), gender=record.get("gender"))
    level = text_of(record.get("depression_level"))
    reading.draft |= {
        "severity": severity_of(level),
        "problem": " ".join(text_of(s.get("description")) for s in record["key_negative_symptoms"]),
        "history": text_of(record["life_history"]),
        "situations": [_moment(record.get("current_context_of_interaction"))],
    }
    if level and not severity_of(level):
        reading.reasons["severity"] = f"the source says {level!r}"
    return reading


def consistent_mi(record: Record) -> Reading:
    """Topic, personas and beliefs of a client whose behaviour is to change."""
    reading = _begun(record)
    beliefs = intermediate_beliefs(record["Beliefs"])
    reading.draft |= {
        "problem": text_of(record.get("topic")),
        "history": text_of(record["Personas"]),
        "intermediate_beliefs": beliefs,
    }
    reading.reasons["core_beliefs"] = "the source's beliefs are about a behaviour, not about the self"
    return reading


def adaptive_vp(record: Record) -> Reading:
    """A patient on a ward: file, situation and complaint."""
    reading = _begun(record, name=record.get("name"), age=record.get("age"), gender=record.get("gender"))
    reading.draft |= {
        "problem": text_of(record.get("Main symptom")),
        "history": text_of([record.get("History of present illness"), record.get("social history")]),
        "situations": [_moment(record["situation"], emotion=record["situation"])],
    }
    reading.reasons["person.work"] = (
        "the source puts work and household into one social history, which stands in history"
    )
    reading.reasons["person.household"] = reading.reasons["person.work"]
    reading.reasons["style"] = f"the source's type ({text_of(record.get('type-text'))!r}) is none of the six styles"
    return reading


def patient_zero(record: Record) -> Reading:
    """A generated medical case with a psychiatric or other illness."""
    profile, course = record["patient_profile"], record["symptom_trajectory"]
    reading = _begun(
        record,
        name=profile.get("name"),
        age=profile.get("age"),
        gender=profile.get("biological_sex"),
        work=profile.get("occupation_type"),
    )
    reading.draft["person"]["culture"] = text_of(profile.get("ethnicity"))
    reading.draft |= {
        "problem": text_of(course.get("chief_complaint")),
        "severity": severity_of(course.get("current_severity")),
        "history": text_of([profile.get("lifestyle_summary"), profile.get("family_history"), course.get("onset")]),
        "style": style_of(profile.get("communication_style")),
    }
    return reading


def sim_patient(record: Record) -> Reading:
    """Persona with four scores and what happened between two sessions."""
    persona = record["persona"]
    reading = _begun(record, age=persona.get("age"), gender=persona.get("gender"), work=persona.get("occupation"))
    event = record["between_session_event"]
    reading.draft["person"]["culture"] = text_of(persona.get("ethnicity"))
    reading.draft["situations"] = [_moment(event, emotion=event)]
    return reading


def roleplay_doh(record: Record) -> Reading:
    """One paragraph about a patient; name and beliefs are read from its wording."""
    text = text_of(record["description"])
    named = _NAMED.match(text)
    sex = re.search(r"\b(male|female|man|woman)\b", text)
    reading = _begun(record, name=named.group(1) if named else "", gender=sex.group(1) if sex else "")
    believing = [s for s in texts_of(text) if re.search(r"\b(?:feeling|believ|belief|sees? (?:him|her)self)", s)]
    reading.draft |= {"history": text, "core_beliefs": [b for b in core_beliefs(believing) if "category" in b]}
    return reading


def saps(record: Record) -> Reading:
    """One medical vignette; only a few hold anything of a person."""
    text = text_of(record["patient_info"])
    aged = _AGED.match(text)
    years = (aged.group(1) if aged.group(2) == "year" else "0") if aged else None
    reading = _begun(record, age=years, gender=aged.group(3) if aged else "")
    reading.draft["history"] = text
    return reading


def _moment(happened: Any, *, emotion: Any = None) -> dict[str, Any]:
    return {"happened": text_of(happened), "emotions": [{"group": g} for g in emotion_groups(emotion)[:3]]}

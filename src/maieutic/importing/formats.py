"""Published patient profiles, format by format: PATIENT-Ψ's diagrams (Wang et al., EMNLP 2024), one record for each
situation; Eeyore's test profiles (ACL Findings 2025) with their cognitive models, without the talks they were mined
from; PatientHub's characters (arXiv 2602.11684) of fourteen simulators, each told by the keys it has."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from maieutic.importing.draft import (
    Reading,
    age_of,
    core_beliefs,
    emotion_groups,
    intermediate_beliefs,
    is_child,
    risk_level,
    severity_of,
    style_of,
    text_of,
    texts_of,
)

Record = Mapping[str, Any]
KEYS = frozenset({"history", "helpless_belief", "unlovable_belief", "worthless_belief", "auto_thought", "situation"})
_BUCKETS = ("helpless_belief", "unlovable_belief", "worthless_belief")
MAX_EMOTIONS = 3


def is_patient_psi(record: Record) -> bool:
    """The record is one situation of a PATIENT-Ψ diagram."""
    return record.keys() >= KEYS


def read_patient_psi(records: Sequence[Record]) -> list[Reading]:
    """One reading for each person; a person's records share the name and the part of the id before the hyphen."""
    people: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        group = text_of(record.get("id")).partition("-")[0]
        people.setdefault((text_of(record.get("name")), group), []).append(record)
    return [_psi_person(own) for own in people.values()]


def _psi_person(records: Sequence[Record]) -> Reading:
    first = records[0]
    reading = Reading(text_of(first.get("name")), {})
    reading.draft = {
        "person": {"name": text_of(first.get("name"))},
        "history": text_of(first["history"]),
        **_mind(
            [b for bucket in _BUCKETS for b in first[bucket]],
            (first.get("intermediate_belief"), first.get("intermediate_belief_depression")),
            first.get("coping_strategies"),
        ),
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


_NOT_SAID = "the profile marks it as not to be identified"


def is_eeyore(record: Record) -> bool:
    """The record has Eeyore's two profiles."""
    return isinstance(record.get("profile"), dict) and isinstance(record.get("cognitive profile"), dict)


def read_eeyore(records: Sequence[Record]) -> list[Reading]:
    """One reading for each record."""
    return [_eeyore_person(record["profile"], record["cognitive profile"]) for record in records]


def _eeyore_person(profile: Record, mind: Record) -> Reading:
    reading = _begun(
        profile,
        name=profile.get("name"),
        age=profile.get("age"),
        gender=profile.get("gender"),
        work=profile.get("occupation"),
    )
    reading.reasons = {f"person.{key}": _NOT_SAID for key in reading.draft["person"]} | reading.reasons
    _married(reading, profile.get("marital status"))
    if resistance := text_of(profile.get("resistance toward the support")):
        reading.reasons["style"] = f"the source gives resistance only ({resistance.lower()}), which is no style"
    suicidal = text_of(profile.get("suicidal ideation severity"))
    _graded(reading, risk_level(suicidal), suicidal.split(".")[0])
    if risk_level(profile.get("homicidal ideation severity")) not in (None, "none"):
        reading.notes.append("the source grades thoughts of harming others, too; a case holds one kind of risk")
    beliefs = (mind.get("intermediate_beliefs"), mind.get("intermediate_beliefs_during_depression"))
    reading.draft |= {
        "problem": text_of(profile.get("situation of the client")),
        "severity": severity_of(profile.get("depression severity")),
        "history": text_of(mind.get("life_history")),
        **_mind(mind.get("core_belief_description"), beliefs, mind.get("coping_strategies")),
        "situations": [
            situation(m.get("situation"), m.get("automatic_thoughts"), m.get("emotion"), m.get("behavior"), reading)
            for m in mind.get("cognitive_models", [])
        ],
    }
    return reading


def _mind(core: Any, beliefs: Sequence[Any], coping: Any) -> dict[str, Any]:
    """Beliefs and coping of a diagram in our layout."""
    return {
        "core_beliefs": core_beliefs(core),
        "intermediate_beliefs": intermediate_beliefs(*beliefs),
        "coping": texts_of(coping),
    }


def _married(reading: Reading, status: Any) -> None:
    """Why no household is known where a source gives the marital status."""
    if told := text_of(status):
        reading.reasons["person.household"] = f"the source gives the marital status only ({told.lower()})"


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
    _married(reading, profile.get("marital_status"))
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


_REACTION = re.compile(r"Automatic thoughts?:\s*(.*?)\s*Emotions?:\s*(.*?)\s*Behaviou?rs?:\s*(.*)", re.I | re.S)


def _mindvoyager(record: Record) -> Reading:
    diagram = record["internal_cognitive_diagram"]
    reading = Reading(text_of(record.get("name")), {})
    situations = []
    for lived in record["external_experiences"]:
        match = _REACTION.match(text_of(lived.get("reaction")))
        thought, emotion, behaviour = match.groups() if match else ("", "", lived.get("reaction"))
        situations.append(situation(lived.get("situation"), thought, emotion, behaviour, reading))
    reading.draft = {
        "person": {"name": text_of(record.get("name"))},
        "history": text_of(diagram.get("relevant_history")),
        **_mind(diagram.get("core_beliefs"), [diagram.get("intermediate_beliefs")], diagram.get("coping_strategies")),
        "situations": situations,
    }
    return reading


def _cars(record: Record) -> Reading:
    persona, main, today = record["persona"], record["main_ccd"], record["session_ccd"]
    age, why = age_of(persona.get("age"))
    reading = Reading(text_of(record.get("name")), {}, {"person.age": why} if why else {})
    thought, belief = today.get("automatic_thought", {}), today.get("intermediate_belief", {})
    reaction = text_of(thought.get("reaction"))
    reading.draft = {
        "person": {
            "name": text_of(persona.get("name")),
            "age": age,
            "gender": text_of(persona.get("gender")).lower(),
            "work": text_of(persona.get("occupation")),
            "household": text_of(persona.get("lifestyle")),
        },
        "problem": text_of(persona.get("chief_complaint")),
        "history": text_of(main.get("relevant_history")),
        **_mind(
            main.get("core_beliefs"),
            (main.get("intermediate_beliefs"), list(belief.values())),
            main.get("coping_strategies"),
        ),
        "situations": [situation(thought.get("situation"), thought.get("cognition"), reaction, "", reading)],
    }
    reading.reasons["situations.*.behaviour"] = (
        f"the source gives a feeling as the reaction ({', '.join(emotion_groups(reaction)) or reaction!r})"
    )
    reading.reasons["situations.1"] = "the source holds the diagram of one session, with one situation"
    return reading


_FORMATS: tuple[tuple[str, frozenset[str], Callable[[Record], Reading]], ...] = (
    ("mindVoyager", frozenset({"internal_cognitive_diagram", "external_experiences"}), _mindvoyager),
    ("cars", frozenset({"persona", "main_ccd", "session_ccd"}), _cars),
    ("annaAgent", frozenset({"profile", "situation", "complaint_chain"}), anna_agent),
    ("clientCast", frozenset({"basic_profile", "symptoms"}), client_cast),
    ("psyche", frozenset({"MFC-Profile", "MFC-History"}), psyche),
    ("talkDep", frozenset({"depression_level", "key_negative_symptoms", "life_history"}), talk_dep),
    ("consistentMI", frozenset({"Personas", "Beliefs", "suggestibilities"}), consistent_mi),
    ("adaptiveVP", frozenset({"Chief complaint", "type-text", "situation"}), adaptive_vp),
    ("patientZero", frozenset({"patient_profile", "symptom_trajectory"}), patient_zero),
    ("simPatient", frozenset({"persona", "cognitive_model", "between_session_event"}), sim_patient),
    ("roleplayDoh", frozenset({"description"}), roleplay_doh),
    ("saps", frozenset({"patient_info"}), saps),
)


def format_of(record: Record) -> str | None:
    """Which simulator's character a record is, or None."""
    if is_patient_psi(record):
        return "patientPsi"
    if is_eeyore(record):
        return "eeyore"
    return next((name for name, keys, _ in _FORMATS if keys <= record.keys()), None)


def read_patienthub(records: Sequence[Record]) -> list[Reading]:
    """One reading for each character; a file holds those of one of the fourteen simulators."""
    name = format_of(records[0])
    if name == "patientPsi":
        return read_patient_psi(records)
    if name == "eeyore":
        return read_eeyore(records)
    reader = next(reader for own, _, reader in _FORMATS if own == name)
    return [reader(record) for record in records]


SOURCES: Mapping[str, tuple[Callable[[Record], bool], Callable[[Sequence[Record]], list[Reading]]]] = {
    "patient_psi": (is_patient_psi, read_patient_psi),
    "eeyore": (is_eeyore, read_eeyore),
    "patienthub": (lambda record: format_of(record) is not None, read_patienthub),
}
"""Source → whether a record is one of it, and its reader."""

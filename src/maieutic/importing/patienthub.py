"""PatientHub's characters (arXiv 2602.11684): fourteen simulators' profile formats, each told by the keys it has.

Those that carry a diagram are read here, the others in `personas`; PATIENT-Ψ's and Eeyore's have files of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from maieutic.importing import eeyore, patient_psi, personas
from maieutic.importing.categories import age_of, core_beliefs, emotion_groups, intermediate_beliefs, text_of, texts_of
from maieutic.importing.draft import Reading

NAME = "patienthub"
Record = Mapping[str, Any]
_REACTION = re.compile(r"Automatic thoughts?:\s*(.*?)\s*Emotions?:\s*(.*?)\s*Behaviou?rs?:\s*(.*)", re.I | re.S)


def _mindvoyager(record: Record) -> Reading:
    diagram = record["internal_cognitive_diagram"]
    reading = Reading(text_of(record.get("name")), {})
    situations = []
    for lived in record["external_experiences"]:
        match = _REACTION.match(text_of(lived.get("reaction")))
        thought, emotion, behaviour = match.groups() if match else ("", "", lived.get("reaction"))
        situations.append(patient_psi.situation(lived.get("situation"), thought, emotion, behaviour, reading))
    reading.draft = {
        "person": {"name": text_of(record.get("name"))},
        "history": text_of(diagram.get("relevant_history")),
        "core_beliefs": core_beliefs(diagram.get("core_beliefs")),
        "intermediate_beliefs": intermediate_beliefs(diagram.get("intermediate_beliefs")),
        "coping": texts_of(diagram.get("coping_strategies")),
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
        "core_beliefs": core_beliefs(main.get("core_beliefs")),
        "intermediate_beliefs": intermediate_beliefs(main.get("intermediate_beliefs"), list(belief.values())),
        "coping": texts_of(main.get("coping_strategies")),
        "situations": [
            patient_psi.situation(thought.get("situation"), thought.get("cognition"), reaction, "", reading)
        ],
    }
    reading.reasons["situations.*.behaviour"] = (
        f"the source gives a feeling as the reaction ({', '.join(emotion_groups(reaction)) or reaction!r})"
    )
    reading.reasons["situations.1"] = "the source holds the diagram of one session, with one situation"
    return reading


_FORMATS: tuple[tuple[str, frozenset[str], Callable[[Record], Reading]], ...] = (
    ("mindVoyager", frozenset({"internal_cognitive_diagram", "external_experiences"}), _mindvoyager),
    ("cars", frozenset({"persona", "main_ccd", "session_ccd"}), _cars),
    ("annaAgent", frozenset({"profile", "situation", "complaint_chain"}), personas.anna_agent),
    ("clientCast", frozenset({"basic_profile", "symptoms"}), personas.client_cast),
    ("psyche", frozenset({"MFC-Profile", "MFC-History"}), personas.psyche),
    ("talkDep", frozenset({"depression_level", "key_negative_symptoms", "life_history"}), personas.talk_dep),
    ("consistentMI", frozenset({"Personas", "Beliefs", "suggestibilities"}), personas.consistent_mi),
    ("adaptiveVP", frozenset({"Chief complaint", "type-text", "situation"}), personas.adaptive_vp),
    ("patientZero", frozenset({"patient_profile", "symptom_trajectory"}), personas.patient_zero),
    ("simPatient", frozenset({"persona", "cognitive_model", "between_session_event"}), personas.sim_patient),
    ("roleplayDoh", frozenset({"description"}), personas.roleplay_doh),
    ("saps", frozenset({"patient_info"}), personas.saps),
)


def format_of(record: Record) -> str | None:
    """Which simulator's character a record is, or None."""
    if patient_psi.fits(record):
        return "patientPsi"
    if eeyore.fits(record):
        return "eeyore"
    return next((name for name, keys, _ in _FORMATS if keys <= record.keys()), None)


def fits(record: Record) -> bool:
    """The record is a character of one of the fourteen simulators."""
    return format_of(record) is not None


def read(records: Sequence[Record]) -> list[Reading]:
    """One reading for each character; a file holds those of one simulator."""
    name = format_of(records[0])
    if name == "patientPsi":
        return patient_psi.read(records)
    if name == "eeyore":
        return eeyore.read(records)
    reader = next(reader for own, _, reader in _FORMATS if own == name)
    return [reader(record) for record in records]

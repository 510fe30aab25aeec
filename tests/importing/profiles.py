"""Tiny made-up profiles in the published formats: our own people, none of a data set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2].parent / "shared" / "data"


def psi(**changes: Any) -> dict[str, Any]:
    """One situation of a diagram."""
    return {
        "name": "Ottoline",
        "id": "7-1",
        "type": ["reserved", "plain"],
        "history": "Ottoline ran a ferry with her aunt. The ferry was sold last spring.",
        "helpless_belief": ["I am powerless, weak, vulnerable."],
        "unlovable_belief": [],
        "worthless_belief": ["I am a loser and worthles."],
        "intermediate_belief": "Boats are for the strong.\n[during depression]\n(1) If I ask for a berth, they will laugh. (2) I must never be late.",
        "coping_strategies": "Stays at home. Counts the boats.",
        "situation": "A letter came from the harbour.",
        "auto_thought": "They will take the mooring away.",
        "emotion": ["anxious, worried", "sad, lonely", "jealous, envious", "hurt"],
        "behavior": "Hides the letter; avoids the quay.",
    } | changes


def psi_person() -> list[dict[str, Any]]:
    """Two situations of one person, and one of another."""
    second = psi(
        id="7-2",
        situation="The harbour master did not greet her.",
        auto_thought="He thinks I'm done.",
        emotion=["zesty"],
    )
    return [psi(), second, psi(name="Quill", id="8-1")]


def eeyore(**profile: Any) -> dict[str, Any]:
    """One record with both of its profiles."""
    return {
        "conversation": [{"role": "user", "content": "hello"}],
        "profile": {
            "age": "25~44",
            "gender": "Male",
            "name": "Cannot be identified",
            "marital status": "Married",
            "occupation": "Beekeeper",
            "situation of the client": "The client lost two hives to the frost.",
            "resistance toward the support": "Medium",
            "counseling history": "N/A",
            "suicidal ideation severity": "Mild suicidal ideation",
            "depression severity": "3-Moderate Depression",
            "homicidal ideation severity": "No homicidal ideation",
        }
        | profile,
        "cognitive profile": {
            "life_history": "The client keeps bees since his youth.",
            "core_beliefs": "Helpless belief",
            "core_belief_description": "I am needy, I am unattractive",
            "intermediate_beliefs": "He should have wrapped the hives.",
            "intermediate_beliefs_during_depression": "",
            "coping_strategies": "Works longer",
            "cognitive_models": [
                {"situation": "He found the hives dead.", "automatic_thoughts": "I ruin all I touch", "emotion": "guilty, sad/down", "behavior": "Burns the frames"},
                {"situation": "A neighbour asked for honey.", "automatic_thoughts": "He knows it", "emotion": "ashamed", "behavior": "Turns away"},
            ],
        },
    }  # fmt: skip


HUB: dict[str, dict[str, Any]] = {
    "mindVoyager": {
        "name": "Ottoline",
        "internal_cognitive_diagram": {
            "relevant_history": "She ran a ferry.", "core_beliefs": ["I am a victim."],
            "intermediate_beliefs": ["If it rains, it is my doing."], "coping_strategies": "Waits.",
        },
        "external_experiences": [
            {"situation": "The pump failed.", "reaction": "Automatic thoughts: It is always me. Emotions: angry, irritated. Behavior: Kicks the pump."},
            {"situation": "The pump held.", "reaction": "She whistled."},
        ],
    },
    "cars": {
        "name": "Bo", "persona": {"name": "Bo", "age": "51", "gender": "Male", "occupation": "tuner", "lifestyle": "Alone in a loft.", "chief_complaint": "No sleep."},
        "main_ccd": {"relevant_history": "Bo tuned organs.", "core_beliefs": ["I am defective."], "intermediate_beliefs": ["I must hear all."], "coping_strategies": ["Hums."]},
        "session_ccd": {"automatic_thought": {"situation": "A pipe was flat.", "cognition": "My ears are gone.", "reaction": "Shame."}, "intermediate_belief": {"rule": "I must not err."}},
    },
    "annaAgent": {"profile": {"age": "33", "gender": "Female", "marital_status": "Divorced", "occupation": "Cook", "srisk": 0, "symptoms": "Poor sleep"}, "situation": "You burnt the roast and feel ashamed.", "complaint_chain": [{"stage": 1, "content": "I must cook well."}], "report": {"case_summary": ["A cook."]}},
    "clientCast": {"basic_profile": {"name": "Not Specified", "gender": "Female", "age": -1, "occupation": "Not Specified", "situation": "She hides the car keys.", "emotion": "guilty", "problem": "driving", "reasons": "fear of driving"}, "symptoms": {}},
    "psyche": {"MFC-Profile": {"Identifying data": {"Age": "40", "Sex": "Male", "Occupation": "clerk"}, "Chief complaint": "I am tired.", "Impulsivity": {"Suicidal ideation": "Low", "Suicidal plan": "Absence"}}, "MFC-History": "I grew up on a barge."},
    "talkDep": {"name": "Wim", "age": 24, "gender": "Male", "depression_level": "Mild Depression", "key_negative_symptoms": [{"description": "I forget things."}], "life_history": ["Wim sells nets."], "current_context_of_interaction": ["Wim meets a friend."]},
    "consistentMI": {"topic": "less salt", "suggestibilities": [3], "Personas": ["You like salt."], "Beliefs": ["You believe salt keeps you warm."]},
    "adaptiveVP": {"name": "Ida", "type-text": "Dependent", "age": 60, "gender": "Female", "situation": "Ida rings often.", "Chief complaint": "'Stay.'", "Main symptom": "worry", "History of present illness": "since May", "social history": "Weaver"},
    "patientZero": {"patient_profile": {"name": "Kit", "age": 15, "biological_sex": "Female", "communication_style": "Tangent"}, "symptom_trajectory": {"chief_complaint": "I can't sit still.", "current_severity": "moderate"}},
    "simPatient": {"persona": {"age": 34, "gender": "male", "ethnicity": "Frisian", "occupation": "roofer"}, "cognitive_model": {}, "between_session_event": "He drank at the fair and regretted it, sad."},
    "roleplayDoh": {"description": "Ulla is a female patient who lost a mill. She struggles with feeling trapped and unlovable."},
    "saps": {"patient_info": "A 4-year-old girl coughs."},
}  # fmt: skip


def write(folder: Path, data: Any, name: str = "p.json") -> Path:
    """A file of profiles."""
    path = folder / name
    path.write_text(json.dumps(data), encoding="utf-8")
    return path

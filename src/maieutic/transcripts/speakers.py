"""Which of the many names for the two people in a session stands for the therapist and which for the client."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from maieutic.transcripts.utterance import Role

THERAPIST = frozenset(
    """therapist counsellor counselor t th ther provider interviewer assistant clinician psychologist psychiatrist
    psychotherapist doctor dr d practitioner coach helper supporter listener bot chatbot ai agent model facilitator
    advisor adviser nurse volunteer responder mhp co gpt""".split()
)
CLIENT = frozenset(
    """client patient c cl p pt pat seeker help-seeker help_seeker helpseeker user human interviewee participant caller
    usr customer trainee-client service-user speaker_client""".split()
)
NOT_A_PERSON = frozenset("system developer tool function narrator note notes stage metadata".split())

_NUMBERED = re.compile(r"^(?P<name>[a-z][a-z_\- ]*?)(?:[\s_#-]*(?P<number>\d+)|[\s_-]+(?P<letter>[a-h]))?$")


@dataclass(frozen=True, slots=True)
class Voice:
    """Who speaks: the role, and what tells this person from others in the same role."""

    role: Role
    person: str


def recognise(raw: str, named: Mapping[str, str] | None = None) -> Voice | None:
    """The voice behind a speaker label, or None for labels that are no person (system, narrator).

    Args:
        raw: The label as the source has it.
        named: Further names by role, comma-separated: {"therapist": "Anna", "client": "Ben,Benjamin"}.
    """
    label = raw.strip().strip("[]()*<>:. ").lower()
    for role in ("therapist", "client"):
        given = (named or {}).get(role, "")
        if label in {name.strip().lower() for name in given.split(",") if name.strip()}:
            return Voice(role, role)
    match = _NUMBERED.match(label)
    name = match["name"].strip() if match else label
    suffix = (match["number"] or match["letter"] or "") if match else ""
    if name in NOT_A_PERSON:
        return None
    if name in THERAPIST:
        return Voice("therapist", f"therapist{suffix}")
    if name in CLIENT:
        return Voice("client", f"client{suffix}")
    return Voice("other", label)


def is_known(raw: str, named: Mapping[str, str] | None = None) -> bool:
    """Whether a label is one of the vocabulary (or no person at all)."""
    voice = recognise(raw, named)
    return voice is None or voice.role != "other"

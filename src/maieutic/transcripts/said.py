"""The one place where what stands in a file becomes an utterance, and where turns by speaker become a session."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from maieutic.reading.plain import counted, in_words, plain
from maieutic.transcripts.utterance import Role, Transcript, Utterance

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


def utterance(
    text: str,
    voice: Voice | None,
    name: str = "",
    *,
    session: str | None = None,
    index: int = 0,
    context: tuple[str, ...] = (),
    labels: Mapping[str, str] | None = None,
) -> Utterance:
    """An utterance out of the text of a cell, a message or a line; every reader makes its utterances here.

    Args:
        text: As the source has it.
        voice: Who speaks; None for a label that is no person's.
        name: The speaker as the source has it.
        session: Name of the session, or None for an utterance that stands alone.
        index: Position in the session.
        context: What was said before, where the session does not tell.
        labels: Human codes by name.
    """
    found = plain(text)
    return Utterance(
        voice.role if voice else "other",
        found.text,
        tuple(plain(one).text for one in context),
        index,
        session,
        name,
        voice.person if voice else None,
        labels or {},
        found.original if found.cleaned else None,
        found.cleaned,
    )


def transcript(
    session: str, group: str | None, turns: Sequence[tuple[str, str]], source: str, named: Mapping[str, str]
) -> Transcript:
    """A session out of (speaker, text) turns; turns without words or without a person are left out and counted.

    Args:
        session: Name of the session.
        group: Group to compare, or None.
        turns: Speaker as the source has it, and text, in order.
        source: Name of the file.
        named: Further speaker names by role.
    """
    said = (
        utterance(text.strip(), recognise(name, named), name, session=session, index=index)
        for index, (name, text) in enumerate(turns)
    )
    kept = tuple(one for one in said if one.person is not None and one.text)
    return Transcript(session, group, kept, source, len({one.person for one in kept}), cleaning_notes(kept))


def cleaning_notes(utterances: Sequence[Utterance]) -> tuple[str, ...]:
    """What a reader should know about what was made plain; nothing where nothing was."""
    counts = counted(one.cleaned for one in utterances)
    return (f"made plain before it was read: {in_words(counts, f'of {len(utterances)} utterances')}",) if counts else ()

"""The one shape of what was said in a real session: how it is made out of what stands in a file, and whether a session
lies within what can be scored and rated."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from maieutic.language.sentences import STOP_WORDS
from maieutic.reading.plain import counted, in_words, plain

Role = Literal["therapist", "client", "other"]
SPEAKERS: tuple[Role, ...] = ("therapist", "client")


@dataclass(frozen=True, slots=True)
class Utterance:
    """One utterance.

    Attributes:
        speaker: 'therapist' or 'client', or 'other' for anybody else.
        text: What was said, in plain words.
        context: What is known to have been said before, oldest first, the two speakers alternating and the other one
            last; for an utterance without its dialogue. Left empty, the earlier utterances of the dialogue count.
        index: Position in the session, from 0; turns that are empty or nobody's keep their number and are not handed
            on.
        session: Name of the session within its source, or None for an utterance that stands alone.
        name: The speaker as the source names them.
        person: What tells the speaker from others of the same role; None where the source names no person (a narrator).
        labels: Human codes that the source carries, by name.
        original: The words as the source has them, where they were made plain; None where that is `text`.
        cleaned: Kinds of markup that were cleaned from the text.
    """

    speaker: Role
    text: str
    context: tuple[str, ...] = ()
    index: int = 0
    session: str | None = None
    name: str = ""
    person: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)
    original: str | None = None
    cleaned: tuple[str, ...] = ()

    @property
    def words(self) -> int:
        """Number of whitespace-separated tokens."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Transcript:
    """One session as it was read.

    Attributes:
        id: Name of the session within its source.
        group: Group to compare (for example high or low quality); None where the source names none.
        utterances: The turns that have words, in order.
        source: Name of the file, relative to what was asked for.
        people: Number of different speakers.
        notes: What a reader should know about how it was read.
    """

    id: str
    group: str | None
    utterances: tuple[Utterance, ...]
    source: str
    people: int
    notes: tuple[str, ...] = ()

    @property
    def words(self) -> int:
        return sum(utterance.words for utterance in self.utterances)

    @property
    def cleaned(self) -> dict[str, int]:
        """How many utterances each kind of markup was cleaned in."""
        return counted(one.cleaned for one in self.utterances)


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


MIN_UTTERANCES = 4
ENGLISH_RATE = 0.35  # the lowest rate in AnnoMI and HLQC is 0.58; other Germanic languages stay below 0.2
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def out_of_scope(transcript: Transcript) -> str | None:
    """Why a transcript is not to be scored, or None when it is within scope.

    In scope is an English session of one therapist with one client and at least four turns. Language is judged by the
    rate of common English words; mixed sessions in which English prevails pass.
    """
    roles = {utterance.speaker for utterance in transcript.utterances}
    nameless = sum(not one.name.strip() for one in transcript.utterances)
    if transcript.people > 2 and 0 < nameless < len(transcript.utterances):
        turns = "1 turn has" if nameless == 1 else f"{nameless} turns have"
        return f"{turns} no speaker's name beside {transcript.people - 1} speakers that have one; fill in who spoke"
    if transcript.people > 2:
        return f"{transcript.people} speakers; only sessions of one therapist with one client are scored"
    if len(transcript.utterances) < MIN_UTTERANCES:
        return f"too short ({len(transcript.utterances)} turns; at least {MIN_UTTERANCES} are needed)"
    if transcript.people < 2:
        return f"one speaker only ({', '.join(sorted(roles))})"
    if roles != {"therapist", "client"}:
        return _which_is_which(transcript)
    rate = english_rate(transcript)
    if rate is None or rate < ENGLISH_RATE:
        return "not English, as far as the rate of common English words tells"
    return None


def _which_is_which(transcript: Transcript) -> str:
    """Who speaks how often, and the options to type."""
    turns = Counter(one.name.strip() for one in transcript.utterances)
    known = {one.speaker for one in transcript.utterances} & set(SPEAKERS)
    strangers = list(dict.fromkeys(one.name.strip() for one in transcript.utterances if one.speaker not in SPEAKERS))
    lacking = [role for role in SPEAKERS if role not in known]
    found = ", ".join(f"{name!r} ({count} turns)" for name, count in turns.items())
    options = " ".join(
        f"--column {shlex.quote(f'{role}={name}')}" for role, name in zip(lacking, strangers, strict=False)
    )
    other = ", or the other way round" if len(lacking) > 1 else ""
    return f"it is not known which speaker is the therapist. Speakers: {found}. Add {options}{other}"


def english_rate(transcript: Transcript, most: int = 2_000) -> float | None:
    """Share of common English words among the first words of a transcript, 0 to 1; None when it has no words."""
    tokens: list[str] = []
    for utterance in transcript.utterances:
        tokens.extend(_TOKEN.findall(utterance.text.lower().replace("’", "'")))
        if len(tokens) >= most:
            break
    return sum(token in STOP_WORDS for token in tokens) / len(tokens) if tokens else None

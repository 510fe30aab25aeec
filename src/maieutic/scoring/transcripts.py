"""What a reader hands on: a transcript of a real session, and whether it lies within what can be scored."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from maieutic.language.sentences import STOP_WORDS
from maieutic.reading.plain import counted, in_words, plain

Role = Literal["therapist", "client", "other"]

FEWEST_UTTERANCES = 4
ENGLISH_RATE = 0.35  # the lowest rate in AnnoMI and HLQC is 0.58; other Germanic languages stay below 0.2
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class Utterance:
    """One turn of a transcript.

    Attributes:
        index: Position in the source, from 0; empty turns keep their number but are not handed on.
        speaker: Role of the speaker.
        text: What was said, in plain words.
        labels: Human codes that the source carries, by name.
        original: The words as the source has them, where they were made plain; None where that is `text`.
    """

    index: int
    speaker: Role
    text: str
    labels: Mapping[str, str] = field(default_factory=dict)
    original: str | None = None

    @classmethod
    def of(cls, index: int, speaker: Role, cell: str, labels: Mapping[str, str] | None = None) -> Utterance | None:
        """The utterance that a cell of a source holds, made plain; None for a cell without words."""
        found = plain(cell.strip())
        said = found.text.strip()
        return cls(index, speaker, said, labels or {}, found.original if found.cleaned else None) if said else None

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
        return counted(plain(one.original).cleaned for one in self.utterances if one.original is not None)


def cleaning_notes(utterances: Sequence[Utterance]) -> tuple[str, ...]:
    """What a reader should know about what was made plain; nothing where nothing was."""
    counts = Transcript("", None, tuple(utterances), "", 0).cleaned
    return (f"made plain before it was read: {in_words(counts, f'of {len(utterances)} utterances')}",) if counts else ()


def out_of_scope(transcript: Transcript) -> str | None:
    """Why a transcript is not to be scored, or None when it is within scope.

    In scope is an English session of one therapist with one client and at least four turns. Language is judged by the
    rate of common English words; mixed sessions in which English prevails pass.
    """
    roles = {utterance.speaker for utterance in transcript.utterances}
    if transcript.people > 2:
        return f"{transcript.people} speakers; only sessions of one therapist with one client are scored"
    if len(transcript.utterances) < FEWEST_UTTERANCES:
        return f"{len(transcript.utterances)} utterances; at least {FEWEST_UTTERANCES} are needed"
    if transcript.people < 2:
        return f"one speaker only ({', '.join(sorted(roles))})"
    if roles != {"therapist", "client"}:
        return "it is not known which speaker is the therapist; name them with therapist=NAME and client=NAME"
    rate = english_rate(transcript)
    if rate is None or rate < ENGLISH_RATE:
        return "not English, as far as the rate of common English words tells"
    return None


def english_rate(transcript: Transcript, most: int = 2_000) -> float | None:
    """Share of common English words among the first words of a transcript, 0 to 1; None when it has no words."""
    tokens: list[str] = []
    for utterance in transcript.utterances:
        tokens.extend(_TOKEN.findall(utterance.text.lower().replace("’", "'")))
        if len(tokens) >= most:
            break
    return sum(token in STOP_WORDS for token in tokens) / len(tokens) if tokens else None

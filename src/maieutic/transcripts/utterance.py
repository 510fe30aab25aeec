"""The one shape of what was said in a real session, from the file that it stands in to the page that shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from maieutic.reading.plain import counted

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

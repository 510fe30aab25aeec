"""A model under one prompt: as reasoner, guide and validator in one call, with an expert's page, with exemplars."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from maieutic.domain.episode import Session, Turn
from maieutic.errors import ModelError
from maieutic.prompts import prompt
from maieutic.protocols import Embedder
from maieutic.registry import load_embedder, therapist
from maieutic.therapists.prompted import Prompted, with_note

PARTS = ("reasoner", "draft", "validator", "guide")
"""The parts of an answer, in order; the guide's text is what the patient hears."""
_FORM = "".join(f"<{part}>…</{part}>" for part in PARTS)
_REMINDER = f"(Not said by the patient: answer in the form {_FORM}.)"


@therapist("one_prompt")
@dataclass(frozen=True, slots=True)
class OnePrompt(Prompted):
    """A model that reasons, drafts, checks and words its turn in one answer; only the guide's text is said.

    A model's own limit for a spoken turn is not kept: four parts do not fit into it.
    """

    prompt_id: str = "one_prompt_therapist"
    max_tokens: int = 768

    arm: ClassVar[str] = "one_prompt"

    async def respond(self, session: Session) -> Turn:
        """The guide's text, with the other parts as trace. Raises `ModelError` when a part is missing."""
        reply = await self.ask(session, with_note(self.messages(session), _REMINDER), self.max_tokens)
        parts = parts_of(reply.text)
        trace = {part: text for part, text in parts.items() if part != "guide"}
        return Turn("therapist", parts["guide"], trace=trace, usage=reply.usage, original=reply.original)


def parts_of(answer: str) -> Mapping[str, str]:
    """The four parts of an answer; words around them are passed over.

    Raises:
        ModelError: a part is missing, empty, not closed, comes twice or out of order.
    """
    found: dict[str, str] = {}
    end = 0
    for part in PARTS:
        matches = list(re.finditer(rf"<{part}>(.*?)</{part}>", answer, re.S | re.I))
        if not matches:
            raise ModelError(f"the answer lacks the part <{part}>…</{part}>; expected {_FORM}")
        if len(matches) > 1:
            raise ModelError(f"the answer has the part <{part}> {len(matches)} times; expected it once")
        if matches[0].start() < end:
            raise ModelError(f"the part <{part}> is out of order; expected {_FORM}")
        if not (text := matches[0].group(1).strip()):
            raise ModelError(f"the part <{part}> is empty")
        found[part], end = text, matches[0].end()
    return found


@therapist("steelman")
@dataclass(frozen=True, slots=True)
class Steelman(Prompted):
    """One page on the work and on the 17 standards that Moore et al. (2025) drew from clinical documents, in own
    wording."""

    prompt_id: str = "steelman_therapist"

    arm: ClassVar[str] = "steelman"


NOTES_SHOWN = 3


class Note(NamedTuple):
    """A technique: when it fits and how it is done."""

    title: str
    when: str
    how: str

    @property
    def text(self) -> str:
        return f"{self.title}\nWhen: {self.when}\nHow: {self.how}"


@therapist("retrieval")
@dataclass(frozen=True, slots=True)
class Retrieval(Prompted):
    """A model that is shown three notes a turn; they are not kept in the messages of later turns.

    Attributes:
        embed: What likeness is measured with; the packaged embedder unless another is given.
    """

    prompt_id: str = "retrieval_therapist"
    embed: Embedder = field(default_factory=load_embedder)

    arm: ClassVar[str] = "retrieval"

    async def respond(self, session: Session) -> Turn:
        """The model's next turn; the trace names the notes it was shown. Raises `ModelError` when it has none."""
        last = session.last("patient")
        notes = nearest(last.text if last else "", self.embed)
        shown = "\n\n".join(note.text for note in notes)
        handbook = f"(Not said by the patient. Notes from your handbook:)\n\n{shown}"
        reply = await self.ask(session, with_note(self.messages(session), handbook), self.limited(self.max_tokens))
        trace = {"notes": [note.title for note in notes]}
        return Turn("therapist", reply.text, trace=trace, usage=reply.usage, original=reply.original)


def nearest(said: str, embed: Embedder, *, count: int = NOTES_SHOWN) -> Sequence[Note]:
    """The notes whose title and occasion are most like what was said, the most like first."""
    notes = technique_notes()
    likeness = embed([f"{note.title}. {note.when}" for note in notes]) @ embed([said])[0]
    return [notes[place] for place in np.argsort(-likeness, kind="stable")[:count]]


@lru_cache(maxsize=1)
def technique_notes() -> tuple[Note, ...]:
    """The packaged notes, in the order of their file."""
    _, *entries = prompt("technique_notes").text.split("\n## ")
    notes = []
    for entry in entries:
        title, when, how = entry.strip().split("\n")
        notes.append(Note(title, when.removeprefix("When: "), how.removeprefix("How: ")))
    return tuple(notes)

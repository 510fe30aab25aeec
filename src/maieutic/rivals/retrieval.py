"""A language model with a handbook: the three technique notes nearest to the patient's last words stand in its prompt.

The knowledge-enhanced baseline (after VCounselor, arXiv 2403.13553). Departures: notes are own-written, found by
likeness and put into the prompt; nothing is fine-tuned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from maieutic.domain.episode import Session, Turn
from maieutic.prompts import prompt
from maieutic.protocols import Embedder
from maieutic.registry import load_embedder, therapist
from maieutic.therapists.prompted import Prompted, with_note

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

"""A model that was trained here, under its plain prompt; the packaged one picks among drafts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from maieutic.domain.episode import Session, Turn, Usage
from maieutic.domain.randomness import derive
from maieutic.registry import therapist
from maieutic.therapists.drafts import Draft, read_draft, reader_pin
from maieutic.therapists.prompted import Prompted

DRAFTS: Final = 4
"""Drafts of a turn at most."""
ENOUGH: Final = 0.6
"""A draft whose question is at least so likely fine is said at once."""
FLOOR: Final = 0.5
"""A sentence before the question that is less likely fine is left out."""


@therapist("trained")
@dataclass(frozen=True, slots=True)
class Trained(Prompted):
    """`trained:FOLDER`: the adapter in the --out folder of `maieutic train`. `trained:embedded`: the packaged one.

    The packaged one drafts a turn several times and says the first draft that its reader finds sound, or else the best;
    the reader was fitted on drafts of that adapter, so others say what they draft.

    Attributes:
        temperature: 0.5 by default, read off development sessions: at 0.7 a small model mistakes what it takes up.
        drafts: Of a turn at most; 0 takes `DRAFTS` for the packaged adapter and 1 for others.
    """

    temperature: float = 0.5
    drafts: int = 0

    arm: ClassVar[str] = "trained"
    model_kind: ClassVar[str] = "trained"

    @property
    def name(self) -> str:
        """With what picks among drafts: a run goes on with the reader that it began with, or not at all."""
        said = f"{self.arm}:{self.model.name}"
        return said if self.most == 1 else f"{said}+drafts{self.most}@{reader_pin()}"

    @property
    def most(self) -> int:
        """Drafts of a turn at most."""
        return self.drafts or (DRAFTS if getattr(self.model, "packaged_adapter", False) else 1)

    async def respond(self, session: Session) -> Turn:
        """The next turn; all drafts count as its cost. Raises `ModelError` when there is none."""
        drafts = self.most
        if drafts == 1:
            return await Prompted.respond(self, session)
        messages, limit = self.messages(session), self.limited(self.max_tokens)
        first = session.generator("therapist").getrandbits(31)
        best, used, number = Draft("", -1.0), Usage(), 0
        while number < drafts and best.fine < ENOUGH:
            seed = derive(first, "draft", number).getrandbits(31) if number else first
            reply = await self._generate(messages, seed, limit)
            found, used, number = read_draft(reply.text, session, FLOOR), used + reply.usage, number + 1
            best = max(best, found, key=lambda one: one.fine)
        return Turn("therapist", best.text, usage=used, trace={"drafts": number, "fine": round(best.fine, 3)})


@therapist("trained_bare")
@dataclass(frozen=True, slots=True)
class Bare(Trained):
    """`trained_bare:embedded`: the packaged adapter as it was trained, its first draft said word for word."""

    drafts: int = 1

    arm: ClassVar[str] = "trained_bare"

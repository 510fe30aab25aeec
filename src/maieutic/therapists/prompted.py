"""A language model as therapist, told in one plain prompt what to do and given the session."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session, Turn
from maieutic.prompts import prompt
from maieutic.protocols import LanguageModel, Message
from maieutic.registry import therapist


@therapist("prompted")
@dataclass(frozen=True, slots=True)
class Prompted:
    """A model with a plain CBT prompt; the messages only ever grow at the end, so that prefix caches hold.

    Attributes:
        temperature: 0.7 by default.
        max_tokens: 256 by default; a model may set its own limit as `reply_tokens`.
    """

    model: LanguageModel
    prompt_id: str = "cbt_therapist"
    temperature: float = 0.7
    max_tokens: int = 256

    needs_model = True

    @property
    def name(self) -> str:
        return f"prompted:{self.model.name}"

    async def respond(self, session: Session) -> Turn:
        """Ask the model for the next therapist turn. Raises `ModelError` when it has none."""
        messages: list[Message] = [{"role": "system", "content": prompt(self.prompt_id).text}]
        for turn in session.turns:
            messages.append({"role": "user" if turn.speaker == "patient" else "assistant", "content": turn.text})
        limit = min(self.max_tokens, getattr(self.model, "reply_tokens", self.max_tokens))
        seed = session.generator("therapist").getrandbits(31)
        reply = await self.model.generate(messages, seed=seed, temperature=self.temperature, max_tokens=limit)
        return Turn("therapist", reply.text, usage=reply.usage)

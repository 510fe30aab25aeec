"""A language model as therapist, told in one prompt what to do and given the session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from maieutic.domain.episode import Answer, Question, Session, Turn
from maieutic.domain.randomness import derive
from maieutic.prompts import prompt
from maieutic.protocols import LanguageModel, Message, Reply
from maieutic.registry import therapist

ANSWER_REPLIES = 3
"""How many of a model's longest replies an answer may be as long as; room for the five lines of a formulation."""
ROOM_TO_REASON = 2048
"""Tokens on top of an answer's own for a served model that reasons before it answers; it pays for those it uses
only."""
_OUTSIDE = "[Outside the conversation, which the client does not hear. Stop the session for a moment and answer me.]\n"


@therapist("prompted")
@dataclass(frozen=True, slots=True)
class Prompted:
    """A model with a plain CBT prompt; the messages only ever grow at the end, so that prefix caches hold.

    Attributes:
        temperature: 0.7 by default.
        max_tokens: 256 by default; a model may set its own limit as `reply_tokens`. Answers outside the dialogue are as
            long as the question allows and room to reason on top; where a model has its own limit, at most three such
            replies and no room on top.
        top_p: Share of the likeliest words that are drawn from; None leaves it to the model.
        system: The system prompt in place of the packaged one; None for the packaged one.
    """

    model: LanguageModel
    prompt_id: str = "cbt_therapist"
    temperature: float = 0.7
    max_tokens: int = 256
    top_p: float | None = None
    system: str | None = None

    needs_model = True
    arm: ClassVar[str] = "prompted"

    @property
    def name(self) -> str:
        return f"{self.arm}:{self.model.name}"

    async def respond(self, session: Session) -> Turn:
        """Ask the model for the next therapist turn. Raises `ModelError` when it has none."""
        reply = await self.ask(session, self.messages(session), self.limited(self.max_tokens))
        return Turn("therapist", reply.text, usage=reply.usage, original=reply.original)

    async def answer(self, question: Question, session: Session) -> Answer:
        """What the model says to a question outside the dialogue; nothing of it enters the session.

        Raises `ModelError` when there is no answer.
        """
        messages = asked_outside(self.messages(session), question, session)
        seed = derive(session.seed, "answer", question.id, len(session)).getrandbits(31)
        room = 0 if hasattr(self.model, "reply_tokens") else ROOM_TO_REASON
        limit = self.limited(question.max_tokens + room, replies=ANSWER_REPLIES)
        reply = await self._generate(messages, seed, limit)
        return Answer(reply.text, reply.usage, reply.original)

    def limited(self, tokens: int, *, replies: int = 1) -> int:
        """So many tokens, and at most so many of the model's own longest replies where it has a limit."""
        return min(tokens, replies * getattr(self.model, "reply_tokens", tokens))

    def messages(self, session: Session) -> list[Message]:
        """The prompt and what was said, the model's own turns as the assistant's."""
        messages: list[Message] = [{"role": "system", "content": self.system or prompt(self.prompt_id).text}]
        for turn in session.turns:
            messages.append({"role": "user" if turn.speaker == "patient" else "assistant", "content": turn.text})
        return messages

    async def ask(self, session: Session, messages: list[Message], limit: int) -> Reply:
        """The model's reply of at most `limit` tokens, with the seed of this place in the session."""
        seed = session.generator("therapist").getrandbits(31)
        return await self._generate(messages, seed, limit)

    async def _generate(self, messages: list[Message], seed: int, limit: int) -> Reply:
        # Only models that say so (`takes_top_p`) know the setting; the others are never given it.
        drawn = {} if self.top_p is None else {"top_p": self.top_p}
        return await self.model.generate(messages, seed=seed, temperature=self.temperature, max_tokens=limit, **drawn)


def asked_outside(messages: list[Message], question: Question, session: Session) -> list[Message]:
    """The messages with a question that is no part of the dialogue, joined to the patient's last words where these end
    it."""
    asked = f"{_OUTSIDE if session.turns else ''}{question.text}"
    if messages and messages[-1]["role"] == "user":
        *before, last = messages
        return [*before, {"role": "user", "content": f"{last['content']}\n\n{asked}"}]
    return [*messages, {"role": "user", "content": asked}]


def with_note(messages: list[Message], note: str) -> list[Message]:
    """The messages with a note below the last one, which the patient never said and later turns do not repeat.

    All messages before the last stay as they were, so that a prefix cache holds up to there.
    """
    *before, last = messages
    return [*before, {"role": last["role"], "content": f"{last['content']}\n\n{note}"}]

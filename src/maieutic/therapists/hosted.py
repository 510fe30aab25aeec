"""A therapist behind an OpenAI-compatible API: somebody's own bot, or one that `maieutic serve` serves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from maieutic.domain.episode import Answer, Ending, Question, Session, Turn, Usage
from maieutic.domain.randomness import derive
from maieutic.errors import NotAnswerable
from maieutic.models.http import HttpModel
from maieutic.protocols import Message, Reply
from maieutic.registry import therapist
from maieutic.therapists.prompted import asked_outside

SERVED = "maieutic/"
"""How the names of the models begin that `maieutic serve` offers."""


@therapist("http")
@dataclass(frozen=True, slots=True)
class HostedTherapist:
    """Sends what was said, the patient as user and the bot as assistant, without any prompt of ours.

    A bot decides itself how it answers: no temperature and no length is sent, only a seed. A server of ours is asked
    for the private trace too, where it gives one, and says itself when its session is over and what its models were
    asked.

    Attributes:
        model: The address, with its connections and patience.
    """

    model: HttpModel

    needs_model = True
    elsewhere = True

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def known_as(self) -> str | None:
        """The name of a therapist of ours when it runs in process, so that it draws the same; None for other bots."""
        return self.model.model_id.removeprefix(SERVED) if self._served else None

    @property
    def _served(self) -> bool:
        return self.model.model_id.startswith(SERVED)

    async def respond(self, session: Session) -> Turn:
        """The bot's next turn. Raises `ModelError` when it gives none."""
        said = _messages(session)
        if not self._served:
            seed = session.generator("therapist").getrandbits(31)
            answered = await self.model.ask({"messages": said, "seed": seed})
            reply = Reply(answered.text, answered.usage)
            return Turn("therapist", reply.text, usage=reply.usage, original=reply.original)
        asked = {"messages": said, "seed": session.seed, "maieutic": {"explain": "if_allowed"}}
        answered = await self.model.ask(asked)
        told = answered.whole.get("maieutic") or {}
        return Turn(
            "therapist",
            answered.text,
            ending=_ending(told),
            trace=told.get("explain"),
            usage=_usage(told, answered.usage),
            original=told.get("original"),
        )

    async def answer(self, question: Question, session: Session) -> Answer:
        """What the bot says to a question outside the dialogue, sent as a user's message under its own prompt.

        Raises:
            NotAnswerable: it is a server of ours, which offers turns and no answers. ModelError: it gives none.
        """
        if self._served:
            raise NotAnswerable("a server of maieutic offers turns only; ask the therapist in process")
        seed = derive(session.seed, "answer", question.id, len(session)).getrandbits(31)
        asked = asked_outside(_messages(session), question, session)
        answered = await self.model.ask({"messages": asked, "seed": seed})
        reply = Reply(answered.text, answered.usage)
        return Answer(reply.text, reply.usage, reply.original)


def _messages(session: Session) -> list[Message]:
    return [
        {"role": "user" if turn.speaker == "patient" else "assistant", "content": turn.text} for turn in session.turns
    ]


def _ending(told: Mapping[str, Any]) -> Ending | None:
    ending = told.get("ending")
    return Ending(ending["kind"], ending["reason"]) if ending else None


def _usage(told: Mapping[str, Any], counted: Usage) -> Usage | None:
    """What the language models behind a turn cost; None where none was asked, as for a turn in process."""
    calls = told.get("calls", counted.calls)
    return Usage(calls, counted.input_tokens, counted.output_tokens) if calls else None

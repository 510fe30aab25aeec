"""The form of what a language model answers: one JSON object with known fields, asked for again where it is not."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import orjson

from maieutic.domain.episode import Usage
from maieutic.domain.randomness import derive_seed
from maieutic.errors import ModelError
from maieutic.language.sentences import words
from maieutic.protocols import LanguageModel, Message

T = TypeVar("T")

_FENCE = re.compile(r"^```(?:json)?\s*(.*?)\s*```$", re.S)


class Unusable(ValueError):
    """A reply that cannot be used; the message completes "it ...", the part after a colon is detail."""


def fields_of(text: str, names: Sequence[str]) -> dict[str, Any]:
    """The fields of a reply. One code fence is taken off and other fields are passed over; nothing else is mended.

    Raises:
        Unusable: It is no JSON object, or lacks a field.
    """
    try:
        found = orjson.loads(_FENCE.sub(r"\1", text.strip()))
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise Unusable("is no JSON object")
    missing = [name for name in names if name not in found]
    if missing:
        raise Unusable(f"leaves out a field: {', '.join(missing)}")
    return found


def stands_in(piece: str, text: str) -> bool:
    """The words of `piece` stand in `text` one after the other, whatever the marks and capitals."""
    return bool(words(piece)) and f" {' '.join(words(piece))} " in f" {' '.join(words(text))} "


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks a model until it keeps the form.

    The seed hangs on the place in the session and on nothing that tells the therapist, so that arms stay paired.

    Attributes:
        model: The model.
        role: What it does here, for messages: 'ear' or 'mouth'.
        place: What seeds are derived from beside the turn and the draft.
        drafts: Replies asked for at most.
    """

    model: LanguageModel
    role: str
    place: tuple[str, ...]
    drafts: int = 3

    async def __call__(
        self,
        messages: list[Message],
        read: Callable[[str], T],
        turn: int,
        *,
        temperature: float,
        max_tokens: int,
    ) -> tuple[T, Usage, tuple[str, ...]]:
        """What `read` makes of a reply, what the replies cost, and what was wrong with those refused.

        Raises:
            ModelError: The model failed, or kept giving what `read` refuses.
        """
        spent, refused = Usage(), list[str]()
        for draft in range(self.drafts):
            seed = derive_seed(self.role, *self.place, turn, draft) % 2**31
            try:
                reply = await self.model.generate(messages, seed=seed, temperature=temperature, max_tokens=max_tokens)
            except ModelError as error:
                raise type(error)(f"the patient's {self.role} failed: {error}") from error
            spent = spent + reply.usage
            try:
                return read(reply.text), spent, tuple(refused)
            except Unusable as fault:
                refused.append(str(fault))
                again = f"This cannot be used: it {fault}. Answer once more, with the JSON object alone."
                messages = [
                    *messages,
                    {"role": "assistant", "content": reply.text},
                    {"role": "user", "content": again},
                ]
        raise ModelError(
            f"the patient's {self.role} got nothing usable in {self.drafts} replies: the last {refused[-1]}"
        )

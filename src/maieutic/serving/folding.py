"""Messages to what was said: two speakers in turn, whatever the client's way of writing a conversation down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from maieutic.domain.episode import Speaker, Turn
from maieutic.errors import ModelRefused
from maieutic.reading.plain import plain_turn
from maieutic.serving.refusals import Refusal
from maieutic.serving.request import ChatMessage

LONGEST = 20_000
"""Characters of one turn; a person says a few hundred, and every sentence is read."""


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of the conversation as the client tells it: the caller's, or one that the model is said to have said."""

    own: bool
    text: str


def folded(messages: Sequence[ChatMessage], *, most: int) -> tuple[Said, ...]:
    """The conversation in order; the last turn is the caller's, or there is none at all.

    System messages and empty assistant messages are left out, neighbouring messages of one speaker become one turn.

    Raises:
        Refusal: tool messages, content that is no text, more turns than `most`, or an assistant's turn at the end.
    """
    said: list[Said] = []
    for place, message in enumerate(messages):
        if message.role in ("tool", "function") or message.tool_calls or message.function_call:
            raise Refusal(
                400, "tools cannot be had here; send what was said", "unsupported_content", f"messages[{place}]"
            )
        text = message.text(place)
        own = message.role == "assistant"
        if message.role in ("system", "developer") or (own and not text.strip()):
            continue
        if said and said[-1].own == own:
            said[-1] = replace(said[-1], text=f"{said[-1].text}\n\n{text}")
        else:
            said.append(Said(own, text))
    if len(said) > most:
        raise Refusal(
            400, f"{len(said)} turns; this server takes {most} at most", "context_length_exceeded", "messages"
        )
    _short(said)
    return tuple(said)


def _short(said: Sequence[Said]) -> None:
    longest = max((len(one.text) for one in said), default=0)
    if longest > LONGEST:
        raise Refusal(
            400,
            f"a turn of {longest} characters; a turn may have {LONGEST} at most",
            "context_length_exceeded",
            "messages",
        )


def ends_with_caller(said: Sequence[Said]) -> None:
    """Raise `Refusal` where nothing is left to answer."""
    if said and said[-1].own:
        raise Refusal(
            400, "the last message is the assistant's own; add the user's next turn", "nothing_to_answer", "messages"
        )


def turn_of(speaker: Speaker, text: str) -> Turn:
    """A turn as the other side hears it; one of which nothing is left is silence."""
    try:
        return plain_turn(Turn(speaker, text))
    except ModelRefused:
        return Turn(speaker, "", original=text)

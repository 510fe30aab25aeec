"""What a request may hold, how its messages become what was said, and what is refused, in the API's own error shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from maieutic.domain.episode import Speaker, Turn
from maieutic.errors import ModelRefused
from maieutic.reading.plain import plain_turn

KINDS: Mapping[int, str] = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    409: "conflict_error",
    413: "invalid_request_error",
    422: "invalid_request_error",
    429: "rate_limit_error",
    500: "server_error",
    502: "server_error",
    503: "server_error",
    504: "server_error",
}
"""Type of error by status."""
SETTLED = {"x-should-retry": "false"}
"""Tells the SDKs, which try a conflict again, that the same request gets the same answer."""


@dataclass(eq=False)
class Refusal(Exception):
    """A request that is not answered.

    Attributes:
        status: HTTP status.
        message: What was wrong, what was expected, what to do.
        code: A word that programs can tell it by.
        param: The field it is about.
        headers: What goes beside it.
    """

    status: int
    message: str
    code: str | None = None
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.message

    @property
    def body(self) -> dict[str, Any]:
        """The error in the API's shape."""
        kind = KINDS.get(self.status, "server_error" if self.status >= 500 else "invalid_request_error")
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}


_SEED = 2**63


class Part(BaseModel):
    """One part of a message's content; only text is read."""

    model_config = ConfigDict(extra="ignore")
    type: str
    text: str | None = None
    refusal: str | None = None


class ChatMessage(BaseModel):
    """One message. System messages are accepted and change nothing: the models here have their own instructions."""

    model_config = ConfigDict(extra="ignore")
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None
    tool_calls: list[Any] | None = None
    function_call: dict[str, Any] | None = None

    def text(self, place: int) -> str:
        """The words. Raises `Refusal` for anything that is not text."""
        if self.content is None:
            return ""
        if isinstance(self.content, str):
            return self.content
        for part in self.content:
            if part.type not in ("text", "refusal"):
                raise Refusal(
                    400,
                    f"content of type {part.type[:40]!r} is not understood here; send text",
                    "unsupported_content",
                    f"messages[{place}].content",
                )
        return "\n".join(part.text or part.refusal or "" for part in self.content)


class StreamOptions(BaseModel):
    """How a stream is sent."""

    model_config = ConfigDict(extra="ignore")
    include_usage: bool | None = None


class Wishes(BaseModel):
    """What only this server knows; from the SDK: `extra_body={"maieutic": {…}}`."""

    model_config = ConfigDict(extra="ignore")
    explain: bool | Literal["if_allowed"] | None = Field(
        None, description="Also give the plan, belief or hidden state behind the reply."
    )


class ChatRequest(BaseModel):
    """A chat request. Unknown fields, and those that sample or cut a reply (temperature, max_tokens, stop …), are
    ignored."""

    model_config = ConfigDict(extra="ignore")
    model: str = Field(examples=["maieutic/socratic", "maieutic/patient/gethin"])
    messages: list[ChatMessage] = Field(examples=[[{"role": "user", "content": "I froze in the meeting again."}]])
    seed: Annotated[int, Field(ge=-_SEED, lt=_SEED)] | None = Field(
        None, description="The session's seed; the same request gives the same reply. Omitted: 0."
    )
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: int | None = None
    tools: list[Any] | None = None
    functions: list[Any] | None = None
    tool_choice: Any | None = None
    logprobs: bool | None = None
    response_format: dict[str, Any] | None = None
    modalities: list[str] | None = None
    audio: dict[str, Any] | None = None
    maieutic: Wishes | None = None

    def check(self) -> None:
        """Raise `Refusal` for what the API knows and this server does not do."""
        if self.n is not None and self.n != 1:
            raise Refusal(400, f"one reply a request: n must be 1, got {self.n}", "unsupported_value", "n")
        wants = {
            "tools": self.tools or self.functions,
            "tool_choice": self.tool_choice not in (None, "none", "auto"),
            "logprobs": self.logprobs,
            "audio": self.audio or "audio" in (self.modalities or ()),
            "response_format": (self.response_format or {}).get("type", "text") != "text",
        }
        for name, wanted in wants.items():
            if wanted:
                raise Refusal(400, f"{name} cannot be had here; leave it out", "unsupported_parameter", name)


MAX_CHARACTERS = 20_000
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
    if longest > MAX_CHARACTERS:
        raise Refusal(
            400,
            f"a turn of {longest} characters; a turn may have {MAX_CHARACTERS} at most",
            "context_length_exceeded",
            "messages",
        )


def ends_with_caller(said: Sequence[Said]) -> None:
    """Raise `Refusal` where nothing is left to answer."""
    if said and said[-1].own:
        raise Refusal(
            400, "the last message is the assistant's own; add the user's next turn", "nothing_to_answer", "messages"
        )


def foreign_history(model: str, seed: int, turn: int) -> Refusal:
    """A conversation with a turn that the model cannot have said."""
    return Refusal(
        409,
        f"{model} with seed {seed} cannot have said turn {turn} of this conversation; send back its own replies word "
        "for word, with the seed that they were given for",
        "foreign_history",
        "messages",
        SETTLED,
    )


def turn_of(speaker: Speaker, text: str) -> Turn:
    """A turn as the other side hears it; one of which nothing is left is silence."""
    try:
        return plain_turn(Turn(speaker, text))
    except ModelRefused:
        return Turn(speaker, "", original=text)

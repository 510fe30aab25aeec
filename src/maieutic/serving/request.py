"""What a chat request may hold: the API's fields that matter here, checked; all others are ignored."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from maieutic.serving.refusals import Refusal

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

"""The way to every provider that Inspect knows, for models the fast path does not reach; needs the extra `inspect`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from maieutic.domain.episode import Usage
from maieutic.errors import InputError, ModelError, ModelRefused, ModelTimeout, ModelUnavailable
from maieutic.protocols import Message, Reply
from maieutic.registry import model

MAX_QUOTE = 300


class InspectModel:
    """A model of one of Inspect's providers, called outside an Inspect evaluation.

    Inspect repeats calls that fail in passing, without a limit of its own accord; here `attempts` and `timeout` bound
    it. It costs 2–4 ms of CPU a call, so `http` is the better way wherever a server speaks it. `Usage.calls` is 1 a
    reply, since Inspect does not tell how often it asked.

    Attributes:
        name: The spec, `inspect/PROVIDER/MODEL`.
        parallel: How many calls at once are useful.
        takes_top_p: True: `generate` knows the setting.
    """

    parallel = 16
    takes_top_p = True

    def __init__(self, provider_model: str, *, timeout: float = 120.0, attempts: int = 4, inner: Any = None) -> None:
        """Prepare, without loading Inspect.

        Args:
            provider_model: Inspect's name, `PROVIDER/MODEL`.
            timeout: Seconds one reply may take, repetitions included.
            attempts: Requests Inspect may send for one reply.
            inner: An Inspect model made elsewhere; by default `get_model(provider_model)` at the first call.
        """
        self.name = f"inspect/{provider_model}"
        self.timeout = timeout
        self.attempts = attempts
        self._provider_model = provider_model
        self._inner = inner

    def wait_at_most(self, seconds: float) -> None:
        """Set the limit on one reply."""
        self.timeout = seconds

    def check(self) -> None:
        """Raise `ModelUnavailable` when the provider, its package or its key is missing; nothing is sent."""
        self._inner = self._inner or self._load()

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        seed: int,
        temperature: float = 0.7,
        max_tokens: int = 256,
        top_p: float | None = None,
    ) -> Reply:
        """Ask for one reply.

        Raises:
            ModelTimeout: no answer within the limit.
            ModelUnavailable: Inspect, the provider's package or a key is missing.
            ModelRefused: any other error of the provider, or a reply without text.
        """
        inner = self._inner = self._inner or self._load()
        from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, GenerateConfig

        kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
        config = GenerateConfig(
            seed=seed & 0x7FFFFFFF,
            temperature=temperature,
            max_tokens=max_tokens,
            top_p=top_p,
            max_retries=self.attempts - 1,
            timeout=max(1, round(self.timeout)),
        )
        chat = [kinds[message["role"]](content=message["content"]) for message in messages]
        try:
            async with asyncio.timeout(self.timeout):
                output = await inner.generate(chat, config=config)
        except TimeoutError as error:
            raise ModelTimeout(f"{self.name} gave no answer within {self.timeout:g} s") from error
        except Exception as error:  # every provider brings errors of its own
            raise _translated(self.name, error) from error
        if output.error or not output.completion.strip():
            raise ModelRefused(
                f"{self.name} gave no text: {_line(output.error or f'it stopped by {output.stop_reason}')}"
            )
        usage = output.usage
        return Reply(output.completion, Usage(1, usage and usage.input_tokens, usage and usage.output_tokens))

    async def close(self) -> None:
        """Close the provider's connections."""
        inner, self._inner = self._inner, None
        if inner is not None:
            await inner.api.aclose()

    def _load(self) -> Any:
        try:
            from inspect_ai.model import get_model
        except ImportError as error:
            raise ModelUnavailable(
                f"{self.name} needs Inspect, which is not installed: pip install 'maieutic[inspect]'"
            ) from error
        try:
            return get_model(self._provider_model, memoize=False)
        except Exception as error:  # a missing key or package, in each provider's own words
            raise ModelUnavailable(f"{self.name} cannot be loaded: {_line(error)}") from error


def _translated(name: str, error: Exception) -> ModelError:
    from tenacity import RetryError

    if isinstance(error, RetryError) and isinstance(error.__cause__, Exception):
        return _translated(name, error.__cause__)  # Inspect's retries say only that they gave up
    if type(error).__name__ == "PrerequisiteError":
        return ModelUnavailable(f"{name} cannot be used: {_line(error)}")
    if "timeout" in type(error).__name__.lower():
        return ModelTimeout(f"{name} gave no answer in time: {_line(error)}")
    return ModelRefused(f"{name} failed with {type(error).__name__}: {_line(error)}")


def _line(said: object) -> str:
    # Inspect marks its messages up for a terminal and begins them with a label.
    text = re.sub(r"\[/?[a-z ]+\]", "", str(getattr(said, "message", said)))
    text = " ".join(text.split()).removeprefix("ERROR: ")
    return text if len(text) <= MAX_QUOTE else text[: MAX_QUOTE - 1] + "…"


@model("inspect")
def make(spec: str) -> InspectModel:
    """`inspect/PROVIDER/MODEL` → a model."""
    _, _, provider_model = spec.partition("/")
    provider, _, model_id = provider_model.partition("/")
    if not provider or not model_id:
        raise InputError(f"{spec!r} names no provider and model: write inspect/PROVIDER/MODEL, as Inspect names them")
    return InspectModel(provider_model)

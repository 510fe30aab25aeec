"""The way through Inspect, on its mock model: messages, usage, time limits and errors in one line."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest
from tenacity import AsyncRetrying, RetryError, stop_after_attempt

from maieutic.errors import InputError, ModelRefused, ModelTimeout, ModelUnavailable
from maieutic.models.inspect_provider import InspectModel, _translated, make
from maieutic.protocols import LanguageModel, Message

TALK: list[Message] = [
    {"role": "system", "content": "You ask short questions."},
    {"role": "user", "content": "I cannot sleep."},
    {"role": "assistant", "content": "Since when?"},
    {"role": "user", "content": "Since May."},
]


def mocked(answer: Any, **limits: float) -> InspectModel:
    models = pytest.importorskip("inspect_ai.model", reason="the extra 'inspect' is not installed")

    def reply(messages: Any, tools: Any, choice: Any, config: Any) -> Any:
        said = answer(messages, config) if callable(answer) else answer
        output = models.ModelOutput.from_content("mockllm/model", said) if isinstance(said, str) else said
        # Without a count the mock model would fetch a tokenizer from the network.
        output.usage = output.usage or models.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    inner = models.get_model("mockllm/model", memoize=False, custom_outputs=reply)
    return InspectModel("mockllm/model", inner=inner, **limits)


async def test_the_mock_model_by_its_spec(monkeypatch: pytest.MonkeyPatch) -> None:
    models = pytest.importorskip("inspect_ai.model", reason="the extra 'inspect' is not installed")

    async def count(self: object, text: str) -> int:
        return len(text) // 4

    monkeypatch.setattr(models.ModelAPI, "count_text_tokens", count)
    model = make("inspect/mockllm/model")
    assert isinstance(model, LanguageModel) and model.name == "inspect/mockllm/model"
    reply = await model.generate(TALK, seed=3)
    assert reply.text and reply.usage.calls == 1
    await model.close()


async def test_messages_and_settings_arrive() -> None:
    seen: list[Any] = []

    def answer(messages: Any, config: Any) -> str:
        seen.append(([(message.role, message.text) for message in messages], config))
        return "And before May?"

    reply = await mocked(answer).generate(TALK, seed=2**40 + 3, temperature=0.2, max_tokens=50)
    (told, config), *_ = seen
    assert reply.text == "And before May?"
    assert told == [(message["role"], message["content"]) for message in TALK]
    assert (config.seed, config.temperature, config.max_tokens, config.max_retries) == (3, 0.2, 50, 3)


async def test_usage_is_taken_over() -> None:
    models = pytest.importorskip("inspect_ai.model")
    output = models.ModelOutput.from_content("mockllm/model", "Yes?")
    output.usage = models.ModelUsage(input_tokens=31, output_tokens=2, total_tokens=33)
    reply = await mocked(output).generate(TALK, seed=1)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (31, 2)


async def test_no_text_is_refused() -> None:
    models = pytest.importorskip("inspect_ai.model")
    with pytest.raises(ModelRefused, match="content_filter"):
        await mocked(models.ModelOutput.from_content("m", " ", stop_reason="content_filter")).generate(TALK, seed=1)


async def test_a_provider_that_never_answers_ends_as_a_timeout() -> None:
    class Silent:
        async def generate(self, *_: Any, **__: Any) -> None:
            await asyncio.Event().wait()

    with pytest.raises(ModelTimeout, match=r"0\.1 s"):
        await InspectModel("mockllm/model", timeout=0.1, inner=Silent()).generate(TALK, seed=1)


async def test_what_a_provider_said_at_last_is_told_and_not_that_retries_gave_up() -> None:
    async def fails() -> None:
        raise ConnectionError("nobody at that address")

    try:
        await AsyncRetrying(stop=stop_after_attempt(2))(fails)
    except RetryError as error:
        told = str(_translated("inspect/x/y", error))
    assert told == "inspect/x/y failed with ConnectionError: nobody at that address"


async def test_an_error_of_the_provider_becomes_one_line() -> None:
    def fail(*_: Any) -> str:
        raise ValueError("quota\nexceeded " + "x" * 900)

    with pytest.raises(ModelRefused, match="ValueError: quota exceeded") as caught:
        await mocked(fail).generate(TALK, seed=1)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


@pytest.mark.parametrize("provider_model", ["nosuchprovider/x", "groq/some-model"])
async def test_what_is_missing_is_said_in_one_line(provider_model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("inspect_ai", reason="the extra 'inspect' is not installed")
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    with pytest.raises(ModelUnavailable) as caught:
        await make(f"inspect/{provider_model}").generate(TALK, seed=1)
    assert "\n" not in str(caught.value) and "[bold]" not in str(caught.value)


async def test_a_missing_inspect_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai.model", None)
    with pytest.raises(ModelUnavailable, match=r"maieutic\[inspect\]"):
        await make("inspect/mockllm/model").generate(TALK, seed=1)


@pytest.mark.parametrize("spec", ["inspect", "inspect/openai", "inspect//x", "inspect/openai/"])
def test_half_a_spec_is_refused(spec: str) -> None:
    with pytest.raises(InputError):
        make(spec)

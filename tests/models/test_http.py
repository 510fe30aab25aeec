"""The http model against a server that misbehaves in every way we know, always within bounded time."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from maieutic.errors import InputError, ModelRefused, ModelTimeout, ModelUnavailable
from maieutic.models.http import HttpModel, make
from maieutic.protocols import LanguageModel, Message

SERVER_FILE = Path(__file__).parent.parent / "fake_server.py"
sys.path.insert(0, str(SERVER_FILE.parent))

import fake_server  # noqa: E402
from fake_server import FakeServer, Faults  # noqa: E402

TALK: list[Message] = [
    {"role": "system", "content": "You ask short questions."},
    {"role": "user", "content": "I let everyone down – again. ¿Y ahora? 🙁"},
]


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAIEUTIC_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def quick(server: Any, **limits: float) -> HttpModel:
    return HttpModel(server.url, "fake", **{"timeout": 5.0, "backoff": 0.001, **limits})


async def ask(server: Any, *, times: int = 1, **limits: float) -> list[Any]:
    model = quick(server, **limits)
    try:
        return [await model.generate(TALK, seed=number) for number in range(times)]
    finally:
        await model.close()


async def test_a_reply_brings_text_and_tokens() -> None:
    async with FakeServer() as server:
        (reply,) = await ask(server)
    assert reply.text.endswith(")") and reply.usage.calls == 1
    assert reply.usage.input_tokens > 0 and reply.usage.output_tokens > 0
    assert server.last["model"] == "fake" and server.last["messages"] == TALK
    assert server.last["max_tokens"] == 256 and server.last["temperature"] == 0.7 and server.last["seed"] == 0


async def test_missing_token_counts_are_none() -> None:
    async with FakeServer(Faults(usage=False)) as server:
        (reply,) = await ask(server)
    assert reply.usage.input_tokens is None and reply.usage.output_tokens is None


async def test_a_long_seed_is_sent_as_31_bits() -> None:
    async with FakeServer() as server:
        model = quick(server)
        await model.generate(TALK, seed=2**62 + 5)
        await model.close()
    assert server.last["seed"] == 5


@pytest.mark.parametrize("fault", ["busy_every", "fail_every", "garbage_every", "empty_every", "cut_every"])
async def test_passing_faults_are_mended(fault: str) -> None:
    async with FakeServer(Faults(**{fault: 2})) as server:
        replies = await ask(server, times=6)
    assert len({reply.text for reply in replies}) == 1
    assert [reply.usage.calls for reply in replies] == [1, 2, 2, 2, 2, 2]
    assert server.counts["calls"] == 11


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        ("busy_every", ModelRefused, "429: slow down, attempt 3"),
        ("fail_every", ModelRefused, "500: out of cheese"),
        ("garbage_every", ModelRefused, "no usable reply"),
        ("empty_every", ModelRefused, "no usable reply"),
        ("cut_every", ModelUnavailable, "cannot be reached"),
    ],
)
async def test_lasting_faults_end_after_the_attempts(fault: str, error: type[Exception], words: str) -> None:
    async with FakeServer(Faults(**{fault: 1})) as server:
        with pytest.raises(error, match=words):
            await ask(server, attempts=3)
    assert server.counts["calls"] == 3


async def test_garbage_is_quoted_with_its_content_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fake_server, "GARBAGE", ((b"text/html", b"<html>" + b"sign in, please " * 100),))
    async with FakeServer(Faults(garbage_every=1)) as server:
        with pytest.raises(ModelRefused, match="text/html: <html>sign in, please") as caught:
            await ask(server, attempts=2)
    assert len(str(caught.value)) < 450


async def test_every_kind_of_garbage_is_survived() -> None:
    kinds = len(fake_server.GARBAGE)
    async with FakeServer(Faults(garbage_every=1)) as server:
        for _ in range(kinds):
            with pytest.raises(ModelRefused, match="no usable reply"):
                await ask(server, attempts=1)
    assert server.counts["garbage"] == kinds


async def test_one_call_that_is_never_answered_is_repeated() -> None:
    async with FakeServer(Faults(hang_every=2)) as server:
        replies = await ask(server, times=3, timeout=0.2)
    assert [reply.usage.calls for reply in replies] == [1, 2, 2]


async def test_a_server_that_never_answers_ends_as_a_timeout_after_two_attempts() -> None:
    start = time.monotonic()
    async with FakeServer(Faults(hang_every=1)) as server:
        with pytest.raises(ModelTimeout, match=r"no answer within 0\.2 s"):
            await ask(server, timeout=0.2)
    assert server.counts["calls"] == 2
    assert time.monotonic() - start < 2


async def test_a_server_that_drips_bytes_ends_as_a_timeout() -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        try:
            while True:
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0.02)
        except ConnectionError:
            writer.close()

    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    model = HttpModel(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", "m", timeout=0.2, backoff=0.001)
    with pytest.raises(ModelTimeout):
        await model.generate(TALK, seed=1)
    await model.close()
    server.close()


async def test_waiting_for_a_connection_is_not_counted_as_time() -> None:
    async with FakeServer(Faults(delay=0.1)) as server:
        model = quick(server, connections=2, timeout=0.3)
        replies = await asyncio.gather(*(model.generate(TALK, seed=number) for number in range(12)))
        await model.close()
    assert len(replies) == 12 and all(reply.usage.calls == 1 for reply in replies)
    assert server.counts["most"] == 2 and server.counts["connections"] <= 2


async def test_nobody_there_names_the_address() -> None:
    model = HttpModel("http://127.0.0.1:9", "m", attempts=2, backoff=0.001)
    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1:9.*cannot be reached.*2 attempts"):
        await model.generate(TALK, seed=1)
    await model.close()


async def test_retry_after_is_honoured_and_capped() -> None:
    from maieutic.models.http_faults import MAX_PAUSE, seconds

    async with FakeServer(Faults(busy_every=2, retry_after=0.3)) as server:
        await ask(server)
        start = time.monotonic()
        model = quick(server)
        await model.generate(TALK, seed=1)
        await model.close()
    assert 0.3 <= time.monotonic() - start < 2
    assert seconds("86400") == MAX_PAUSE
    assert seconds("Wed, 21 Oct 2065 07:28:00 GMT") == seconds(None) == seconds("-4") == 0.0


@pytest.mark.parametrize("status", [400, 403, 404, 422])
async def test_an_error_that_repeating_does_not_mend_is_raised_at_once(status: int) -> None:
    async with FakeServer(Faults(refuse_status=status)) as server:
        with pytest.raises(ModelRefused, match=f"{status}: the model `fake` does not exist"):
            await ask(server)
    assert server.counts["calls"] == 1


@pytest.mark.parametrize("status", [408, 409, 425, 500])
async def test_other_passing_statuses_are_repeated(status: int) -> None:
    async with FakeServer(Faults(refuse_status=status)) as server:
        with pytest.raises(ModelRefused, match=f"{status}.*attempt 2"):
            await ask(server, attempts=2)
    assert server.counts["calls"] == 2


async def test_a_missing_key_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    async with FakeServer(Faults(key="s3cret")) as server:
        with pytest.raises(ModelRefused, match=r"MAIEUTIC_API_KEY.*OPENAI_API_KEY"):
            await ask(server)
        assert server.counts["calls"] == 1
        monkeypatch.setenv("OPENAI_API_KEY", "wrong")
        with pytest.raises(ModelRefused) as caught:
            await ask(server)
        assert "wrong" not in str(caught.value)
        monkeypatch.setenv("MAIEUTIC_API_KEY", "s3cret")
        assert await ask(server)


async def test_cancelling_a_call_leaves_the_model_usable() -> None:
    async with FakeServer(Faults(delay=0.2)) as server:
        model = quick(server)
        call = asyncio.create_task(model.generate(TALK, seed=1))
        await asyncio.sleep(0.05)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await model.generate(TALK, seed=1)).text
        await model.close()


def test_one_model_outlives_several_event_loops() -> None:
    process = subprocess.Popen([sys.executable, str(SERVER_FILE), "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        model = HttpModel(f"http://127.0.0.1:{int(process.stdout.readline())}", "fake")

        async def three() -> list[str]:
            replies = await asyncio.gather(*(model.generate(TALK, seed=number) for number in range(3)))
            return [reply.text for reply in replies]

        first = asyncio.run(three())
        assert asyncio.run(three()) == first
        asyncio.run(model.close())
    finally:
        process.terminate()
        process.wait()


@pytest.mark.parametrize(
    ("spec", "target"),
    [
        ("http://localhost:8000#m", "http://localhost:8000/v1/chat/completions"),
        ("http://localhost:8000/#m", "http://localhost:8000/v1/chat/completions"),
        ("https://host/v1#m", "https://host/v1/chat/completions"),
        ("https://host/proxy/v1/#m", "https://host/proxy/v1/chat/completions"),
        ("https://host/api#m", "https://host/api/v1/chat/completions"),
        ("http://host/v1/chat/completions#org/m-1:8b", "http://host/v1/chat/completions"),
        ("http://[::1]:80#m", "http://[::1]:80/v1/chat/completions"),
    ],
)
def test_addresses(spec: str, target: str) -> None:
    model = make(spec)
    assert isinstance(model, LanguageModel)
    assert model._target.geturl() == target
    assert model.name == spec


def test_secrets_stay_out_of_the_name() -> None:
    model = make("https://ann:pa55@host:8443/v1?token=abc#m")
    assert model.name == "https://host:8443/v1#m"


def test_options_of_the_spec() -> None:
    model = make("http://host#m?timeout=20&connections=128&attempts=2&backoff=0")
    assert (model.patience.timeout, model.patience.connections, model.parallel) == (20.0, 128, 128)
    assert (model.patience.attempts, model.patience.backoff) == (2, 0.0)
    assert model.name.endswith("#m")


@pytest.mark.parametrize(
    "spec",
    ["http://host", "http://host#", "http://#m", "http://host:0#m", "http://host:99999#m", "http://host#m?colour=red",
     "http://host#m?timeout=soon", "http://host#m?timeout=0", "http://host#m?timeout=nan", "http://host#m?attempts=0",
     "http://host#m?connections=", "http://[::1#m"],
)  # fmt: skip
def test_bad_specs_are_named(spec: str) -> None:
    with pytest.raises(InputError):
        make(spec)

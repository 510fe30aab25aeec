"""The server as a process: it stops without losing a request, frees what a client gives up, and says what is wrong at once."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
from pathlib import Path

import aiohttp
import pytest
from openai import OpenAI

from command_line import maieutic
from fake_server import FakeServer, Faults
from maieutic.serving.server import bound
from serving.processes import serving

CALLERS = 16
ASKED = [{"role": "user", "content": "I froze in the meeting again."}]


async def test_connections_send_at_once_what_they_have() -> None:
    """Otherwise every reply waits 40 ms: its body until the caller's system has acknowledged its head."""
    came: asyncio.Queue[int] = asyncio.Queue()

    def taken(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = writer.get_extra_info("socket")
        came.put_nowait(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    with bound("127.0.0.1", 0) as listening:
        async with await asyncio.start_server(taken, sock=listening):
            _, writer = await asyncio.open_connection(*listening.getsockname())
            assert await came.get()
            writer.close()


@pytest.mark.slow
@pytest.mark.parametrize("keep_alive", [True, False])
def test_sigterm_under_load_loses_no_accepted_request(keep_alive: bool, tmp_path: Path) -> None:
    """As many whole answers came as requests were taken on; on open connections nothing fails at all.

    A new connection that the system queues in the instant in which the address is given up is reset, unread.
    """
    with serving("--cases", "gethin", "--log", str(tmp_path)) as (process, url):
        answered, refused, lost = asyncio.run(_load_until_gone(process, url, keep_alive))
        assert process.wait(20) == 0
        assert "every request that came in was answered" in process.stderr.read()
    assert answered == len((tmp_path / "requests.jsonl").read_bytes().splitlines())
    assert answered > 100 and refused > 0
    assert not [one for one in lost if keep_alive or "Connection reset" not in one], lost
    assert len(lost) < CALLERS


async def _load_until_gone(process: subprocess.Popen, url: str, keep_alive: bool) -> tuple[int, int, list[str]]:
    answered, refused, lost, told = 0, 0, [], False
    connector = aiohttp.TCPConnector(limit=0, force_close=not keep_alive)

    async def caller(number: int, session: aiohttp.ClientSession) -> None:
        nonlocal answered, refused
        turn = 0
        while not refused:
            turn += 1
            body = {"model": "maieutic/socratic", "seed": number, "stream": bool(turn % 2),
                    "messages": [{"role": "user", "content": f"I froze again, in meeting {turn % 9}."}]}  # fmt: skip
            try:
                async with session.post(f"{url}/v1/chat/completions", json=body) as response:
                    raw = await response.read()
                whole = raw.endswith(b"[DONE]\n\n") if body["stream"] else b'"finish_reason":"stop"' in raw
                if response.status != 200 or not whole:
                    lost.append(f"{response.status} {raw[-80:]!r}")
                answered += 1
            except aiohttp.ClientConnectorError:
                refused += 1
            except aiohttp.ClientError as error:
                lost.append(f"{type(error).__name__}: {error}, told to stop: {told}")

    async with aiohttp.ClientSession(connector=connector) as session:
        callers = [asyncio.ensure_future(caller(n, session)) for n in range(CALLERS)]
        while answered < 100:
            await asyncio.sleep(0.05)
        told = True
        process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(asyncio.gather(*callers), 30)
    return answered, refused, lost


@pytest.mark.slow
async def test_who_leaves_frees_the_slot_at_once_and_a_model_that_fails_is_a_clear_gateway_error() -> None:
    """One slot, a model that takes its time: streams and plain requests are given up, and the next one is let in."""
    async with FakeServer(Faults(delay=300.0)) as slow, FakeServer(Faults(refuse_status=404)) as gone:
        spec, other = f"{slow.url}#slow", f"{gone.url}#gone"
        with serving("--cases", "gethin", "--model", spec, "--model", other, "--max-in-flight", "1") as (_, url):
            async with aiohttp.ClientSession() as session:
                for stream in (True, False):
                    await _given_up(session, url, spec, stream)
                async with session.post(f"{url}/v1/chat/completions", json=_body("maieutic/socratic")) as response:
                    assert response.status == 200
                await _fails(session, url, other, 502)


def _body(model: str, **more: object) -> dict[str, object]:
    return {"model": model, "messages": ASKED, **more}


async def _given_up(session: aiohttp.ClientSession, url: str, spec: str, stream: bool) -> None:
    chat, body = f"{url}/v1/chat/completions", _body(f"maieutic/prompted:{spec}", stream=stream)
    asking = asyncio.ensure_future(session.post(chat, json=body))
    await _until_in_flight(session, url, 1)
    async with session.post(chat, json=_body("maieutic/eliza")) as second:
        assert second.status == 429 and float(second.headers["retry-after"]) > 0
    if stream:
        response = await asking  # it opens before its reply has come
        assert (await response.content.readline()).startswith(b"data: ")
        response.close()
    else:
        asking.cancel()
    await _until_in_flight(session, url, 0)


async def _until_in_flight(session: aiohttp.ClientSession, url: str, number: int) -> None:
    async with asyncio.timeout(60):
        while True:
            async with session.get(f"{url}/health") as health:
                if (await health.json())["in_flight"] == number:
                    return
            await asyncio.sleep(0.05)


async def _fails(session: aiohttp.ClientSession, url: str, spec: str, status: int) -> None:
    async with session.post(f"{url}/v1/chat/completions", json=_body(f"maieutic/prompted:{spec}")) as response:
        assert response.status == status
        assert (await response.json())["error"]["type"] == "server_error"


@pytest.mark.slow
async def test_a_model_that_is_too_slow_is_a_clear_gateway_error() -> None:
    async with FakeServer(Faults(delay=300.0)) as model:
        spec = f"{model.url}#slow"
        with serving("--cases", "gethin", "--model", spec, "--timeout", "1") as (_, url):
            async with aiohttp.ClientSession() as session:
                await _fails(session, url, spec, 504)


def test_curl_gets_a_reply_and_the_log_holds_no_name(tmp_path: Path) -> None:
    with serving("--cases", "gethin", "--log", str(tmp_path / "log")) as (process, url):
        body = _body("maieutic/eliza")
        body["messages"] = [
            {"role": "user", "content": "My name is Brigitte Sommer, call me on 020 7946 0123. I feel sad."}
        ]
        curl = ["curl", "-sS", "-i", f"{url}/v1/chat/completions", "-d", json.dumps(body)]
        plain = subprocess.run(
            [*curl, "-H", "Content-Type: application/json"], capture_output=True, text=True, timeout=30
        )
        assert plain.stdout.startswith("HTTP/1.1 200") and "x-maieutic-notice: A research" in plain.stdout
        body["stream"] = True
        curl[-1] = json.dumps(body)
        stream = subprocess.run(
            [*curl, "-N", "-H", "Content-Type: application/json"], capture_output=True, text=True, timeout=30
        )
        assert stream.stdout.rstrip().endswith("data: [DONE]")
        counts = subprocess.run(["curl", "-sS", f"{url}/metrics"], capture_output=True, text=True, timeout=30).stdout
        assert 'maieutic_requests_total{kind="therapist",status="200"} 2.0' in counts
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    file = tmp_path / "log" / "requests.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(lines) == 2 and "[NAME1]" in lines[0]["messages"][0]["content"]
    assert "Brigitte" not in file.read_text() and "7946" not in file.read_text()
    assert file.stat().st_mode & 0o077 == 0


def test_nothing_that_was_said_is_written_without_log(tmp_path: Path) -> None:
    with serving("--cases", "gethin", home=tmp_path) as (process, url):
        body = _body("maieutic/socratic")
        body["messages"] = [{"role": "user", "content": "I froze before the zamboangueno committee."}]
        with OpenAI(base_url=f"{url}/v1", api_key="none") as client:
            assert client.chat.completions.create(**body).choices
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert "zamboangueno" not in process.stdout.read() + process.stderr.read()
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"zamboangueno" in path.read_bytes()]


WRONG = {
    "address in use": (["--port", "{taken}"], "cannot listen on 127.0.0.1:{taken}: Address already in use"),
    "no such address": (["--host", "192.0.2.1", "--api-key", "k"], "cannot listen on 192.0.2.1:8000"),
    "open without a key": (["--host", "0.0.0.0"], "0.0.0.0 can be reached from other machines: set MAIEUTIC_SERVE_KEY"),
    "empty key": (["--api-key", ""], "the key is empty"),
    "unknown case": (["--cases", "gethn"], "no case named 'gethn'. Did you mean 'gethin'?"),
    "unknown model": (["--model", "embeded"], "no model named 'embeded'. Did you mean 'embedded'?"),
    "unknown patient": (["--patient", "simulatd"], "no patient named 'simulatd'. Did you mean 'simulated'?"),
    "no turns": (["--max-turns", "0"], "--max-turns must be at least 1, got 0"),
    "no log": (["--log", "/proc/nowhere"], "cannot write a log in /proc/nowhere"),
    "unknown reward": (["openenv", "--reward", "conviction_chnge"], "Did you mean 'conviction_change'?"),
    "openenv open": (["openenv", "--host", "0.0.0.0"], "OpenEnv asks for no key"),
    "openenv case": (["openenv", "--cases", "gethn"], "Did you mean 'gethin'?"),
}


@pytest.mark.parametrize(("options", "message"), WRONG.values(), ids=WRONG)
def test_bad_input_is_one_clear_line_and_exit_2(options: list[str], message: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = str(other.getsockname()[1])
        given = [option.format(taken=taken) for option in options]
        if "--port" not in given and "--host" not in given:
            given += ["--port", "0"]
        done = maieutic("serve", *given)
    assert done.returncode == 2, done.stderr
    assert message.format(taken=taken) in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1

"""Servers that speak the chat protocol in their own ways: what each sends when it answers, loads, refuses and fails.

`data/recorded.json` holds what llama.cpp, vLLM and the gateway LiteLLM answered when they were asked (one day, these
versions; bodies as they came, of the headers the type and the pause). `data/by_hand.json` is written after documented
forms: OpenAI's own servers, Ollama and gateways that answer errors with status 200 could not be run here, and of vLLM and
llama.cpp it has the forms of earlier versions and of models that think.
"""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from command_line import maieutic
from endpoints import serving
from fake_server import FakeServer, _response
from maieutic.errors import ModelError
from maieutic.models.http import HttpModel

DATA = Path(__file__).parent / "data"
BY_HAND: dict[str, Any] = json.loads((DATA / "by_hand.json").read_text())
RECORDED: dict[str, Any] = json.loads((DATA / "recorded.json").read_text())


def played(server: dict[str, Any]) -> dict[str, Any]:
    """What was recorded, in the form of the dialects by hand: only the words of the reply are left open."""
    exchanges = server["exchanges"]
    answer = json.loads(exchanges["answers"]["body"])
    answer["choices"][0]["message"]["content"] = "TEXT"
    errors = {
        name: {
            "status": one["status"],
            "kind": one["headers"]["content-type"],
            "body": one["body"],
            "says": one["says"],
        }
        for name, one in exchanges.items()
        if "says" in one
    }
    return {"answer": answer, "errors": errors, "outage": server["outage"]}


DIALECTS: dict[str, Any] = {
    **{f"{name}, recorded": played(told) for name, told in RECORDED.items()},
    **{f"{name}, by hand": told for name, told in BY_HAND.items()},
}
FEW_AND_THE_REST = [pytest.param(name, marks=[pytest.mark.slow] * (n > 2)) for n, name in enumerate(DIALECTS)]
"""For what waits a second in each."""


class Dialect(FakeServer):
    """Answers in one server's form; `state` says whether it answers, or which of its errors it gives."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.told = DIALECTS[name]
        self.state = "answers"
        self.refuses: str | None = self.told.get("refuses_setting")

    def answer(self, headers: bytes, body: bytes) -> tuple[bytes | None, bool]:
        sent, cut = super().answer(headers, body)
        if self.refuses and self.refuses in self.last:
            return self._error(self.told["refusal_of_a_setting"])
        if self.state != "answers":
            return self._error(self.told["errors"][self.state])
        assert sent is not None
        text = json.loads(sent.partition(b"\r\n\r\n")[2])["choices"][0]["message"]["content"]
        shaped = json.dumps(self.told["answer"]).replace("TEXT", json.dumps(text)[1:-1])
        return _response(200, shaped.encode()), cut

    def _error(self, error: dict[str, Any]) -> tuple[bytes, bool]:
        content = error["body"] if isinstance(error["body"], str) else json.dumps(error["body"])
        return _response(error["status"], content.encode(), kind=error.get("kind", "application/json").encode()), False


@pytest.mark.parametrize("name", DIALECTS)
async def test_a_reply_and_its_tokens_are_read(name: str) -> None:
    async with Dialect(name) as server:
        model = HttpModel(f"{server.url}/v1", "m", backoff=0.0)
        for seed in (0, 1):
            reply = await model.generate([{"role": "user", "content": "I feel low."}], seed=seed)
            assert reply.text.endswith(")")
            assert reply.usage.input_tokens == DIALECTS[name]["answer"]["usage"]["prompt_tokens"]
        await model.close()
    if server.refuses:
        assert server.refuses not in server.last and server.last["max_completion_tokens"] == 256


@pytest.mark.parametrize(
    ("name", "fault"), [(name, fault) for name, told in DIALECTS.items() for fault in told["errors"]]
)
async def test_an_error_is_told_in_the_servers_words(name: str, fault: str) -> None:
    async with Dialect(name) as server:
        server.state = fault
        model = HttpModel(f"{server.url}/v1", "m", backoff=0.0, attempts=2)
        with pytest.raises(ModelError) as caught:
            await model.generate([{"role": "user", "content": "I feel low."}], seed=0)
        await model.close()
    assert DIALECTS[name]["errors"][fault]["says"] in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("name", FEW_AND_THE_REST)
async def test_an_outage_that_passes_is_waited_out_in_every_dialect(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, logger="maieutic.models")  # Inspect, where it ran before, raised the level of all
    async with Dialect(name) as server:
        model = HttpModel(f"{server.url}/v1", "m", backoff=0.0, attempts=1, outage=2.0)  # looks again after 0.2 s
        await model.generate([{"role": "user", "content": "I feel low."}], seed=0)
        server.state = DIALECTS[name]["outage"]
        asyncio.get_running_loop().call_later(0.5, setattr, server, "state", "answers")
        reply = await model.generate([{"role": "user", "content": "Still low."}], seed=0)
        await model.close()
    assert reply.text and server.counts["calls"] > 3  # it was asked again while it was away
    (told,) = [line for line in caplog.messages if "waiting" in line]  # once, however often it is asked
    assert DIALECTS[name]["errors"][DIALECTS[name]["outage"]]["says"] in told and "waiting up to 2 s" in told


@pytest.mark.parametrize("name", ["vllm, recorded", "gateway with errors in 200 bodies, by hand"])
async def test_a_conversation_that_alone_gets_no_answer_is_given_up_at_once(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Dialect(name) as server:
        answer = server.answer

        def of_this_alone(headers: bytes, body: bytes) -> tuple[bytes | None, bool]:
            server.state = DIALECTS[name]["outage"] if b"the one" in body else "answers"
            return answer(headers, body)

        monkeypatch.setattr(server, "answer", of_this_alone)
        model = HttpModel(f"{server.url}/v1", "m", backoff=0.0, attempts=2)
        await model.generate([{"role": "user", "content": "I feel low."}], seed=0)
        with pytest.raises(ModelError):
            await model.generate([{"role": "user", "content": "This is the one."}], seed=0)
        await model.close()
    assert server.counts["calls"] == 1 + 2 + 1  # answered, asked twice, and whether another is answered


@pytest.mark.parametrize("name", RECORDED)
async def test_a_server_that_streams_though_nobody_asked_is_told_on_one_line(name: str) -> None:
    exchange = RECORDED[name]["exchanges"]["answers in a stream"]
    assert exchange["asked"]["stream"] and exchange["body"].startswith("data: {")
    async with Dialect(f"{name}, recorded") as server:
        server.told = {"errors": {"streams": {**exchange, "kind": exchange["headers"]["content-type"]}}}
        server.state = "streams"
        model = HttpModel(f"{server.url}/v1", "m", backoff=0.0, attempts=2)
        with pytest.raises(ModelError, match=r"no usable reply.*text/event-stream") as caught:
            await model.generate([{"role": "user", "content": "I feel low."}], seed=0)
        await model.close()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name.endswith("recorded") else pytest.mark.slow) for name in DIALECTS]
)
def test_preflight_run_and_going_on_after_an_outage_lose_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    server = Dialect(name)
    outage = DIALECTS[name]["outage"]
    answer, calls = server.answer, 0

    def goes(headers: bytes, body: bytes) -> tuple[bytes | None, bool]:
        nonlocal calls
        calls += 1
        server.state = outage if calls > 6 else "answers"
        return answer(headers, body)

    with serving(None, server=server) as (url, _):
        server.state = outage
        spec = f"mine=prompted:{url}/v1#m?attempts=1&backoff=0&outage=0"
        words = [
            "--therapist",
            spec,
            "--cases",
            "gethin",
            "--cases",
            "nilani",
            "--seeds",
            "1",
            "--turns",
            "3",
            "--out",
            "run",
        ]
        code, _, err = maieutic("evaluate", *words)
        assert code == 2 and "mine gave no usable reply to one call" in err and not Path("run").exists()
        monkeypatch.setattr(server, "answer", goes)
        code, _, err = maieutic("evaluate", *words)
        assert code == 3 and "--retry-failed" in err, err
        monkeypatch.setattr(server, "answer", answer)
        server.state = "answers"
        code, _, err = maieutic("evaluate", "--resume", "run", "--retry-failed")
    assert code == 0, err
    lines = [json.loads(line) for path in sorted(Path("run/journal").glob("*.jsonl")) for line in path.open("rb")]
    ends = {tuple(line["key"]): line["ending"]["kind"] for line in lines if line["kind"] == "end"}
    said = [
        (*line["key"], line["index"])
        for line in lines
        if line["kind"] == "turn" and line["turn"]["speaker"] == "therapist"
    ]
    assert set(ends.values()) == {"turn_limit"} and len(ends) == 2  # 0 failed
    assert len(said) == len(set(said)) == 6  # 0 lost, and none asked twice

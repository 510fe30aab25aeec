"""Whatever is sent, no answer is a 5xx and none hangs: the OpenAPI description fuzzed, and bodies that are broken on purpose."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from random import Random
from urllib.parse import urlsplit

import openai
import pytest
import schemathesis
from fastapi.testclient import TestClient
from openai import OpenAI
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from maieutic.serving.app import Settings, create_app
from maieutic.serving.offers import Offers, offered

MODELS = ("maieutic/socratic", "maieutic/eliza", "maieutic/patient/gethin", "maieutic/coder/annomi", "maieutic/oracle")
app = create_app(offered(cases=("gethin",)), Settings())
schema = schemathesis.openapi.from_asgi("/openapi.json", app)
CHECKS = (not_a_server_error, response_schema_conformance, status_code_conformance)


def fuzzed(case: schemathesis.Case) -> None:
    """A case as it was made up, and with a model that exists, so that what is behind the name is reached too."""
    case.call_and_validate(checks=list(CHECKS))
    if isinstance(case.body, dict) and "model" in case.body:
        for model in MODELS:
            case.body = {**case.body, "model": model, "stream": False}
            case.call_and_validate(checks=list(CHECKS))


@schema.parametrize()
@pytest.mark.filterwarnings("ignore")
def test_the_description_fuzzed_a_little(case: schemathesis.Case) -> None:
    fuzzed(case)


FINE = {"model": "maieutic/socratic", "messages": [{"role": "user", "content": "I froze again."}], "seed": 1}
VALUES = (
    None, True, -1, 0, 2**63, 1e308, float("nan"), float("inf"), "", "x" * 5_000, "\ud800", "\x00", "\u202e\u0301" * 30,
    [], [[]], {}, {"a": {"b": {}}}, [None], "<think>only thought", "**", "🙂" * 50, "```", " ", "\n\n", "�",
    [{"role": "user"}], [{"role": "user", "content": None}], [{"role": "assistant", "content": "x"}],
    [{"role": "user", "content": []}], [{"role": "user", "content": [{"type": "text"}]}],
    [{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}],
    [{"role": "user", "content": "\x00\x01\x02"}], [{"role": "user", "content": "[INST]" * 200}],
    [{"role": "system", "content": "x"}] * 50, [{"role": "user", "content": "?" * 3_000}],
    [{"role": "user", "content": "a " * 9_000}], [{"role": "user", "content": "a" * 30_000}],
)  # fmt: skip
FIELDS = (
    "model", "messages", "seed", "stream", "stream_options", "n", "tools", "tool_choice", "logprobs", "maieutic",
    "response_format", "modalities", "audio", "functions", "temperature", "user", "metadata",
)  # fmt: skip


def bodies(number: int) -> Iterator[bytes]:
    """Broken bodies: fields replaced, text cut, bytes turned, deep nesting, and no JSON at all."""
    rng = Random(26)
    fixed = (b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b"[" * 50_000, b'{"a":' * 50_000, b"0" * 10_000, b"{}" * 9)
    yield from fixed
    for _ in range(number - len(fixed)):
        body = {**FINE, "model": rng.choice(MODELS)}
        for field in rng.sample(FIELDS, rng.randint(1, 3)):
            body[field] = rng.choice(VALUES)
        if rng.random() < 0.2:
            body["messages"] = [rng.choice(VALUES), *FINE["messages"]]
        raw = json.dumps(body).encode()
        kind = rng.random()
        if kind < 0.2:
            raw = raw[: rng.randrange(len(raw))]
        elif kind < 0.4:
            place = rng.randrange(len(raw))
            raw = raw[:place] + bytes([rng.randrange(256)]) + raw[place + 1 :]
        yield raw


def send_all(number: int) -> dict[int, int]:
    statuses: dict[int, int] = {}
    with TestClient(app, raise_server_exceptions=False) as client:
        for raw in bodies(number):
            response = client.post("/v1/chat/completions", content=raw, headers={"content-type": "application/json"})
            statuses[response.status_code] = statuses.get(response.status_code, 0) + 1
            assert response.status_code < 500, (raw[:300], response.text)
            if response.status_code != 200:
                assert response.json()["error"]["message"]
        assert client.get("/health").json()["in_flight"] == 0
    return statuses


def test_sixty_broken_bodies_get_clear_refusals() -> None:
    assert {200, 400, 422} <= set(send_all(60))


@pytest.mark.slow
@pytest.mark.timeout(500)
def test_a_thousand_broken_bodies_get_clear_refusals() -> None:
    statuses = send_all(1_000)
    assert sum(statuses.values()) == 1_000 and statuses[422] > 100 and statuses[400] > 100 and statuses[200] > 20, (
        statuses
    )


def raw_request(server: str, sent: bytes, *, wait: float = 5.0) -> bytes:
    where = urlsplit(server)
    with socket.create_connection((where.hostname, where.port), timeout=wait) as line:
        line.sendall(sent)
        return line.recv(4_096)


def test_broken_http_is_answered_and_the_server_goes_on(server: str, client: OpenAI) -> None:
    post = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n"
    assert b" 400 " in raw_request(server, b"\x16\x03\x01\x02\x00\x01\r\n\r\n").split(b"\r\n")[0]
    assert b" 400 " in raw_request(server, post + b"Content-Length: many\r\n\r\n{}").split(b"\r\n")[0]
    assert b" 413 " in raw_request(server, post + b"Content-Length: 99999999999\r\n\r\n").split(b"\r\n")[0]
    chunked = post + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    large = b"1e8480\r\n" + b" " * 2_000_000 + b"\r\n0\r\n\r\n"
    assert b" 413 " in raw_request(server, chunked + large).split(b"\r\n")[0]
    assert client.models.list().data


def test_routes_that_are_not_there_answer_in_the_apis_shape(client: OpenAI, offers: Offers) -> None:
    for path, kind in (("/embeddings", openai.NotFoundError), ("/completions", openai.NotFoundError)):
        with pytest.raises(kind) as caught:
            client.post(path, cast_to=object, body={})
        assert caught.value.body["message"]
    with pytest.raises(openai.APIStatusError) as caught:
        client.get("/chat/completions", cast_to=object)
    assert caught.value.status_code == 405

"""The server: vLLM's routes over everything that can be served, with limits, counts, answers and errors in the API's
own shapes and a page."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from html import escape
from importlib.metadata import version
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, StreamingResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.types import Receive, Scope, Send

from maieutic.errors import ModelError, ModelTimeout
from maieutic.safety.handover import DISCLAIMER
from maieutic.serving import completions
from maieutic.serving.completions import Asked, RequestLog
from maieutic.serving.gate import Door, Gate, Limits, Slot
from maieutic.serving.offers import CODER, PATIENT, Offers
from maieutic.serving.request import ChatRequest, Refusal, folded
from maieutic.serving.spoken import Served, Spoken


class _Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Model(_Open):
    """One model."""

    id: str
    object: str
    created: int
    owned_by: str


class Models(_Open):
    """All models."""

    object: str
    data: list[Model]


class Said(_Open):
    """What was said."""

    role: str
    content: str


class Choice(_Open):
    """The one reply."""

    index: int
    message: Said
    finish_reason: str


class Beside(_Open):
    """What only this server tells about a reply."""

    notice: str
    seed: int
    history: str
    handover: str | None


class Completion(_Open):
    """A reply; streamed, it comes as server-sent events instead."""

    id: str
    object: str
    created: int
    model: str
    choices: list[Choice]
    maieutic: Beside


class Health(_Open):
    """The server answers."""

    status: str
    version: str
    in_flight: int
    notice: str


class Fault(BaseModel):
    """What was wrong."""

    message: str
    type: str
    param: str | None
    code: str | None


class Error(BaseModel):
    """The API's error shape."""

    error: Fault


_Responses = dict[int | str, dict[str, Any]]


def _errors(*statuses: int) -> _Responses:
    return {status: {"model": Error} for status in statuses}


KEY_ERRORS = _errors(401)
MODEL_ERRORS = _errors(401, 403, 404)
ERRORS = _errors(400, 401, 403, 404, 409, 413, 422, 429, 502, 504)


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 "
    "1rem;color:#1b1f24;background:#fff}"
    "code,pre{font-family:ui-monospace,monospace;font-size:.9em}pre{background:#f3f4f6;padding:.8rem;overflow-x:auto}"
    "table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid #d0d7de}"  # noqa: E501
    ".notice{border-left:4px solid #9a6700;padding:.4rem .8rem;background:#fff8e5}"
)
_EXAMPLE = """curl -s http://HOST:PORT/v1/chat/completions -H 'Content-Type: application/json' -d '{
  "model": "maieutic/socratic",
  "messages": [{"role": "user", "content": "I froze in the meeting again."}],
  "seed": 7
}'"""
_ERRORS = (
    (400, "no JSON, or something that this server does not do (tools, images, n > 1, too many turns)"),
    (401, "no key, or a wrong one"),
    (403, "a therapist that sees the patient's mind, or an explanation where they are off"),
    (404, "no such model; the nearest name is given"),
    (409, "a history that the model cannot have said, under --strict"),
    (413, "a body that is too large"),
    (422, "JSON that is no chat request; the field is named"),
    (429, "too many requests at once; come again after Retry-After seconds"),
)


def docs_page(openapi: dict[str, Any], models: int) -> str:
    """The page for an OpenAPI description."""
    routes = "".join(
        f"<tr><td><code>{method.upper()} {escape(path)}</code></td><td>{escape(about.get('description', ''))}</td></tr>"
        for path, methods in openapi["paths"].items()
        for method, about in methods.items()
    )
    errors = "".join(f"<tr><td>{status}</td><td>{escape(text)}</td></tr>" for status, text in _ERRORS)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>maieutic: API</title>'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><style>{_STYLE}</style></head><body><main>'
        f'<h1>maieutic {escape(openapi["info"]["version"])}</h1><p class="notice">{escape(DISCLAIMER)}</p>'
        f'<p>{models} models: <a href="/v1/models">/v1/models</a> (all), '
        f'<a href="/openapi.json">/openapi.json</a> (for programs).</p>'
        "<h2>Routes</h2><table><thead><tr><th>route</th><th>what it "
        f"does</th></tr></thead><tbody>{routes}</tbody></table>"
        f"<h2>An example</h2><pre>{escape(_EXAMPLE)}</pre>"
        f"<h2>Errors</h2><table><thead><tr><th>status</th><th>when</th></tr></thead><tbody>{errors}</tbody></table>"
        "</main></body></html>"
    )


GRACE = 5.0
"""Seconds a stream waits for its reply before it opens, so that errors and headers can still be told the plain way."""
_logger = logging.getLogger("maieutic.serving")


@dataclass(frozen=True, slots=True)
class Settings:
    """How a server behaves.

    Attributes:
        api_key: Asked for below /v1; None for no key.
        strict: Refuse histories that a model cannot have said.
        allow_explain: Give the plan, belief or hidden state to who asks for it.
        log: Where requests are recorded, redacted; None for nowhere.
        limits: What is refused.
    """

    api_key: str | None = None
    strict: bool = False
    allow_explain: bool = False
    log: RequestLog | None = None
    limits: Limits = field(default_factory=Limits)


def create_app(offers: Offers, settings: Settings) -> FastAPI:
    """The ASGI application."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        for model in offers.models:
            await model.close()
        if settings.log is not None:
            settings.log.close()

    app = FastAPI(
        title="maieutic",
        version=version("maieutic"),
        description=DISCLAIMER,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        middleware=[Middleware(Door, key=settings.api_key, most=settings.limits.body)],
        exception_handlers={
            Refusal: _refused,
            RequestValidationError: _invalid,
            HTTPException: _plain,
            Exception: _broken,
        },
    )
    app.state.draining = False
    gate = Gate(settings.limits.in_flight)
    chats = Chats(offers, settings, gate)
    _add_models(app, offers)

    @app.post("/v1/chat/completions", response_model=Completion, responses=ERRORS, tags=["chat"])
    async def chat(body: ChatRequest, request: Request) -> Response:
        """The next turn of a conversation; the same request gives the same reply."""
        return await chats.answer(body, request)

    @app.get("/health", response_model=Health, tags=["server"])
    async def health() -> dict[str, Any]:
        """Whether the server answers."""
        return {"status": "ok", "version": app.version, "in_flight": gate.inside, "notice": DISCLAIMER}

    @app.get("/metrics", response_class=Response, tags=["server"])
    async def metrics() -> Response:
        """Counts for Prometheus."""
        return Response(generate_latest(gate.registry), media_type=CONTENT_TYPE_LATEST)

    @app.get("/docs", response_class=HTMLResponse, include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(docs_page(app.openapi(), len(list(offers.ids()))))

    return app


def _add_models(app: FastAPI, offers: Offers) -> None:
    def entry(name: str) -> dict[str, Any]:
        kind = _kind(name)
        return {"id": name, "object": "model", "created": 0, "owned_by": "maieutic", "maieutic": {"kind": kind}}

    @app.get("/v1/models", response_model=Models, responses=KEY_ERRORS, tags=["models"])
    async def models() -> dict[str, Any]:
        """All models of this server."""
        return {"object": "list", "data": [entry(name) for name in offers.ids()]}

    @app.get("/v1/models/{name:path}", response_model=Model, responses=MODEL_ERRORS, tags=["models"])
    async def model(name: str) -> dict[str, Any]:
        """One model."""
        offers.get(name)
        return entry(name)


@dataclass(frozen=True, slots=True)
class Chats:
    """Answers chat requests."""

    offers: Offers
    settings: Settings
    gate: Gate

    async def answer(self, body: ChatRequest, request: Request) -> Response:
        """A completion, whole or streamed. Raises `Refusal`."""
        began, kind = time.perf_counter(), _kind(body.model)
        slot: Slot | None = None
        task: asyncio.Task[Spoken] | None = None

        def leave(status: int) -> None:
            if task is not None:
                task.cancel()
            if slot is not None:
                slot.leave()
            self.gate.count(kind, status, time.perf_counter() - began)

        try:
            served = self.offers.get(body.model)
            asked = self._asked(body)
            slot = self.gate.enter()
            task = asyncio.ensure_future(self._reply(served, asked))
            late = not await _came(task, request, GRACE if body.stream else None)
            if late and not body.stream:
                leave(499)
                return Response(status_code=499)
            if body.stream:
                told = {} if late else completions.headers(await task)
                return _Stream(_streamed(task, asked), lambda: leave(200), headers=told)
            spoken = await task
        except Refusal as refusal:
            leave(refusal.status)
            raise
        except BaseException:
            leave(500)
            raise
        leave(200)
        whole = orjson.dumps(completions.whole(spoken, asked))
        return Response(whole, media_type="application/json", headers=completions.headers(spoken))

    def _asked(self, body: ChatRequest) -> Asked:
        body.check()
        wished = body.maieutic.explain if body.maieutic else None
        if wished is True and not self.settings.allow_explain:
            raise Refusal(
                403, "explanations are off: start the server with --allow-explain", "not_allowed", "maieutic.explain"
            )
        last = bool(body.stream_options and body.stream_options.include_usage)
        said = folded(body.messages, most=self.settings.limits.turns)
        explain = bool(wished) and self.settings.allow_explain
        return Asked(body.model, said, body.seed or 0, explain, last)

    async def _reply(self, served: Served, asked: Asked) -> Spoken:
        await asyncio.sleep(0)  # whoever came with this request is let in, or sent away, before a turn is computed
        try:
            async with asyncio.timeout(self.settings.limits.seconds):
                spoken = await served.reply(asked.said, asked.seed, strict=self.settings.strict)
        except (TimeoutError, ModelTimeout) as error:
            limit = f"{self.settings.limits.seconds:g} s"
            raise Refusal(504, f"no reply within {limit}: {error or 'the turn took too long'}", "timeout") from error
        except ModelError as error:
            raise Refusal(
                502, f"the language model behind {asked.model} gave no reply: {error}", "model_failed"
            ) from error
        self.gate.handovers.inc(spoken.handed_over)
        self.gate.foreign.inc(bool(spoken.foreign))
        if self.settings.log is not None:
            try:
                self.settings.log.write(asked, spoken)
            except OSError as error:
                self.gate.unlogged.inc()
                _logger.error("the log cannot be written: %s", error)
        return spoken


async def _came(task: asyncio.Task[Spoken], request: Request, patience: float | None) -> bool:
    """Whether the reply came before the client left and within the patience."""
    left = asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait({task, left}, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
    finally:
        left.cancel()
        with suppress(asyncio.CancelledError):
            await left
    return task.done()


async def _streamed(task: asyncio.Task[Spoken], asked: Asked) -> AsyncIterator[bytes]:
    yield _event(completions.first_chunk(asked))
    while not task.done():
        yield completions.WORKING
        await asyncio.wait({task}, timeout=GRACE)
    try:
        spoken = await task
    except Refusal as refusal:
        yield _event(refusal.body)
        return
    for chunk in completions.chunks(spoken, asked):
        yield _event(chunk)
    yield completions.DONE


def _event(value: Any) -> bytes:
    return b"data: " + orjson.dumps(value) + b"\n\n"


class _Stream(StreamingResponse):
    """A stream that says when it is over, however it ends."""

    def __init__(self, content: AsyncIterator[bytes], over: Callable[[], None], *, headers: dict[str, str]) -> None:
        super().__init__(content, media_type="text/event-stream", headers={"cache-control": "no-store", **headers})
        self._over = over

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._over()


def _kind(name: str) -> str:
    return "patient" if name.startswith(PATIENT) else "coder" if name.startswith(CODER) else "therapist"


def _response(refusal: Refusal) -> Response:
    return Response(
        orjson.dumps(refusal.body), refusal.status, headers=dict(refusal.headers), media_type="application/json"
    )


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return _response(error)


async def _invalid(_: Request, error: Exception) -> Response:
    """A body that is no JSON is 400; JSON that is no chat request is 422. What was sent is not sent back."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")[:200]
    if first["type"] == "json_invalid":
        return _response(Refusal(400, f"the body is no JSON: {first['ctx']['error']}", "invalid_json"))
    return _response(Refusal(422, f"{where or 'the body'}: {first['msg']}", "invalid_value", where or None))


async def _plain(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _response(Refusal(error.status_code, str(error.detail), headers=error.headers or {}))


async def _broken(_: Request, error: Exception) -> Response:
    return _response(Refusal(500, "this is a fault of the server; its own output says more", "internal_error"))

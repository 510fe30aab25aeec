"""What every request passes: the key, the size of its body, a number of its own, the notice on every answer, and how
many are let in at once; counted for Prometheus."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

import orjson
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from maieutic.safety.handover import DISCLAIMER
from maieutic.serving.request import Refusal

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server refuses.

    Attributes:
        body: Bytes of a request.
        turns: Turns of a conversation.
        in_flight: Requests at once; one more gets 429 and is asked to come again.
        seconds: Time for one reply.
    """

    body: int = 1_000_000
    turns: int = 200
    in_flight: int = 64
    seconds: float = 120.0


class Gate:
    """Lets so many requests in at once, and counts.

    Attributes:
        registry: The counts, for /metrics.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._inside = 0
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "maieutic_requests",
            "Chat requests by kind of model and status.",
            ("kind", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "maieutic_reply_seconds", "Time to a whole reply.", ("kind",), buckets=_SECONDS, registry=self.registry
        )
        in_flight = Gauge("maieutic_requests_in_flight", "Chat requests being answered.", registry=self.registry)
        in_flight.set_function(lambda: float(self._inside))
        self.handovers = Counter("maieutic_handovers", "Replies that were the fixed hand-over.", registry=self.registry)
        self.foreign = Counter(
            "maieutic_foreign_histories", "Requests with turns the model cannot have said.", registry=self.registry
        )
        self.unlogged = Counter("maieutic_unlogged", "Requests that --log could not write.", registry=self.registry)

    def count(self, kind: str, status: int, seconds: float) -> None:
        """Note a finished request."""
        self._requests.labels(kind, str(status)).inc()
        self._seconds.labels(kind).observe(seconds)

    @property
    def inside(self) -> int:
        """Requests that are being answered."""
        return self._inside

    def enter(self) -> Slot:
        """A slot, to be left once. Raises `Refusal` when all are taken."""
        if self._inside >= self._most:
            raise Refusal(
                429,
                f"{self._most} requests are being answered; come again",
                "too_many_requests",
                headers={"retry-after": "1"},
            )
        self._inside += 1
        return Slot(self)

    def leave(self) -> None:
        self._inside -= 1


@dataclass(slots=True)
class Slot:
    """One request's place; leaving it twice frees one place."""

    gate: Gate
    taken: bool = field(default=True)

    def leave(self) -> None:
        """Free the place."""
        if self.taken:
            self.taken = False
            self.gate.leave()


KEYED = "/v1/"


@dataclass(frozen=True, slots=True)
class Door:
    """ASGI middleware.

    Attributes:
        app: What is behind it.
        key: Asked for below /v1; None where everybody may come.
        most: Bytes of a body.
    """

    app: ASGIApp
    key: str | None
    most: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        number = secrets.token_hex(8)

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["x-request-id"] = number
                headers["x-maieutic-notice"] = DISCLAIMER
                if scope["app"].state.draining:
                    headers["connection"] = "close"
            await send(message)

        headers = Headers(scope=scope)
        refusal = self._refused(scope["path"], headers)
        if refusal is not None:
            await _answer(refusal, told)
            return
        await self.app(scope, self._counted(receive), told)

    def _refused(self, path: str, headers: Headers) -> Refusal | None:
        if self.key is not None and path.startswith(KEYED):
            given = headers.get("authorization", "").removeprefix("Bearer ").encode()
            if not secrets.compare_digest(given, self.key.encode()):
                said = "no key" if not given else "wrong key"
                return Refusal(
                    401, f"{said}: send `Authorization: Bearer KEY`, the server's --api-key", "invalid_api_key"
                )
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self.most:
            return self._too_large()
        return None

    def _counted(self, receive: Receive) -> Receive:
        came = 0

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > self.most:
                raise HTTPException(413, self._too_large().message)
            return message

        return counted

    def _too_large(self) -> Refusal:
        return Refusal(413, f"a request may have {self.most} bytes at most; send fewer turns", "request_too_large")


async def _answer(refusal: Refusal, send: Send) -> None:
    body = orjson.dumps(refusal.body)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

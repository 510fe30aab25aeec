"""What stands before every request: the size of a body, the headers of every answer, and how often somebody may ask."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY: Final = 400_000
"""Bytes of a request; the largest is an uploaded case."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Refuses bodies that are too large, and puts the headers on every answer; pages are kept in no cache."""

    def __init__(self, app: ASGIApp, https: bool = False) -> None:
        self.app, self.https = app, https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        held, more = bytearray(), True
        while more:  # all pages are small: what is too large is refused before anything reads it
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            held += message.get("body", b"")
            more = message.get("more_body", False)
            if len(held) > LARGEST_BODY:
                await send({"type": "http.response.start", "status": 413, "headers": _plain()})
                await send({"type": "http.response.body", "body": b"That is too large. Go back and send less."})
                return
        given = False

        async def once() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": bytes(held), "more_body": False}

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
                if self.https:
                    headers["strict-transport-security"] = "max-age=31536000"
            await send(message)

        await self.app(scope, once, dressed)


def _plain() -> list[tuple[bytes, bytes]]:
    return [(b"content-type", b"text/plain; charset=utf-8"), *((k.encode(), v.encode()) for k, v in HEADERS.items())]


@dataclass(slots=True)
class Pace:
    """How often a key may come in a window of time; the keys asked for longest ago are forgotten first.

    Attributes:
        most: Times in a window.
        window: Seconds.
    """

    most: int
    window: float = 60.0
    _seen: OrderedDict[str, deque[float]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def allows(self, key: str) -> bool:
        """Whether the key may come once more now; counts it if so."""
        moment = time.monotonic()
        with self._lock:
            times = self._seen.setdefault(key, deque())
            self._seen.move_to_end(key)
            while times and times[0] <= moment - self.window:
                times.popleft()
            if len(times) >= self.most:
                return False
            times.append(moment)
            while len(self._seen) > 10_000:
                self._seen.popitem(last=False)
            return True

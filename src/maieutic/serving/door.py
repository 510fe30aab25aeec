"""What every request passes first: the key, the size of its body, a number of its own, and the notice on every
answer."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from maieutic.safety.handover import DISCLAIMER
from maieutic.serving.refusals import Refusal

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

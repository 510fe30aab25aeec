"""A cheap OpenAI-compatible server on loopback that answers, dawdles and fails on demand, for tests and benchmarks.

    async with FakeServer(Faults(busy_every=20)) as server:   # in this process
        model = load_model(f"{server.url}#fake")

    python tests/fake_server.py --port 0 --delay 0.05 --busy-every 20    # its own process; prints its port first

Speaks just enough HTTP/1.1 (keep-alive, Content-Length) to cost little: bytes are cut by hand on an asyncio protocol.
GET of any path answers the counts as JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import zlib
from dataclasses import dataclass, fields
from typing import Any, Self

import orjson

REPLIES = (
    "What makes that thought feel true to you right now?",
    "I am not sure. It is heavy, and it has been so since spring.",
    "When did you first notice it this week?",
    "On Tuesday, when the phone rang and I let it ring.",
    "What might a good friend say if she heard you?",
    "That I am too hard on myself, I suppose.",
    "How much do you believe it, from nought to a hundred?",
    "Maybe sixty. It was more an hour ago.",
)
GARBAGE = (
    (b"text/html", b"<html><body>Bad gateway, but with status 200</body></html>"),
    (b"application/json", b'{"choices": []}'),
    (b"application/json", b'{"choices": [{"message": {"role": "assistant"'),
    (b"application/json", b'{"choices": [{"message": {"content": null}}]}'),
    (b"application/json", b"[1, 2, 3]"),
    (b"application/octet-stream", b"\xff\xfe\x00\x01"),
)
PHRASES = {200: b"OK", 400: b"Bad Request", 401: b"Unauthorized", 404: b"Not Found", 429: b"Too Many Requests",
           500: b"Internal Server Error"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong; `…_every=n` means every n-th call, 0 never. One call has one fault at most, in this order.

    Attributes:
        delay: Seconds before each answer, error or not.
        hang_every: Never answered, connection left open.
        stuck_every: As hang, but chosen by the messages: about one conversation state in n never gets an answer, ever.
        cut_every: Connection closed in the middle of the answer.
        busy_every: 429, with `Retry-After: retry_after` if that is not None.
        fail_every: 500.
        garbage_every: 200 with a body that is no completion; kinds follow each other.
        empty_every: A completion without text.
        refuse_status: Every call gets this status (400, 404 …); 0 for none.
        says: When not empty, the whole body of every answer, with status 200.
        serves: When not empty, the name under which every answer is given; else the name that was asked for.
        key: When not empty, calls without this bearer key get 401.
        usage: Whether answers report tokens.
    """

    delay: float = 0.0
    hang_every: int = 0
    stuck_every: int = 0
    cut_every: int = 0
    busy_every: int = 0
    fail_every: int = 0
    garbage_every: int = 0
    empty_every: int = 0
    refuse_status: int = 0
    retry_after: float | None = None
    says: str = ""
    serves: str = ""
    key: str = ""
    usage: bool = True


class FakeServer:
    """Counts what it did in `counts`: calls, answered, connections and one entry per fault; `last` is the last request."""

    def __init__(self, faults: Faults | None = None, *, port: int = 0) -> None:
        self.faults = faults or Faults()
        self.port = port
        self.counts: dict[str, float] = dict.fromkeys(("calls", "answered", "connections", "in_flight", "most"), 0)
        self.last: dict[str, Any] = {}
        self._open: set[asyncio.Transport] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self, loop), "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for transport in tuple(self._open):
            transport.abort()
        await asyncio.sleep(0)

    def answer(self, headers: bytes, body: bytes) -> tuple[bytes | None, bool]:
        """The bytes to send (None: never answer) and whether to cut the connection in their middle."""
        self.counts["calls"] += 1
        call, faults = self.counts["calls"], self.faults

        def due(name: str, every: int) -> bool:
            if not every or call % every:
                return False
            self.counts[name] = self.counts.get(name, 0) + 1
            return True

        self.last = request = orjson.loads(body)
        if faults.key and f"Bearer {faults.key}".encode() not in headers:
            return _response(401, b'{"error": {"message": "Incorrect API key provided"}}'), False
        if faults.refuse_status:
            said = b'{"error": {"message": "the model `' + str(request.get("model")).encode() + b'` does not exist"}}'
            return _response(faults.refuse_status, said), False
        if faults.says:
            return _response(
                200, faults.says.encode(), kind=b"text/html" if "<" in faults.says else b"application/json"
            ), False
        mark = 0
        for message in request["messages"]:
            mark = zlib.crc32(message["content"].encode(), mark)
        if due("hung", faults.hang_every):
            return None, False
        if faults.stuck_every and mark % faults.stuck_every == 0:
            self.counts["stuck"] = self.counts.get("stuck", 0) + 1
            return None, False
        if due("busy", faults.busy_every):
            after = b"" if faults.retry_after is None else b"Retry-After: %g\r\n" % faults.retry_after
            return _response(429, b'{"error": {"message": "slow down"}}', extra=after), False
        if due("failed", faults.fail_every):
            return _response(500, b'{"error": {"message": "out of cheese"}}'), False
        if due("garbage", faults.garbage_every):
            kind, content = GARBAGE[self.counts["garbage"] % len(GARBAGE)]
            return _response(200, content, kind=kind), False
        text = "  " if due("empty", faults.empty_every) else f"{REPLIES[mark % len(REPLIES)]} ({mark:x})"
        cut = due("cut", faults.cut_every)
        self.counts["answered"] += not cut
        completion: dict[str, Any] = {
            "id": f"fake-{call}", "object": "chat.completion", "created": 0,
            "model": faults.serves or request.get("model", ""),
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        }  # fmt: skip
        if faults.usage:
            prompt, spoken = len(body) // 4, len(text) // 4
            completion["usage"] = {
                "prompt_tokens": prompt, "completion_tokens": spoken, "total_tokens": prompt + spoken,
            }  # fmt: skip
        return _response(200, orjson.dumps(completion)), cut


class _Connection(asyncio.Protocol):
    def __init__(self, server: FakeServer, loop: asyncio.AbstractEventLoop) -> None:
        self.server, self.loop = server, loop
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server._open.add(transport)
        self.server.counts["connections"] += 1

    def connection_lost(self, exc: Exception | None) -> None:
        self.server._open.discard(self.transport)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end]
            at = head.lower().find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self.buffer) < end + 4 + length:
                return
            body, self.buffer = self.buffer[end + 4 : end + 4 + length], self.buffer[end + 4 + length :]
            if head.startswith(b"POST"):
                counts = self.server.counts
                counts["in_flight"] += 1
                counts["most"] = max(counts["most"], counts["in_flight"])
                sent, cut = self.server.answer(head, body)
                if self.server.faults.delay:
                    self.loop.call_later(self.server.faults.delay, self.send, sent, cut)
                else:
                    self.send(sent, cut)
            else:
                self.transport.write(_response(200, orjson.dumps(self.server.counts)))

    def send(self, sent: bytes | None, cut: bool) -> None:
        self.server.counts["in_flight"] -= 1
        if sent is None or self.transport.is_closing():
            return
        self.transport.write(sent[: len(sent) // 2] if cut else sent)
        if cut:
            self.transport.close()


def _response(status: int, content: bytes, *, kind: bytes = b"application/json", extra: bytes = b"") -> bytes:
    return b"HTTP/1.1 %d %s\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n%s" % (
        status, PHRASES.get(status, b"Error"), kind, extra, len(content), content,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    for option in fields(Faults):
        name = f"--{option.name.replace('_', '-')}"
        if option.name == "usage":
            parser.add_argument("--no-usage", dest="usage", action="store_false")
        else:
            kind = {"key": str, "says": str, "serves": str, "delay": float, "retry_after": float}.get(option.name, int)
            parser.add_argument(name, type=kind, default=option.default)
    options = vars(parser.parse_args())

    async def serve(port: int, faults: Faults) -> None:
        async with FakeServer(faults, port=port) as server:
            print(server.port, flush=True)
            await asyncio.Event().wait()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(options.pop("port"), Faults(**options)))


if __name__ == "__main__":
    main()

"""A server in a thread, for tests that run a command against it as a user does."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from fake_server import FakeServer, Faults

NOBODY = "http://127.0.0.1:9"


@contextmanager
def serving(faults: Faults | None, *, server: FakeServer | None = None) -> Iterator[tuple[str, FakeServer | None]]:
    """The address of a server that runs in a thread of its own; of nobody where there are no faults to have."""
    if faults is None and server is None:
        yield NOBODY, None
        return
    loop, started, own = asyncio.new_event_loop(), threading.Event(), server or FakeServer(faults)

    def serve() -> None:
        loop.run_until_complete(own.__aenter__())
        started.set()
        loop.run_forever()
        loop.run_until_complete(own.__aexit__())
        loop.close()

    thread = threading.Thread(target=serve)
    thread.start()
    started.wait()
    try:
        yield own.url, own
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()

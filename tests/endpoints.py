"""Runs the command in this process against a server in a thread, for tests that do what a user does."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from fake_server import FakeServer, Faults
from maieutic.cli.main import main

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


def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str, columns: int = 100
) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of the command."""
    from maieutic.cli import screen

    screen.screen.cache_clear()
    screen.messages.cache_clear()
    monkeypatch.setattr(sys, "argv", ["maieutic", *words])
    monkeypatch.setenv("COLUMNS", str(columns))
    for name in ("MAIEUTIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SystemExit) as end:
        main()
    said = capsys.readouterr()
    screen.screen.cache_clear()
    screen.messages.cache_clear()
    return int(end.value.code or 0), said.out, said.err

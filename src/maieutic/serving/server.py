"""Runs an app: takes the address before anything is loaded, and loses no accepted request when it is told to stop."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from typing import Any

import uvicorn
from fastapi import FastAPI

from maieutic.errors import InputError, why

QUIET = 0.3
"""Seconds after the last connection was taken in which a request that was already sent may still come."""
SWITCH = 0.0005
"""Seconds after which a turn that is computed beside the event loop lets it have Python; ten times as often as
usual."""
_BACKLOG = 2048


def bound(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises `InputError` when the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (OSError, OverflowError) as error:
        said = why(error) if isinstance(error, OSError) else str(error)
        raise InputError(f"cannot listen on {host}:{port}: {said}; choose another --host or --port") from error
    # asyncio sends at once only on sockets that name TCP; elsewhere a body waits 40 ms for its head to be acknowledged.
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=listening.detach())


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine can come in by an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def address(listening: socket.socket) -> str:
    """http://HOST:PORT of a listening socket."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class DrainingServer(uvicorn.Server):
    """Stops on SIGTERM and Ctrl-C: takes no new connection, answers what came, and ends; a later Ctrl-C ends it at
    once."""

    def __init__(self, app: FastAPI, listening: socket.socket, *, patience: float) -> None:
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, timeout_graceful_shutdown=int(patience) + 10
        )
        super().__init__(config)
        self._app, self._listening = app, listening
        self._leaving: asyncio.Task[None] | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Listen for signals while the server runs."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop, told = asyncio.get_running_loop(), (signal.SIGTERM, signal.SIGINT)
        for one in told:
            loop.add_signal_handler(one, self.leave, one)
        try:
            yield
        finally:
            for one in told:
                loop.remove_signal_handler(one)

    def leave(self, told: signal.Signals) -> None:
        """Begin to stop. Wrappers often pass one signal on twice; only a Ctrl-C that comes later means it."""
        if self._leaving is not None:
            if told is signal.SIGINT and self._leaving.done():
                self.force_exit = True
            return
        self._app.state.draining = True
        self._leaving = asyncio.ensure_future(self._leave())

    async def _leave(self) -> None:
        # Closing a listening socket resets what the system has queued for it: that is picked up first, without a pause.
        late = list(_queued(self._listening))
        for server in self.servers:
            server.close()
        loop = asyncio.get_running_loop()
        for connection in late:
            await loop.connect_accepted_socket(self._protocol, connection)
        await asyncio.sleep(QUIET)
        self.should_exit = True

    def _protocol(self) -> asyncio.Protocol:
        kind: Any = self.config.http_protocol_class
        made: asyncio.Protocol = kind(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)
        return made


def _queued(listening: socket.socket) -> Iterator[socket.socket]:
    """Connections that wait to be accepted."""
    with suppress(BlockingIOError):
        while True:
            connection, _ = listening.accept()
            connection.setblocking(False)
            yield connection


def serve(app: FastAPI, listening: socket.socket, *, patience: float) -> None:
    """Serve until a signal comes."""
    sys.setswitchinterval(SWITCH)
    asyncio.run(DrainingServer(app, listening, patience=patience).serve([listening]))


@contextmanager
def running(app: FastAPI) -> Iterator[str]:
    """An app on a free loopback port in a thread of its own, for notebooks and tests; its address without /v1."""
    listening = bound("127.0.0.1", 0)
    server = DrainingServer(app, listening, patience=5.0)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])), daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield address(listening)
    finally:
        server.should_exit = True
        thread.join()

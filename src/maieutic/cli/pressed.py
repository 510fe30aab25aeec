"""Ctrl-C that comes through: a library that is being loaded may swallow the exception, and the command ran on to its end."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

AGAIN = 3.0
"""Seconds after which a press that has not ended the command is pressed once more; tidying up takes less."""


@contextmanager
def press_kept() -> Iterator[None]:
    """While this lasts, Ctrl-C is pressed again and again until it has come out of it.

    For commands without an event loop, which would want the signal for itself.
    """
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    over = threading.Event()
    pressed = threading.Event()

    def press_again() -> None:
        pressed.wait()
        while not over.wait(AGAIN):
            os.kill(os.getpid(), signal.SIGINT)

    def hear(number: int, frame: FrameType | None) -> None:
        pressed.set()
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, hear)
    threading.Thread(target=press_again, daemon=True).start()
    try:
        yield
    finally:
        over.set()
        pressed.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)


__all__ = ["press_kept"]

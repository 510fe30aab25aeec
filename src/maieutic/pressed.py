"""Ctrl-C that comes through: what is being loaded or torn down may swallow the exception, and the command ran on to its
end."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading

SOON = 0.01
"""Seconds until a Ctrl-C that a finalizer lost is pressed again."""
AGAIN = 3.0
"""Seconds after which a press that has not ended the command is pressed once more; tidying up takes less."""


class Presses:
    """Hears every Ctrl-C from beside the main thread and presses it again until the command is over.

    The handler stays whose it is: an event loop installs its own only where Python's is in place.

    Attributes:
        heard: Whether Ctrl-C was pressed since `keep`. Code that is being loaded may turn it into an error of its own.
    """

    def __init__(self) -> None:
        self._over = threading.Event()
        self.heard = False

    def keep(self) -> None:
        """From now on no press is lost. Call it in the main thread."""
        # Kept to the end of the process: signals go on being written to it.
        self._heard, self._told = socket.socketpair()
        self._told.setblocking(False)
        signal.set_wakeup_fd(self._told.fileno(), warn_on_full_buffer=False)
        sys.unraisablehook = _press_soon
        threading.Thread(target=self._press, daemon=True).start()

    def let_go(self) -> None:
        """From now on a press is pressed once: the command is over, or it has a use of its own for Ctrl-C."""
        self._over.set()

    def _press(self) -> None:
        while self._heard.recv(1) != bytes([signal.SIGINT]):
            pass
        self.heard = True
        while not self._over.wait(AGAIN):
            os.kill(os.getpid(), signal.SIGINT)


def _press_soon(lost: sys.UnraisableHookArgs) -> None:
    """Python drops an exception raised within a finalizer or a weak reference's callback: Ctrl-C must not be lost
    so."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        threading.Timer(SOON, os.kill, (os.getpid(), signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(lost)


PRESSES = Presses()
"""Those of this process."""

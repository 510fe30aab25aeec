"""How a run is divided: among workers while it goes, or beforehand into parts that are merged."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.errors import InputError

RAY = "ray"


@dataclass(frozen=True, slots=True)
class WorkersSpec:
    """Where the work is done.

    Attributes:
        count: Processes on this machine; 0 when a cluster does it.
        address: 'auto' for the Ray cluster this machine belongs to, or 'ray://HOST:PORT' of a Ray client server.
    """

    count: int = 0
    address: str | None = None

    @classmethod
    def read(cls, text: str) -> WorkersSpec:
        """`N`, `ray` or `ray://HOST:PORT`. Raises `InputError`."""
        if text == RAY:
            return cls(address="auto")
        if text.startswith(f"{RAY}://"):
            host, colon, port = text.removeprefix(f"{RAY}://").rpartition(":")
            if not (host and colon and port.isdecimal()):
                raise InputError(f"--workers expects ray://HOST:PORT, such as ray://head:10001, got {text!r}")
            return cls(address=text)
        if not text.isdecimal() or int(text) < 1:
            raise InputError(
                f"--workers expects a number of processes, 1 or more, ray or ray://HOST:PORT, got {text!r}"
            )
        return cls(count=int(text))


@dataclass(frozen=True, slots=True)
class Shard:
    """One part of a run that is divided beforehand: every `of`-th item, beginning with number `part`, from 1."""

    part: int
    of: int

    @classmethod
    def read(cls, text: str) -> Shard:
        """`I/N` with 1 ≤ I ≤ N. Raises `InputError`."""
        part, slash, of = text.partition("/")
        if not (slash and part.isdecimal() and of.isdecimal()) or not 1 <= int(part) <= int(of):
            raise InputError(f"--shard expects I/N with I from 1 to N, such as 2/8, got {text!r}")
        return cls(int(part), int(of))

    def has(self, place: int) -> bool:
        """Whether the item at this place, from 0, is in this part."""
        return place % self.of == self.part - 1

    def __str__(self) -> str:
        return f"{self.part}/{self.of}"

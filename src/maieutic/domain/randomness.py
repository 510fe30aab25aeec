"""Derived generators: every random draw comes from a generator named by what it is for, never from a shared one."""

from __future__ import annotations

from hashlib import blake2b
from random import Random


def derive_seed(*names: str | int) -> int:
    """Hash a path of names to a 63-bit seed; the same names always give the same seed."""
    digest = blake2b("\x1f".join(map(str, names)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def derive(*names: str | int) -> Random:
    """A generator of its own for the named purpose."""
    return Random(derive_seed(*names))

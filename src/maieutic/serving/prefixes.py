"""What earlier requests of a conversation left behind, so that a long one costs one turn; bounded, oldest forgotten
first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Generic, TypeVar

T = TypeVar("T")
Key = bytes


@dataclass(frozen=True, slots=True)
class Prefixes(Generic[T]):
    """Conversations by all that was said in them. Nothing hangs on what is kept but the time that a reply takes.

    Attributes:
        most: Prefixes kept.
        room: Characters of the kept conversations together, at most.
    """

    most: int = 2_000
    room: int = 20_000_000
    _kept: OrderedDict[Key, tuple[T, int]] = field(default_factory=OrderedDict, repr=False)
    _size: list[int] = field(default_factory=lambda: [0], repr=False)

    def get(self, key: Key) -> T | None:
        """What is kept of a conversation."""
        found = self._kept.get(key)
        if found is None:
            return None
        self._kept.move_to_end(key)
        return found[0]

    def put(self, key: Key, value: T, size: int) -> None:
        """Keep a conversation of so many characters."""
        before = self._kept.pop(key, None)
        self._size[0] += size - (before[1] if before else 0)
        self._kept[key] = value, size
        while self._kept and (len(self._kept) > self.most or self._size[0] > self.room):
            _, (_, gone) = self._kept.popitem(last=False)
            self._size[0] -= gone

    def __len__(self) -> int:
        return len(self._kept)


def keys(names: Iterable[str | int], texts: Iterable[str]) -> list[Key]:
    """The key of every prefix of a conversation, the empty one first; `names` tell models and seeds apart."""
    chain = [blake2b("\x1f".join(map(str, names)).encode(), digest_size=16).digest()]
    for text in texts:
        chain.append(blake2b(chain[-1] + text.encode(), digest_size=16).digest())
    return chain

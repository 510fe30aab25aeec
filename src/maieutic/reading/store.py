"""What was computed of something said is remembered within bounds, and what is dear to load is loaded once; for any
thread."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import cache, update_wrapper
from typing import Generic, ParamSpec, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Given = ParamSpec("Given")


class once(Generic[Given, Value]):  # noqa: N801 - a decorator, as `functools.cache` is
    """`functools.cache` for what takes long to make: threads that ask at once wait for the first, and get the same."""

    def __init__(self, make: Callable[Given, Value]) -> None:
        """Made at the first call, not now."""
        kept = cache(make)
        self._kept: Callable[Given, Value] = kept
        self._lock = threading.RLock()
        self.cache_clear = kept.cache_clear
        update_wrapper(self, make)

    def __call__(self, *given: Given.args, **named: Given.kwargs) -> Value:
        with self._lock:
            return self._kept(*given, **named)


class Store(Generic[Key, Value]):
    """Values by what they were computed of, the longest unused forgotten first."""

    def __init__(self, room: int) -> None:
        """Room for values of so many sizes together."""
        self._room, self._used = room, 0
        self._kept: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._lock = threading.Lock()

    def __contains__(self, key: Key) -> bool:
        return key in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Key) -> Value | None:
        """What is kept, which is then the newest."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found[0]

    def put(self, key: Key, value: Value, size: int = 1) -> None:
        """Keep it, unless something is kept already."""
        with self._lock:
            if key not in self._kept:
                self._kept[key] = value, size
                self._used += size
                while self._used > self._room:
                    self._used -= self._kept.popitem(last=False)[1][1]

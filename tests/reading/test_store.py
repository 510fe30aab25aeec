"""What is remembered of texts and sessions, within bounds; and what is loaded once."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from maieutic.reading.store import Store, once


def test_the_store_keeps_to_its_room_and_forgets_the_longest_unused() -> None:
    store: Store[str, int] = Store(5)
    for number, text in enumerate("abc"):
        store.put(text, number, 2)
    assert "a" not in store and store.get("b") == 1
    store.put("d", 3, 2)
    assert "c" not in store and "b" in store and len(store) == 2
    store.put("long", 4, 9)
    assert len(store) == 0


def test_what_many_threads_ask_for_at_once_is_made_once() -> None:
    made: list[str] = []
    ready = threading.Barrier(8)

    @once
    def slow(name: str) -> list[str]:
        time.sleep(0.05)
        made.append(name)
        return [name]

    def ask(_: int) -> list[str]:
        ready.wait(timeout=20)
        return slow("body")

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(ask, range(8)))
    assert made == ["body"] and all(one is found[0] for one in found)
    slow.cache_clear()
    assert slow("body") is not found[0]

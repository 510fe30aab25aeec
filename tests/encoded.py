"""What encoders made of texts in earlier runs of the tests on this machine, so that a text is encoded once and not once a run.

A third of the time of the fast tests is spent in encoders. What an encoder makes of a text hangs on nothing but its weights, the
steps it takes, the runtime and the machine: all of them are in the name of the file or in the key, so that a change of any makes
everything anew. Tests of the encoders themselves ask for `encodes_anew`.
"""

from __future__ import annotations

import json
import os
import pickle
import platform
import sqlite3
import threading
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maieutic.reading import encoder, minilm
from maieutic.reading.store import Store

FOLDER = Path(__file__).parents[1] / ".pytest_cache" / "encoded"
LONGEST = 32
"""Word pieces of a text whose words are kept, 1.5 kB each: longer ones are mostly made up."""
Floats = NDArray[np.float32]


def _name() -> str:
    """Of all that a vector hangs on beside the text and the weights of its top."""
    parts = [encoder.sentence_pin(), *platform.uname(), *map(version, ("onnxruntime", "numpy", "tokenizers"))]
    parts += [Path(str(module.__file__)).read_text(encoding="utf-8") for module in (encoder, minilm)]
    return sha256("\0".join(parts).encode()).hexdigest()[:16]


class Kept:
    """Values by key in a file that the workers of a run share; a process forked from one of them has no part in it."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        for old in path.parent.glob("*.sqlite*"):
            if not old.name.startswith(path.name):
                old.unlink(missing_ok=True)
        self._process, self._lock, self._new = os.getpid(), threading.Lock(), dict[bytes, bytes]()
        self._file = sqlite3.connect(path, timeout=30, check_same_thread=False, isolation_level=None)
        self._file.execute("PRAGMA journal_mode=WAL")
        self._file.execute("PRAGMA synchronous=OFF")
        self._file.execute("CREATE TABLE IF NOT EXISTS made (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
        self.used = True

    def get(self, key: bytes) -> bytes | None:
        """What was made before."""
        if not self.used or os.getpid() != self._process:
            return None
        with self._lock:
            found = self._file.execute("SELECT value FROM made WHERE key = ?", (key,)).fetchone()
            return found[0] if found else self._new.get(key)

    def put(self, key: bytes, value: bytes) -> None:
        """Keeps it, on disk with the next `flush`."""
        if self.used and os.getpid() == self._process:
            with self._lock:
                self._new[key] = value

    def flush(self) -> None:
        """Writes what is new; a file that cannot be written costs time and nothing else."""
        with self._lock, suppress(sqlite3.Error):
            if self._new:
                self._file.execute("BEGIN IMMEDIATE")
                self._file.executemany("INSERT OR IGNORE INTO made VALUES (?, ?)", self._new.items())
                self._file.execute("COMMIT")
                self._new.clear()


class _Shared(Store[str, Any]):
    """What the sentence encoder made of texts, kept in the process and beyond."""

    def __init__(self, room: int, what: str, kept: Kept) -> None:
        super().__init__(room)
        self._what, self._on_disk = what, kept

    def get(self, key: str) -> Any:
        """What is kept, arrays that nobody can write to."""
        found = super().get(key)
        if found is None and (stored := self._on_disk.get(_digest(self._what, key))) is not None:
            size, found = pickle.loads(stored)
            for one in found if isinstance(found, tuple) else (found,):
                if isinstance(one, np.ndarray):
                    one.flags.writeable = False
            super().put(key, found, size)
        return found

    def put(self, key: str, value: Any, size: int = 1) -> None:
        """Keeps it in both."""
        if key not in self and size <= LONGEST:
            self._on_disk.put(_digest(self._what, key), pickle.dumps((size, value), protocol=5))
        super().put(key, value, size)


def _digest(*parts: Hashable) -> bytes:
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).digest()[:20]


@lru_cache(maxsize=64)
def _top(network: encoder.Encoder) -> str:
    """Of all that was noted beside a top's weights: the hashes of its parts and of the body are among it."""
    return sha256(json.dumps(network.facts, sort_keys=True).encode()).hexdigest()


def keep() -> Kept:
    """From here on encoders of this process look for what they made in earlier runs."""
    kept = Kept(FOLDER / f"{_name()}.sqlite")
    minilm._KEPT.vectors = _Shared(minilm.CACHED_TEXTS, "vector", kept)
    minilm._KEPT.words = _Shared(minilm.CACHED_PIECES, "words", kept)
    makes = encoder.Encoder.each

    def each(self: encoder.Encoder, texts: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[list[Floats]]:
        if not kept.used or "sha256" not in self.facts:
            return makes(self, texts)
        keys = [_digest(_top(self), tuple(ids), tuple(kinds)) for ids, kinds in texts]
        found: list[Any] = [None if (stored := kept.get(key)) is None else pickle.loads(stored) for key in keys]
        new = [at for at, one in enumerate(found) if one is None]
        for at, one in zip(new, makes(self, [texts[at] for at in new]), strict=True):
            found[at] = one
            kept.put(keys[at], pickle.dumps(one, protocol=5))
        return found

    encoder.Encoder.each = each  # type: ignore[method-assign]
    return kept


@contextmanager
def anew(kept: Kept) -> Iterator[None]:
    """Encoders encode, whatever was kept on disk or in the process."""
    shared, fresh = minilm._KEPT, minilm._Kept(minilm.CACHED_TEXTS)
    before = {name: getattr(shared, name) for name in ("vectors", "words", "newest")}
    kept.used = False
    try:
        for name in before:
            setattr(shared, name, getattr(fresh, name))
        yield
    finally:
        for name, one in before.items():
            setattr(shared, name, one)
        kept.used = True

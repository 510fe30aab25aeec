"""Sentence vectors on one CPU thread, without torch: those that readers' heads, comprehension and patients share; and
those of texts that come back in every run, kept on disk."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.reading.encoder import sentence_layers, sentence_pin, tokenizer
from maieutic.reading.store import Store

DIMENSIONS = 384
MAX_TOKENS = 128
CACHED_TEXTS: Final = 100_000
CACHED_PIECES: Final = 40_000
"""Word pieces whose vectors are kept, 1.5 kB each: about forty situations with all that their patients can say."""
NEWEST_PIECES: Final = 1_024
"""Word pieces of the newest texts: who asks for the vector of a turn often asks for its words next."""
AT_ONCE: Final = 32
"""Texts that go through the layers together; the states of more would not stay in the processor's cache."""

Vectors = NDArray[np.float32]


States = tuple[list[tuple[int, int]], Vectors]
"""Where each token stands in a text, and what the encoder makes of it, (tokens, 384)."""


class _Kept:
    """Vectors of texts, vectors of the words in texts, and all that is known of the newest."""

    def __init__(self, texts: int) -> None:
        self.vectors: Store[str, Vectors] = Store(texts)
        self.words: Store[str, tuple[tuple[str, ...], Vectors]] = Store(CACHED_PIECES if texts else 0)
        self.newest: Store[str, States] = Store(NEWEST_PIECES if texts else 0)


_KEPT: Final = _Kept(CACHED_TEXTS)


class MiniLM:
    """all-MiniLM-L6-v2 (Wang et al. 2020, MiniLM; sentence-transformers): mean pooling with mask, unit length.

    Its vectors are nearly those of the published graph: 1 less the cosine is 0.00001, so that they move by about 0.004
    (`recipes/sentence_graph.py`).

    Every text is encoded alone, without padding, so the same text has the same vector bit for bit on one machine,
    whatever it is asked together with. Texts asked for at once cost less than one by one, since each layer is fetched
    once for all of them. Text beyond 128 tokens (about 90 words) is cut. An empty text has a vector too, that of the
    two marks around nothing.

    Weights and tokenizer are loaded once a process, at the first text. What was encoded is kept for all encoders of the
    process together, so that a text is encoded once however many readers and patients meet it.

    Attributes:
        name: 'minilm-l6-v2-int8'.
    """

    name = "minilm-l6-v2-int8"

    def __init__(self, *, cached_texts: int | None = None) -> None:
        """Prepare without loading.

        Args:
            cached_texts: For an encoder with a cache of its own: vectors kept, 1.5 kB each and the longest unused
                forgotten first; 0 keeps none.
        """
        self._kept = _KEPT if cached_texts is None else _Kept(cached_texts)

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, (n,) → (n, 384) float32.

        Raises:
            ModelUnavailable: the weights are missing or not the pinned ones.
        """
        found = {text: self._kept.vectors.get(text) for text in texts}
        new = [text for text, vector in found.items() if vector is None]
        for start in range(0, len(new), AT_ONCE):
            together = new[start : start + AT_ONCE]
            for text, (_, hidden) in zip(together, self._states(together), strict=True):
                found[text] = vector = _pooled(hidden)
                self._kept.vectors.put(text, vector)
        return np.array([found[text] for text in texts], dtype=np.float32).reshape(len(texts), DIMENSIONS)

    def words(self, text: str) -> tuple[tuple[str, ...], Vectors]:
        """The word pieces of a text as it writes them, and the unit vector of each in its context, (pieces, 384).

        The vectors are kept and not to be written to.

        Raises:
            ModelUnavailable: the weights are missing or not the pinned ones.
        """
        found = self._kept.words.get(text)
        if found is None:
            [(places, hidden)] = self._states([text])
            self._kept.vectors.put(text, _pooled(hidden))
            pieces = [(i, text[start:end]) for i, (start, end) in enumerate(places) if end > start]
            vectors = hidden[[i for i, _ in pieces]]
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            found = tuple(piece for _, piece in pieces), np.asarray(vectors / lengths, dtype=np.float32)
            found[1].flags.writeable = False
            self._kept.words.put(text, found, max(1, len(pieces)))
        return found

    def within(self, text: str, parts: Sequence[str]) -> list[Vectors | None]:
        """The unit vector of each part of a text in the company of the rest, from one pass over the whole, (384,).

        None for a part that does not lie wholly within the 128 tokens. It is not the vector of the part read alone.

        Args:
            text: The text.
            parts: Sentences of it, in order.

        Raises:
            ModelUnavailable: the weights are missing or not the pinned ones.
        """
        if len(parts) == 1:
            return [self([text])[0]]
        [(places, hidden)] = self._states([text])
        self._kept.vectors.put(text, _pooled(hidden))
        read = max(end for _, end in places)
        found: list[Vectors | None] = []
        at = 0
        for part in parts:
            at = text.index(part, at)
            inside = [n for n, (start, end) in enumerate(places) if at <= start < end <= at + len(part)]
            whole = at + len(part.rstrip()) <= read
            found.append(_pooled(hidden[inside]) if inside and whole else None)
            at += len(part)
        return found

    def _states(self, texts: Sequence[str]) -> list[States]:
        found = {text: self._kept.newest.get(text) for text in texts}
        new = [text for text, states in found.items() if states is None]
        coded = [tokenizer(MAX_TOKENS).encode(text) for text in new]
        for text, one, hidden in zip(new, coded, sentence_layers()([one.ids for one in coded]), strict=True):
            states: States = one.offsets, hidden[0]
            found[text] = states
            self._kept.newest.put(text, states, len(one.ids))
        return [known for text in texts if (known := found[text]) is not None]


@cache
def shared_minilm() -> MiniLM:
    """The encoder that this process's readers share."""
    return MiniLM()


def _pooled(hidden: Vectors) -> Vectors:
    # Without padding the mask is all ones: the masked mean is the mean.
    mean = hidden.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)


FOLDER = Path(".cache") / "maieutic" / "vectors"
"""Below the user's home."""


def kept_vectors(maker: str, texts: Sequence[str], make: Callable[[Sequence[str]], Vectors]) -> Vectors:
    """The vectors of texts as `make` gives them, from the user's cache where they are there.

    Args:
        maker: Names what makes them, with the hash of its weights: another maker's vectors are other files.
        texts: In order.
        make: (n,) → (n, d) float32.
    """
    name = sha256("\0".join((maker, sentence_pin(), *texts)).encode()).hexdigest()[:32]
    try:
        path = Path.home() / FOLDER / f"{name}.npy"
        if path.is_file():
            found: Vectors = np.load(path, allow_pickle=False)
            if len(found) == len(texts):
                return found
    except (OSError, RuntimeError, ValueError):
        return make(texts)
    made = make(texts)
    _write(path, made)
    return made


def _write(path: Path, vectors: Vectors) -> None:
    """Another process may be at it as well: each writes its own file, and the last to end gives it the name."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, written = tempfile.mkstemp(suffix=".npy", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            np.save(file, vectors)
        Path(written).replace(path)
    except OSError:
        return  # a cache that cannot be written costs time and nothing else

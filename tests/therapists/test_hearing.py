"""A patient turn is encoded once: a sentence is read by itself only where a glance says that it may do something."""

from __future__ import annotations

import pytest

from maieutic.language.sentences import sentences
from maieutic.reading.encoder import Encoder, Network
from maieutic.reading.minilm import MiniLM, shared_minilm
from maieutic.safety.encoder import load_encoder
from maieutic.safety.risk import detect
from maieutic.therapists import hearing
from maieutic.therapists.hearing import heard, heard_in


def test_what_a_sentence_does_is_heard_among_others() -> None:
    turn = "My father laughed at dinner. What did I tell you about my sister last week? I served the rice."
    assert [found for _, found in heard_in(turn)] == ["other", "recall", "other"]


def test_a_turn_of_one_sentence_is_read_as_it_is() -> None:
    assert heard_in("Are you a real person?") == (("Are you a real person?", heard("turn", "Are you a real person?")),)


def test_an_empty_turn_is_read_too() -> None:
    assert [text for text, _ in heard_in("")] == [""]


def test_turn_and_sentences_are_read_with_both_encoders_at_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    turn = "My brother sorted old stamps in the shed. I swept around him and hummed."
    load_encoder.cache_clear()
    monkeypatch.setattr(shared_minilm(), "_kept", MiniLM(cached_texts=100)._kept)
    hearing.read_together(turn)
    later: list[object] = []
    monkeypatch.setattr(Encoder, "each", lambda self, texts: later.extend(texts) or [])
    monkeypatch.setattr(Network, "__call__", lambda self, given: later.append(given))
    detect.cache_clear()
    for part in (turn, *sentences(turn)):
        detect(part)
        shared_minilm()([part])
    assert not later


def test_ordinary_sentences_are_not_read_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(hearing, "heard", lambda head, text: read.append(text))
    heard_in.cache_clear()
    heard_in("My father laughed at dinner on Sunday. I served the rice and said nothing. Then I washed the plates.")
    heard_in.cache_clear()
    assert len(read) < 3


def test_parts_beyond_the_longest_text_or_over_its_end_have_no_vector() -> None:
    parts = tuple(f"This is sentence number {n} of a long turn." for n in range(40))
    embed = MiniLM(cached_texts=100)
    vectors = embed.within(" ".join(parts), parts)
    assert vectors[0] is not None
    assert vectors[-1] is None
    read = sum(vector is not None for vector in vectors)
    cut = f"{parts[read]} And it goes on."
    assert [one is None for one in embed.within(" ".join((*parts[:read], cut)), (*parts[:read], cut))] == [
        *[False] * read,
        True,
    ]

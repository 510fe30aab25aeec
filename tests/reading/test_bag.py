"""Words and pairs as features: what is known, what counts, and that a head keeps its vocabulary."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from heads import places, vocabulary_of
from maieutic.reading.bag import bag, grams
from maieutic.reading.head import Head, save, unpacked


def test_words_pairs_and_the_ends_of_a_text_are_grams() -> None:
    assert grams("You’re late?") == {"<", "you're", "late", "?", ">", "< you're", "you're late", "late ?", "? >"}


def test_a_bag_has_unit_length_and_counts_known_words_alone() -> None:
    row = bag("a b z", {"a": 0, "a b": 1, "q": 2})
    assert np.linalg.norm(row) == pytest.approx(1.0)
    assert row[2] == 0.0


def test_a_word_is_known_from_the_third_text_on_however_often_one_text_has_it() -> None:
    known = vocabulary_of([("a a", "a"), ("a b",), ("b a",), ("b",)])
    assert "a" in known
    assert "b" in known
    assert "a a" not in known
    assert places(known)[known[0]] == 0


def test_a_head_keeps_its_vocabulary_in_its_file(tmp_path: Path) -> None:
    plain = Head(("yes", "no"), np.zeros((2, 2)), np.zeros(2))
    save(tmp_path / "heads.npz", bags=replace(plain, vocabulary=("a", "a b")), plain=plain)
    with np.load(tmp_path / "heads.npz") as stored:
        assert unpacked(stored, "bags").vocabulary == ("a", "a b")
        assert unpacked(stored, "plain").vocabulary == ()

"""Vectors kept on disk are those that would be made, and a cache that cannot be used changes nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from maieutic.reading import minilm as kept
from maieutic.reading.minilm import FOLDER, Vectors, kept_vectors


class Maker:
    """Counts how often it is asked."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, texts: object) -> Vectors:
        self.calls += 1
        return np.arange(6, dtype=np.float32).reshape(2, 3) / 7


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_what_was_made_once_is_read_again_bit_for_bit() -> None:
    make = Maker()
    first, second = (kept_vectors("a", ["x", "y"], make) for _ in range(2))
    assert make.calls == 1
    assert np.array_equal(first, second)
    assert second.dtype == np.float32


def test_other_texts_and_other_makers_are_other_files() -> None:
    make = Maker()
    kept_vectors("a", ["x", "y"], make)
    kept_vectors("b", ["x", "y"], make)
    kept_vectors("a", ["x", "z"], make)
    assert make.calls == 3


def test_vectors_by_other_steps_of_the_sentence_encoder_are_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Maker()
    kept_vectors("a", ["x", "y"], make)
    monkeypatch.setattr(kept, "sentence_pin", lambda: "0" * 64)
    kept_vectors("a", ["x", "y"], make)
    assert make.calls == 2


def test_a_broken_file_or_a_folder_that_cannot_be_written_changes_nothing(home: Path) -> None:
    make = Maker()
    kept_vectors("a", ["x", "y"], make)
    next((home / FOLDER).iterdir()).write_bytes(b"no array")
    assert len(kept_vectors("a", ["x", "y"], make)) == 2
    (home / "file").write_text("")
    blocked = kept_vectors("c", ["x", "y"], make)
    assert len(blocked) == 2


def test_a_home_that_is_a_file_is_no_reason_to_fail(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "file").write_text("")
    monkeypatch.setenv("HOME", str(home / "file"))
    assert len(kept_vectors("a", ["x", "y"], Maker())) == 2

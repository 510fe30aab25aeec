"""Without the extra `train`, its commands say what to install, and what was never trained cannot be played."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import maieutic
from maieutic.models import trained


def test_a_missing_extra_is_one_line_with_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trained, "EXTRA", ("no_such_torch",))
    for method in ("sft", "dpo"):
        done = maieutic("train", method, "--data", "anything", cwd=tmp_path)
        assert done.returncode == 2 and done.stderr.strip().count("\n") == 0
        assert "no_such_torch is not installed: pip install 'maieutic[train]'" in " ".join(done.stderr.split())


def test_a_folder_that_holds_no_trained_model_is_named(tmp_path: Path) -> None:
    done = maieutic("evaluate", "--therapist", "trained:here", cwd=tmp_path)
    assert done.returncode == 2 and "here has no model_card.json" in done.stderr

"""The adapter that comes with the package: whole, named by its hash, and known for the cases that it was trained on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from maieutic.domain.episode import EpisodeKey
from maieutic.errors import UnreadableFile
from maieutic.evaluation.evaluate import DEFAULT_ARMS, Request, make_plan
from maieutic.library import select_cases
from maieutic.models.trained import PACKAGED_FOLDER, make_trained, read_card


def test_the_packaged_adapter_is_whole_and_among_the_arms_of_the_first_run() -> None:
    model = make_trained("trained:embedded")
    assert model.name.startswith("embedded@") and model.reply_tokens == 72  # type: ignore[union-attr]
    assert "trained:embedded" in DEFAULT_ARMS


def test_it_learned_from_no_test_case_no_accurate_thought_and_no_risk() -> None:
    cases = set(read_card(PACKAGED_FOLDER)["data"]["cases"])
    assert make_trained("trained:embedded").learned_from == cases
    assert cases <= {case.id for case in select_cases(split="dev") if case.special is None}


def test_an_adapter_that_is_not_its_cards_is_refused(tmp_path: Path) -> None:
    folder = shutil.copytree(PACKAGED_FOLDER, tmp_path / "mine")
    (folder / "adapter.gguf").write_bytes(b"GGUF")
    with pytest.raises(UnreadableFile, match="train again"):
        make_trained(f"trained:{folder}")


def test_a_run_knows_which_cases_its_arms_were_trained_on() -> None:
    plan = make_plan(Request(("trained:embedded", "wide"), ("gethin", "damilola-fashola"), 1, 2))
    marks = {key: plan.provenance(key)["learned_from"] for key in plan.grid()}
    assert [key for key, mark in marks.items() if mark] == [EpisodeKey("trained:embedded", "gethin", 0)]

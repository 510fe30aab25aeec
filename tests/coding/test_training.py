"""The recipe on the research data: packaged vocabularies are what may be shipped, and a fold learns what it should."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from maieutic.coding.embedded import weights_file
from maieutic.coding.heads import load_head

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        not (DATA / "annomi").is_dir(), reason="the research data is not at ../shared/data; see recipes/train_coder.py"
    ),
]


@pytest.fixture(autouse=True)
def _recipes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "recipes"))
    for name in ("train_coder", "coder_examples", "coder_figures"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("speaker", "floor"), [("therapist", 0.6), ("client", 0.42)])
def test_a_fold_without_its_videos_is_far_above_the_majority(speaker: str, floor: float) -> None:
    from coder_examples import read_annomi
    from coder_figures import macro_f1
    from train_coder import fit, folds

    examples = read_annomi(DATA, speaker, "written")
    training, test = folds(examples, 7, multi_label=False)[0]
    assert not {examples[at].group for at in training} & {examples[at].group for at in test}
    head = fit("annomi", speaker, "written", [examples[at] for at in training])
    scores = head.scores([examples[at].row for at in test])
    gold = np.array([examples[at].gold for at in test])
    majority = np.zeros_like(gold)
    majority[:, gold.sum(0).argmax()] = 1
    reached = macro_f1(gold, scores == scores.max(1, keepdims=True))
    assert reached > floor > macro_f1(gold, majority) + 0.1


@pytest.mark.parametrize("speaker", ["therapist", "client"])
def test_packaged_grams_occur_in_five_sessions(speaker: str) -> None:
    from coder_examples import read_annomi

    for style in ("written", "bare"):
        examples = read_annomi(DATA, speaker, style)  # type: ignore[arg-type]
        for space in load_head(weights_file("annomi", speaker, style)).basis.spaces:
            sessions: dict[str, set[str]] = {gram: set() for gram in space.vocabulary}
            for example in examples:
                for gram in getattr(example.row, space.part):
                    if gram in sessions:
                        sessions[gram].add(example.session)
            assert min(len(found) for found in sessions.values()) >= 5

"""The recipe of the coder: folds keep groups together, and a head learns from some videos what holds in others."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maieutic.coding.encoder import pair_ids
from maieutic.coding.features import Said, row
from maieutic.coding.head_plan import PLANS, plan
from maieutic.reading.encoder import tokenizer
from maieutic.validation.coder.figures import macro_f1, majority

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
RECIPES = ROOT / "recipes"


@pytest.fixture(autouse=True)
def _recipes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(RECIPES))
    for name in ("train_coder", "coder_examples", "coder_folds", "coder_marks", "coder_store"):
        sys.modules.pop(name, None)


@given(st.lists(st.sampled_from("abcdefghijklmnop"), min_size=5, max_size=200), st.integers(0, 9))
def test_folds_keep_groups_together(groups: list[str], seed: int) -> None:
    sys.path.insert(0, str(RECIPES))
    from coder_folds import folds

    found = folds(groups, seed)
    by_group = {group: {fold for one, fold in zip(groups, found, strict=True) if one == group} for group in groups}
    assert all(len(which) == 1 for which in by_group.values())
    assert found == folds(groups, seed)


def test_folds_are_of_like_size_and_differ_by_seed() -> None:
    from coder_folds import folds

    groups = [f"g{at // 7}" for at in range(700)]
    sizes = Counter(folds(groups, 0))
    assert set(sizes) == set(range(5)) and max(sizes.values()) - min(sizes.values()) <= 7
    assert folds(groups, 0) != folds(groups, 1)


def test_as_many_folds_as_groups_leaves_out_one_group_each() -> None:
    from coder_folds import folds

    groups = list("aaabbbbccd")
    assert len(set(folds(groups, 0, 4))) == 4


def test_every_plan_names_its_human_codes() -> None:
    from maieutic.validation.coder.datasets import files, heads

    assert {one.id for one in PLANS} == set(heads())
    assert all(files(one.id) for one in PLANS)


def test_a_head_learns_the_word_that_decides_and_no_name() -> None:
    from coder_examples import Example
    from train_coder import fit, inputs

    def example(at: int, text: str, *flags: int) -> Example:
        said = Said(text, "", "", (), 0)
        return Example(f"r{at}", f"g{at}", f"g{at}", said, row(said), (), flags)

    asked = [example(at, f"what happened then, anna, at {at} o'clock", 1, 0) for at in range(20)]
    told = [example(at, f"you felt alone, anna, at {at} o'clock", 0, 1) for at in range(20, 40)]
    head = fit(plan("annomi_question_form"), "written", ("open", "closed"), asked + told, {"anna"})
    assert not any("anna" in gram.split() for space in head.basis.spaces for gram in space.vocabulary)
    new = [example(90, "what happened after that", 1, 0), example(91, "you felt left out", 0, 1)]
    assert head.scores(*inputs(new)).argmax(1).tolist() == [0, 1]


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "annomi").is_dir(), reason="the research data is not at ../shared/data")
@pytest.mark.parametrize(("head", "floor"), [("annomi_therapist", 0.6), ("annomi_client", 0.42)])
def test_a_fold_without_its_videos_is_far_above_the_majority(head: str, floor: float) -> None:
    from train_coder import fit, folds, inputs, proper_names, read

    examples, labels = read(plan(head), "written", DATA, accurate=False)
    examples = [one for one in examples if not one.only_training]
    fold = np.array(folds([one.group for one in examples], 7))
    training = [one for one, where in zip(examples, fold, strict=True) if where != 0]
    test = [one for one, where in zip(examples, fold, strict=True) if where == 0]
    assert not {one.group for one in training} & {one.group for one in test}
    fitted = fit(plan(head), "written", labels, training, proper_names([one.said.text for one in training]))
    scores = fitted.scores(*inputs(test))
    gold = np.array([one.flags for one in test], dtype=bool)
    reached = macro_f1(gold, scores == scores.max(1, keepdims=True))
    assert reached > floor > macro_f1(gold, majority(gold)) + 0.1


def test_marked_passages_are_brought_to_the_tokens_of_an_input() -> None:
    from coder_marks import NOT_KNOWN, token_marks

    tokens = tokenizer()
    text = "That is hard. What did she say? I hope it gets easier."
    ids, kinds = pair_ids(text, before="She left me.", after="Nothing.")

    def marked(*passages: str, absent: bool = False) -> list[str]:
        found = token_marks(tokens, text, passages, kinds, absent=absent)
        assert len(found) == len(ids)
        assert all(one == NOT_KNOWN for one, kind in zip(found, kinds, strict=True) if kind == 0)
        return [tokens.id_to_token(at) for at, one in zip(ids, found, strict=True) if one == 1]

    assert marked("What did she say?") == ["what", "did", "she", "say", "?"]
    assert marked("That is", "easier.") == ["that", "is", "easier", "."]
    assert marked(absent=True) == []
    assert set(token_marks(tokens, text, ("not in it",), kinds, absent=False)) == {NOT_KNOWN}
    long = " ".join(["well"] * 200) + " why?"
    ids, kinds = pair_ids(long)
    assert sum(one == 1 for one in token_marks(tokens, long, ("why?",), kinds, absent=False)) == 2


@pytest.mark.skipif(not (DATA / "epitome").is_dir(), reason="needs ../shared/data")
def test_epitome_brings_what_was_marked() -> None:
    from maieutic.validation.coder.datasets import gold

    rows = gold("epitome_ex", DATA)
    found = [one for one in rows if one.marked]
    assert {one.labels[0] for one in found} == {"1", "2"} and len(found) > 300
    assert sum(all(part in one.text for part in one.marked) for one in found) > 0.95 * len(found)

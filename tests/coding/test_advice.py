"""Plain advice in talks by two hands that nothing was fitted on: it is found, and hearing it costs no other code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from maieutic.coding.embedded import EmbeddedCoder, Tier
from maieutic.coding.head_coder import COLUMNS, Advised, heard_columns
from maieutic.reading.encoder import Encoder
from maieutic.transcripts.utterance import Utterance

HELD_OUT = [
    json.loads(line)
    for name in ("advice_heldout.jsonl", "advice_heldout_b.jsonl")
    for line in (Path(__file__).parent / "data" / name).read_text(encoding="utf-8").splitlines()
]
FOUND = {"fast": 0.8, "accurate": 0.85}
"""Floors below what is measured (76 and 81 of 87), so that a change of a turn or two is no failure."""


@pytest.fixture(scope="module", autouse=True)
def read_once() -> Iterator[None]:
    """Coders that hear advice and coders that do not read the same turns by the same encoder."""
    read = Encoder.__call__
    kept = cache(lambda encoder, ids, kinds: read(encoder, ids, kinds))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            Encoder,
            "__call__",
            lambda one, ids, kinds=None: kept(one, tuple(ids), None if kinds is None else tuple(kinds)),
        )
        yield


def labels(coder: EmbeddedCoder) -> list[str]:
    found = []
    for _, talk in groupby(HELD_OUT, key=lambda one: one["talk"]):
        lines = list(talk)
        said = [
            one for line in lines for one in (Utterance("client", line["before"]), Utterance("therapist", line["text"]))
        ]
        found += [coding.predicted[0] for coding in coder.predict(said)[1::2]]
    return found


@pytest.mark.parametrize("tier", ["fast", pytest.param("accurate", marks=pytest.mark.slow)])
def test_advice_is_found_and_no_other_code_is_lost_by_it(tier: Tier) -> None:
    before, after = labels(EmbeddedCoder("annomi", tier)), labels(EmbeddedCoder("annomi", tier, hears=True))
    truth, advises = [one["label"] for one in HELD_OUT], [one["advice"] for one in HELD_OUT]
    told = [label == "therapist_input" for label, is_advice in zip(after, advises, strict=True) if is_advice]
    assert np.mean(told) >= FOUND[tier]
    assert np.mean(np.array(after) == truth) >= np.mean(np.array(before) == truth)


def test_what_is_heard_moves_only_what_the_numbers_say() -> None:
    columns = heard_columns(["You should ring her. It helps.", "", "What happened then?"])
    assert columns.shape == (3, len(COLUMNS)) and not columns[1].any()
    assert columns[0, 0] > 0 > columns[2, 0] and columns[0, 0] >= columns[0, 1]
    as_it_was = Advised(("a", "b"), 1.0, ((0.0, 0.0),) * len(COLUMNS), (0.0, 0.0))
    before = np.array([[0.3, 0.7]] * 3)
    assert np.allclose(as_it_was.probabilities(before, columns), before)
    assert Advised.of(json.loads(json.dumps(as_it_was.table()))) == as_it_was


def test_hearing_changes_what_codes_may_be_mixed() -> None:
    assert EmbeddedCoder("annomi", "fast").weights_hash != EmbeddedCoder("annomi", "fast", hears=True).weights_hash

"""What the encoder reads: the end of the turn before, and the head and tail of the utterance."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maieutic.coding.encoder import MAX_AFTER, MAX_BEFORE, MAX_OWN, pair_ids
from maieutic.reading.encoder import tokenizer

TOKENS = tokenizer()


def test_the_two_parts_are_told_apart() -> None:
    ids, kinds = pair_ids("What then?", "I fell.")
    assert TOKENS.decode(ids, skip_special_tokens=False) == "[CLS] i fell. [SEP] what then? [SEP]"
    assert kinds == (0,) * (ids.index(TOKENS.token_to_id("[SEP]")) + 1) + (1,) * 4


def test_the_answer_comes_last_and_counts_as_context() -> None:
    ids, kinds = pair_ids("What then?", "I fell.", "I got up. " * 20)
    assert TOKENS.decode(ids, skip_special_tokens=False).startswith("[CLS] i fell. [SEP] what then? [SEP] i got up. ")
    assert (sum(kinds), kinds[-1], len(ids)) == (
        4,
        0,
        len(pair_ids("What then?", "I fell.")[0]) + MAX_AFTER + 1,
    )


def test_a_long_utterance_keeps_its_question_at_the_end() -> None:
    ids, _ = pair_ids("well " * 300 + "how was it", "blah " * 300 + "she left")
    read = TOKENS.decode(ids)
    assert read.endswith("how was it") and "she left" in read and read.startswith("blah")


@given(*(st.text(max_size=400) for _ in range(3)))
@pytest.mark.filterwarnings("ignore")
def test_length_is_bounded_and_both_tuples_agree(text: str, before: str, after: str) -> None:
    ids, kinds = pair_ids(text, before, after)
    assert len(ids) == len(kinds) <= MAX_BEFORE + MAX_OWN + MAX_AFTER + 4
    assert kinds == tuple(sorted(kinds[: kinds.index(1) + sum(kinds)])) + (0,) * (
        len(kinds) - kinds.index(1) - sum(kinds)
    )

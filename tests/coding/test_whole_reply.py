"""A reply read whole, alone or behind the loaded turn: what is kept where they are long, and that the item counts."""

from __future__ import annotations

import numpy as np

from maieutic.coding.features import Said
from maieutic.coding.head_plan import REPLY_ENCODER
from maieutic.coding.whole_reply import (
    MAX_REPLY,
    MAX_TOKENS,
    alone_ids,
    conclusion_lead,
    pair_ids,
    stance_columns,
    stance_scores,
)
from maieutic.reading.encoder import load, tokenizer

LOADED = "She's cancelled again. Since she wants me gone, do I hand in my notice this week?"
BELIEF = "your boss wants you gone"


def test_the_belief_stands_first_as_a_therapist_would_say_it() -> None:
    ids, kinds = pair_ids("It doesn't follow.", LOADED, BELIEF)
    assert tokenizer().decode(list(ids), skip_special_tokens=True).startswith("your boss wants you gone.")
    told = [one for one, kind in zip(ids, kinds, strict=True) if kind]
    assert tokenizer().decode(told, skip_special_tokens=True) == "it doesn ' t follow."


def test_a_long_reply_keeps_head_and_tail_and_a_long_talk_its_end() -> None:
    reply = "First of all, " + "and so on, " * 200 + "and that was the last."
    ids, kinds = pair_ids(reply, LOADED * 20, BELIEF, "Say yes or no.")
    assert len(ids) == len(kinds) <= MAX_TOKENS and sum(kinds) == MAX_REPLY + 1
    text = tokenizer().decode(list(ids), skip_special_tokens=True)
    assert "first of all" in text and "that was the last" in text and "say yes or no" in text


def test_scores_are_log_chances_and_rest_on_the_item() -> None:
    own = stance_scores(
        "You won't be alone for ever.", "How do I live, since I'll be alone for ever?", "you'll be alone for ever"
    )
    other = stance_scores("You won't be alone for ever.", LOADED, BELIEF)
    assert abs(np.exp(own).sum() - 1.0) < 1e-9
    assert not np.allclose(own, other)


def test_whether_a_reply_concludes_is_read_with_nothing_before_it() -> None:
    ids, kinds = alone_ids("Ring her tonight.")
    assert tokenizer().decode(list(ids), skip_special_tokens=True) == "ring her tonight."
    assert kinds[:2] == (0, 0) and set(kinds[2:]) == {1}
    told = "**Next step:** ring her tonight, and ask your doctor about the tablets."
    asked = "What happened on the night when you last rang her?"
    assert conclusion_lead(told) > 1 > -1 > conclusion_lead(asked)


def test_columns_of_many_replies_are_those_of_each() -> None:
    replies = ("It doesn't follow from one evening.", "Then hand it in on Monday.")
    columns = stance_columns([Said(text, LOADED) for text in replies])
    assert columns.shape == (2, 9) and np.allclose(columns[:, 4:8].sum(axis=1), 1.0)
    for text, row in zip(replies, columns, strict=True):
        assert np.allclose(row[:4], stance_scores(text, LOADED)) and np.allclose(np.exp(row[:4]), row[4:8])
    assert columns[1, 6] > columns[0, 6]


def test_the_last_column_is_concluding_as_read_after_the_turn_before() -> None:
    replies = ("It's fear of being left, and that explains all of it.", "What happened then?")
    concluding = stance_columns([Said(text, LOADED) for text in replies])[:, 8]
    read = [load(REPLY_ENCODER)(*pair_ids(text, LOADED))[0] for text in replies]
    assert np.allclose(concluding, [scores[5] - scores[4] for scores in read])
    assert concluding[0] > 0 > concluding[1]

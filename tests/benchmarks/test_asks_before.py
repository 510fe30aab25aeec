"""E1's training text: no item that it is measured on is in it, and what is told is never asked for."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from benchmark_modules import benchmark
from maieutic.gap.asks_first.family import items

asks_before = benchmark("asks_before")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def talks() -> list[dict]:
    return asks_before.talks(0)


@pytest.mark.full
def test_no_opening_that_is_measured_is_learned_from(talks: list[dict]) -> None:
    def pieces(text: str) -> set[tuple[str, ...]]:
        words = text.lower().split()
        return {tuple(words[n : n + 9]) for n in range(len(words) - 8)}

    learned = set().union(*(pieces(m["content"]) for talk in talks for m in talk["messages"]))
    found = asks_before.openings()
    assert len(found) == 95 and {one.item.slot for one in found} == {item.slot for item in items()}
    shared = [one.item.id for one in found if pieces(one.whole or one.item.complete) & learned]
    assert shared == []


@pytest.mark.full
def test_talks_take_turns_under_one_prompt_and_ask_only_while_something_is_missing(talks: list[dict]) -> None:
    bank = json.loads((asks_before.DATA / "asks_first_bank.json").read_text(encoding="utf-8"))
    told = {sentence for slot in asks_before.LATER for sentence in bank[slot]["told"]}
    asking = giving_back = 0
    for talk in talks:
        roles = [m["role"] for m in talk["messages"]]
        assert roles[:2] == ["system", "user"] and roles[-1] == "assistant"
        assert all(a != b for a, b in pairwise(roles))
        opening, reply = talk["messages"][1]["content"], talk["messages"][2]["content"]
        if sum(sentence in opening for sentence in told) >= len(asks_before.LATER) - 1:
            assert "?" not in reply
            giving_back += 1
        else:
            asking += "?" in reply
    assert asking > 300 and giving_back > 200


def test_a_target_is_a_share_over_openings_and_what_is_unusable_is_counted_apart() -> None:
    rows = [
        {
            "id": "a",
            "slot": "thought",
            "origin": "battery",
            "version": "removed",
            "right": True,
            "premature": False,
            "asked": True,
        },
        {
            "id": "a",
            "slot": "thought",
            "origin": "battery",
            "version": "removed",
            "right": False,
            "premature": True,
            "asked": False,
        },
        {"id": "b", "slot": "safety", "origin": "battery", "version": "removed", "unusable": True},
        {"id": "b", "slot": "safety", "origin": "battery", "version": "complete", "asked": True, "again": True},
    ]
    found = asks_before.figures(rows, "battery")
    assert found["right"]["value"] == 0.5 and found["right"]["openings"] == 1 and found["right"]["unusable"] == 1
    # To go on asking after danger that was told is right.
    assert found["again"]["value"] is None and found["complete"]["value"] == 1.0
    assert found["nothing"]["value"] is None

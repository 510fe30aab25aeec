"""Conversations are divided evenly among copies, and one that goes on stays where its beginning is known."""

from __future__ import annotations

from contextlib import ExitStack

from maieutic.models.llama_runtime import WORTH_WAITING, Placing

OPENING = [{"role": "system", "content": "prompt"}, {"role": "user", "content": "I failed."}]


def _longer(reply: str) -> list[dict[str, str]]:
    return [*OPENING, {"role": "assistant", "content": reply}, {"role": "user", "content": "Yes."}]


def test_conversations_with_one_opening_are_divided_evenly() -> None:
    placing = Placing(2)
    with ExitStack() as busy:
        assert [busy.enter_context(placing.place(OPENING)) for _ in range(4)] == [0, 1, 0, 1]


def test_a_conversation_that_goes_on_stays_where_its_beginning_is_known() -> None:
    placing = Placing(2)
    with placing.place(OPENING) as elsewhere, placing.place(_longer("What happened?")) as home:
        assert home != elsewhere
    longer = [*_longer("What happened?"), {"role": "assistant", "content": "And then?"}]
    with placing.place(longer) as again:
        assert again == home


def test_nobody_waits_long_for_a_known_beginning() -> None:
    placing = Placing(2)
    with ExitStack() as busy:
        at = [busy.enter_context(placing.place(_longer("What happened?"))) for _ in range(6)]
    assert abs(at.count(0) - at.count(1)) <= WORTH_WAITING + 1


def test_a_call_that_fails_leaves_its_place() -> None:
    placing = Placing(2)
    try:
        with placing.place(OPENING):
            raise ValueError
    except ValueError:
        pass
    with placing.place(OPENING) as first:
        assert first == 0

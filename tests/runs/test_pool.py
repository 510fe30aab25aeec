"""What every long run shares: so many things at once, a budget, and what Ctrl-C leaves."""

from __future__ import annotations

import asyncio

import pytest

from maieutic.domain.episode import Usage
from maieutic.errors import BudgetReached, Interrupted
from maieutic.runs.work import Budget, pooled, stoppable


@pytest.mark.parametrize("at_once", [0, 1, 3, 50])
def test_results_come_in_order_and_no_more_than_asked_are_under_way(at_once: int) -> None:
    under_way = most = 0

    async def one(number: int) -> int:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.001 * (7 - number))
        under_way -= 1
        return number * number

    assert asyncio.run(pooled(one, range(7), at_once)) == [0, 1, 4, 9, 16, 25, 36]
    assert most == min(7, max(1, at_once))


def test_the_first_exception_stops_all_and_leaves_nothing_under_way() -> None:
    begun, ended = list[int](), list[int]()

    async def one(number: int) -> None:
        begun.append(number)
        try:
            await asyncio.sleep(0 if number == 1 else 10)
            raise ValueError(number)
        finally:
            ended.append(number)

    with pytest.raises(ValueError, match="1"):
        asyncio.run(pooled(one, range(9), 3))
    assert sorted(begun) == sorted(ended) == [0, 1, 2]


def test_what_is_under_way_when_a_budget_is_used_up_is_paid_for_and_heard() -> None:
    calls, heard = Budget(max_calls=2), list[int]()

    async def one(number: int) -> None:
        calls.take()
        await asyncio.sleep(0.01)
        heard.append(number)

    with pytest.raises(BudgetReached):
        asyncio.run(pooled(one, range(9), 3))
    assert sorted(heard) == [0, 1]


def test_a_budget_stops_before_a_call_too_many_and_after_what_was_used() -> None:
    calls = Budget(max_calls=2)
    calls.take()
    calls.take()
    with pytest.raises(BudgetReached, match=r"--max-calls 2 is used up; add --resume"):
        calls.take()
    assert calls.calls == 2
    money = Budget(max_cost=0.5, prices=(1.0, 2.0))
    money.count(None)
    money.count(Usage(1, 100_000, 100_000))
    with pytest.raises(BudgetReached, match=r"--max-cost 0\.5 is used up"):
        money.count(Usage(1, 200_000, None))
    assert (money.calls, money.cost) == (2, pytest.approx(0.5))


def test_ctrl_c_is_told_with_what_is_kept_and_nothing_else_is_touched() -> None:
    with pytest.raises(Interrupted, match=r"^interrupted\. Three are kept$"), stoppable(lambda: ". Three are kept"):
        raise KeyboardInterrupt
    with pytest.raises(ValueError, match="mine"), stoppable(str):
        raise ValueError("mine")

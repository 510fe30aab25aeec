"""Equal failures in a row end the asking; different ones, and those between replies, do not."""

from __future__ import annotations

from maieutic.evaluation.run import AFTER_SOME, BEFORE_ANY, EarlyStop


def test_equal_failures_before_anything_came_stop_soon() -> None:
    stop = EarlyStop()
    for attempt in range(BEFORE_ANY):
        assert stop.stopped is None
        stop.failed(f"the server answered 500: out of cheese, attempt {attempt}")
    assert stop.stopped is not None and "out of cheese" in stop.stopped


def test_different_failures_do_not_stop() -> None:
    stop = EarlyStop()
    for number in range(3 * BEFORE_ANY):
        stop.failed("busy" if number % 2 else "no reply")
    assert stop.stopped is None


def test_once_something_came_more_patience_is_had() -> None:
    stop = EarlyStop()
    stop.worked()
    for _ in range(AFTER_SOME - 1):
        stop.failed("busy")
    assert stop.stopped is None
    stop.failed("busy")
    assert stop.stopped is not None

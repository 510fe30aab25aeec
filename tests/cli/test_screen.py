"""The time left that is told where no bar can be drawn."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from rich.console import Console

from maieutic.cli import screen


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> tuple[list[float], StringIO]:
    now, lines = [0.0], StringIO()
    monkeypatch.setattr(screen, "messages", lambda: Console(file=lines, width=120))
    monkeypatch.setattr(screen.time, "monotonic", lambda: now[0])
    return now, lines


def test_what_a_resumed_run_reads_back_does_not_count_for_long(told: tuple[list[float], StringIO]) -> None:
    now, lines = told
    with screen.watched("replies") as tell:
        tell(0, 4_000, "model")
        for second, done in ((11, 1_500), *((20 + 10 * step, 1_500 + 10 * step) for step in range(60))):
            now[0] = float(second)
            tell(done, 4_000, "model")
    left = [int(found) for found in re.findall(r"about (\d+) s left", lines.getvalue())]
    assert left[0] < 30  # nothing better is known yet
    assert left[-1] == 4_000 - 2_090  # one reply a second


def test_a_standstill_is_no_error(told: tuple[list[float], StringIO]) -> None:
    now, lines = told
    with screen.watched("replies") as tell:
        for second in range(0, 2_000, 50):
            now[0] = float(second)
            tell(3, 10, "model")
    assert lines.getvalue() == ""


def test_a_known_number_of_things_is_told_at_the_pace_of_the_last_minutes(told: tuple[list[float], StringIO]) -> None:
    now, lines = told
    with screen.counted("sessions", 1_000) as tick:
        tick(400)  # kept from before
        for second in range(10, 600, 10):
            now[0] = float(second)
            tick(5)
    left = [int(found) for found in re.findall(r"about (\d+) s left", lines.getvalue())]
    assert left[0] < 30
    assert left[-1] == (1_000 - 400 - 5 * 59) * 2  # half a session a second


def test_a_long_name_does_not_break_the_line(told: tuple[list[float], StringIO]) -> None:
    now, lines = told
    with screen.watched("replies") as tell:
        for second in (0.0, 11.0):
            now[0] = second
            tell(int(second), 20, "prompted:gguf:" + "folder/" * 20 + "model.gguf")
    assert lines.getvalue().count("\n") == 1
    assert lines.getvalue().rstrip().endswith("model.gguf)")

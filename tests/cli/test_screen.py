"""The time left that is told where no bar can be drawn."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from maieutic.cli import screen
from maieutic.dialogue import Event
from maieutic.domain.episode import EpisodeKey, Turn
from maieutic.errors import Interrupted
from maieutic.gap.run import Ticker


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> tuple[list[float], StringIO]:
    now, lines = [0.0], StringIO()
    monkeypatch.setattr(screen, "messages", lambda: Console(file=lines, width=120))
    monkeypatch.setattr(screen.time, "monotonic", lambda: now[0])
    return now, lines


def test_what_a_resumed_run_reads_back_does_not_count(told: tuple[list[float], StringIO]) -> None:
    now, lines = told
    with screen.watched("replies") as tell:
        now[0] = 11.0  # read back meanwhile
        tick = Ticker(tell, 4_000, "model", 1_500)
        for done in range(1, 2_091):
            now[0] += 1.0 if done > 1_500 else 0.0  # one reply a second
            tick()
    left = [int(found) for found in re.findall(r"about (\d+) s left", lines.getvalue())]
    assert left[0] == 4_000 - 1_503, "the first line, after three seconds, has the time left, and the right one"
    assert left[-1] == pytest.approx(4_000 - 2_090, abs=10)


def test_what_is_loaded_at_the_start_is_not_waited_for_at_every_step(told: tuple[list[float], StringIO]) -> None:
    now, lines = told
    with screen.watched("replies") as tell:
        tell(0, 144, "model")
        for done in range(1, 30):
            now[0] = 6.0 + 0.5 * done  # six seconds of loading, then two replies a second
            tell(done, 144, "model")
    left = [int(found) for found in re.findall(r"about (\d+) s left", lines.getvalue())]
    assert left[0] == pytest.approx((144 - 7) / 2, abs=1) and len(left) == 2


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
    assert left[0] == (1_000 - 400 - 5) * 2
    assert left[-1] == (1_000 - 400 - 5 * 59) * 2  # half a session a second


def test_arms_that_are_played_together_are_told_of_in_one_line(told: tuple[list[float], StringIO]) -> None:
    now, lines = told
    with screen.run_progress({"first": 300, "second": 300, "third": 600}, {}) as watch:

        def say(arm: str, second: float) -> None:
            now[0] = second
            watch(Event(EpisodeKey(arm, "gethin", 0), 1, Turn("therapist", "And then?"), None))

        for step in range(300):  # one turn of each a second
            say("first", step)
            say("second", step + 0.5)
        for step in range(100):
            say("third", 320.0 + step)
    told_of = [line.split(":")[0] for line in lines.getvalue().splitlines()]
    assert set(told_of) == {"2 arms", "third"} and told_of.count("2 arms") > 20
    pairs = re.findall(r"^2 arms: (\d+)/600 turns, about (\d+) s left, then 1 more arm$", lines.getvalue(), re.M)
    assert len(pairs) == told_of.count("2 arms")
    assert all(int(left) == pytest.approx((600 - int(count)) / 2, rel=0.2) for count, left in pairs)


def test_a_long_name_does_not_break_the_line(told: tuple[list[float], StringIO]) -> None:
    now, lines = told
    with screen.watched("replies") as tell:
        for second in (0.0, 11.0):
            now[0] = second
            tell(int(second), 20, "prompted:gguf:" + "folder/" * 20 + "model.gguf")
    assert lines.getvalue().count("\n") == 1
    assert lines.getvalue().rstrip().endswith("model.gguf)")


@pytest.mark.parametrize(
    ("files", "says", "stays"),
    [
        ({"manifest.json": "{}", "journal/0001.jsonl": ""}, "before anything was said. Nothing was kept", False),
        ({"manifest.json": "{}", ".DS_Store": "x", "look_ahead.jsonl": ""}, "Nothing was kept", False),
        ({"manifest.json": "{}", "notes.txt": "mine"}, "before anything was said. Go on with: run it", True),
        ({"manifest.json": "{}", "journal/0001.jsonl": "{}\n"}, "Everything said so far is kept", True),
        ({"manifest.json": "{}", "replies.jsonl": "{}\n"}, "Everything said so far is kept", True),
    ],
)
def test_what_a_stop_says_is_kept_is_what_is_in_the_folder(
    tmp_path: Path, files: dict[str, str], says: str, stays: bool
) -> None:
    run = tmp_path / "run"
    for name, text in files.items():
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        (run / name).write_text(text)
    with (
        pytest.raises(Interrupted, match=re.escape(says)),
        screen.going_on_named("run it", run, resume=False),
    ):
        raise KeyboardInterrupt
    assert run.exists() is stays

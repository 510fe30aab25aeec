"""kill -9 at three random moments of each long command: it goes on, nothing is lost, and nothing is there twice."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest

from endpoints import serving
from fake_server import Faults

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
PATIENCE = 120.0
START = (
    "from maieutic.scoring.coding_run import output; output.PIECE_ROWS = 50\n"
    "from maieutic.__main__ import start; start()\n"
)
"""The command, with pieces so small that a file of a few hundred rows has several."""


@dataclass(frozen=True, slots=True)
class Command:
    """A long command, and where it keeps what it has done.

    Attributes:
        words: The command line; {url} is a model.
        journal: Which files are its journal.
        name: The field that names what a line is about; "" for the whole line.
        results: Files that must be the same bytes as of a run that nobody killed.
        resume: What is added to go on.
    """

    words: tuple[str, ...]
    journal: str
    name: str
    results: tuple[str, ...]
    resume: tuple[str, ...] = ("--resume",)

    def lines(self, folder: Path) -> list[bytes]:
        """All whole lines of the journal."""
        found = [path.read_bytes() for path in sorted(folder.glob(self.journal))]
        return [line for content in found for line in content[: content.rfind(b"\n") + 1].splitlines()]

    def names(self, lines: list[bytes]) -> list[str]:
        """What each line is about."""
        return [str(orjson.loads(line).get(self.name, line)) for line in lines]


COMMANDS = {
    "score": Command(
        ("score", "in.csv", "--out", "out"), "out/journal/sessions.jsonl", "",
        ("out/scores.csv", "out/scores.json", "out/turns.parquet"),
    ),
    "code": Command(
        ("code", "in.csv", "--scheme", "annomi", "--fast", "--out", "out.csv"), ".out.csv.unfinished/progress.jsonl",
        "rows", ("out.csv",), (),
    ),
    "judge": Command(
        ("code", "few.csv", "--scheme", "annomi", "--coder", "{url}#m", "--out", "out.csv"), ".out.csv.answers.jsonl",
        "key", ("out.csv",), (),
    ),
    "gap": Command(
        ("gap", "--therapist", "mine=prompted:{url}#m", "--quick", "--family", "reads_into", "--out", "out",
         "--no-preflight", "--concurrency", "2"),
        "out/journal/*.jsonl", "mark", ("out/profiles.json", "out/scores.json"),
    ),
    "validate": Command(
        ("validate", "retest", "--quick", "--family", "asks_first", "--out", "out"), "out/readings.jsonl", "key",
        ("out/findings.json", "out/retest.json"),
    ),
}  # fmt: skip


def sessions(path: Path, rows: int) -> None:
    said = (f"s{n // 8},{('client', 'therapist')[n % 2]},It went badly in week {n} of the year." for n in range(rows))
    path.write_text("\n".join(["session,speaker,text", *said]) + "\n", "utf-8")


def started(words: list[str], folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", START, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "COLUMNS": "200"},
    )  # fmt: skip


def finished(words: list[str], folder: Path) -> None:
    going = started(words, folder)
    _, said = going.communicate(timeout=PATIENCE)
    # 1 is a bound that so small a validation does not keep.
    assert going.returncode in (0, 1) and "Traceback" not in said, said


def killed(command: Command, words: list[str], folder: Path, moment: int) -> None:
    """Start, and kill -9 once the journal has `moment` lines."""
    going, until = started(words, folder), time.monotonic() + PATIENCE
    while len(command.lines(folder)) < moment and going.poll() is None and time.monotonic() < until:
        time.sleep(0.002)
    going.kill()
    _, said = going.communicate(timeout=PATIENCE)
    assert going.returncode == -9, (going.returncode, said)


def counted(command: Command, words: list[str], folder: Path) -> tuple[int, Mapping[str, bytes]]:
    """Lines of the journal of a run that nobody kills, at its longest, and the results."""
    going, most = started(words, folder), 0
    while going.poll() is None:
        most = max(most, len(command.lines(folder)))
        time.sleep(0.002)
    assert going.returncode in (0, 1), going.communicate()[1]
    return max(most, len(command.lines(folder))), {name: (folder / name).read_bytes() for name in command.results}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.full) if name == "validate" else name for name in COMMANDS]
)
def test_a_run_that_is_killed_three_times_ends_as_one_that_was_not(name: str, tmp_path: Path) -> None:
    command, seed = COMMANDS[name], random.SystemRandom().randrange(10_000)
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    for folder in (whole, cut):
        folder.mkdir()
        sessions(folder / "in.csv", 400)
        sessions(folder / "few.csv", 60)
    with serving(Faults(delay=0.05)) as (url, _):
        words = [word.replace("{url}", url) for word in command.words]
        count, results = counted(command, words, whole)
        # Late moments are left out: a run that ends while it is about to be killed shows nothing.
        moments = sorted(random.Random(seed).sample(range(1, max(5, count * 3 // 4)), 3))
        told, kept = f"seed {seed}, killed at {moments} of {count} lines", list[bytes]()
        for number, moment in enumerate(moments):
            killed(command, [*words, *(command.resume if number else ())], cut, moment)
            now = command.lines(cut)
            assert set(kept) <= set(now) and len(now) >= moment, told
            kept, names = now, command.names(now)
            assert len({*names}) == len(names), told
        finished([*words, *command.resume], cut)
    left = command.lines(cut)
    assert not left or (set(kept) <= set(left) and len(left) == count), told
    assert len({*command.names(left)}) == len(left), told
    assert {one: (cut / one).read_bytes() for one in command.results} == results, told
    if name == "validate":
        assert "<b>Quick run:</b>" in (cut / "out" / "report.html").read_text("utf-8")

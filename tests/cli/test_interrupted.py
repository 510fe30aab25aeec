"""Ctrl-C as a user presses it: a signal to the command while it runs, and what is said is what is on the disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import hears_ctrl_c, maieutic
from endpoints import serving
from fake_server import FakeServer, Faults

PATIENCE = 100.0
SESSIONS = {
    "evaluate": ["--cases", "gethin", "--seeds", "1", "--turns", "3"],
    "gap": ["--quick", "--family", "reads_into"],
}


def interrupted(words: list[str], folder: Path, when: Callable[[int], bool]) -> tuple[int, str]:
    """Start the command, press Ctrl-C as soon as `when` holds; exit code and what it said to the user."""
    going = subprocess.Popen(
        [sys.executable, "-m", "maieutic", *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, env={**os.environ, "COLUMNS": "200"}, preexec_fn=hears_ctrl_c,
    )  # fmt: skip
    until = time.monotonic() + PATIENCE
    while not when(going.pid) and going.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    going.send_signal(signal.SIGINT)
    _, said = going.communicate(timeout=PATIENCE)
    assert "Traceback" not in said, said
    return going.returncode, said


@pytest.mark.parametrize(
    ("command", "preflight"),
    [
        ("evaluate", "--preflight"),
        pytest.param("gap", "--preflight", marks=pytest.mark.slow),
        pytest.param("gap", "--no-preflight", marks=pytest.mark.slow),
    ],
)
def test_ctrl_c_before_the_first_reply_promises_nothing_and_leaves_nothing(
    command: str, preflight: str, tmp_path: Path
) -> None:
    with serving(Faults(hang_every=1)) as (url, server):
        assert server is not None
        words = [command, "--therapist", f"mine=prompted:{url}#m", *SESSIONS[command], preflight, "--out", "run"]
        code, said = interrupted(words, tmp_path, lambda _: server.counts["calls"] > 0)
        assert server.counts["calls"] > 0
    assert code == 130 and "Nothing was kept" in said and "resume" not in said, said
    assert not any(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("command", SESSIONS)
def test_ctrl_c_after_a_reply_says_how_to_go_on_and_that_goes_on(command: str, tmp_path: Path) -> None:
    class Slowing(FakeServer):
        """Answers twice; then it hangs until it is mended."""

        def answer(self, headers: bytes, body: bytes) -> tuple[bytes | None, bool]:
            sent = super().answer(headers, body)
            return (None, False) if self.counts["calls"] > 2 and self.faults.hang_every else sent

    server = Slowing(Faults(hang_every=1_000_000))
    with serving(None, server=server) as (url, _):
        words = [command, "--therapist", f"mine=prompted:{url}#m", *SESSIONS[command], "--no-preflight", "--out", "run"]
        code, said = interrupted([*words, "--concurrency", "1"], tmp_path, lambda _: server.counts["calls"] > 2)
        assert code == 130 and f"Go on with: maieutic {command} --resume run" in said, said
        server.faults = Faults()
        again = maieutic(command, "--resume", "run", cwd=tmp_path)
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize(
    ("command", "begun"),
    [
        pytest.param("score", False, id="score, at once"),
        pytest.param("code", True, id="code, once it has begun"),
        pytest.param("score", True, id="score, once it has begun", marks=pytest.mark.slow),
        pytest.param("code", False, id="code, at once", marks=pytest.mark.slow),
    ],
)
def test_ctrl_c_while_transcripts_are_read_says_what_is_on_the_disk(command: str, begun: bool, tmp_path: Path) -> None:
    rows = [
        f"s{n // 20},{('client', 'therapist')[n % 2]},It went badly in week {n} of the year." for n in range(40_000)
    ]
    (tmp_path / "sessions.csv").write_text("\n".join(["session,speaker,text", *rows]) + "\n")
    words = {"score": ["--out", "out"], "code": ["--scheme", "annomi", "--fast", "--out", "out.csv"]}[command]

    def due(process: int) -> bool:
        loaded = "numpy" in Path(f"/proc/{process}/maps").read_text()
        return any(tmp_path.glob("*out*")) if begun else loaded

    code, said = interrupted([command, "sessions.csv", *words], tmp_path, due)
    left = [path.name for path in tmp_path.iterdir() if path.name != "sessions.csv"]
    assert code == 130 and "interrupted" in said, said
    if "go on" in said.lower() or "goes on" in said:
        assert left
    else:
        assert not left, (left, said)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("evaluate", "numpy"),
        ("score", "maieutic.cli.main"),
        pytest.param("gap", "numpy", marks=pytest.mark.slow),
        pytest.param("code", "maieutic.cli.main", marks=pytest.mark.slow),
    ],
)
def test_a_ctrl_c_that_is_swallowed_while_something_is_loaded_stops_the_command_all_the_same(
    command: str, name: str, tmp_path: Path
) -> None:
    """The first press falls into a loader that catches everything; nobody presses again."""
    swallows = """
import os, signal, sys, time

class Loading:
    def find_spec(self, name, path=None, target=None):
        if name == "NAME" and not SEEN:
            SEEN.append(name)
            try:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(1)
            except BaseException:
                print("swallowed", file=sys.stderr)
            time.sleep(60)

SEEN = []
sys.meta_path.insert(0, Loading())
"""
    (tmp_path / "sitecustomize.py").write_text(swallows.replace("NAME", name))
    rows = "".join(f"a,{('client', 'therapist')[n % 2]},It went badly in week {n}.\n" for n in range(20))
    (tmp_path / "sessions.csv").write_text("session,speaker,text\n" + rows)
    before = set(tmp_path.iterdir())
    words = {
        "score": ["sessions.csv", "--out", "out"],
        "code": ["sessions.csv", "--scheme", "annomi", "--fast", "--out", "out.csv"],
    }.get(command, ["--therapist", "eliza", "--out", "out"])
    done = subprocess.run(
        [sys.executable, "-m", "maieutic", command, *words], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)}, preexec_fn=hears_ctrl_c, timeout=50,
    )  # fmt: skip
    assert "swallowed" in done.stderr and done.returncode == 130, done.stderr
    assert "interrupted" in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert {path for path in tmp_path.iterdir() if path.name != "__pycache__"} == before


MOMENTS = (0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.2, 1.6, 2.2, 3.0)


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("command", ["evaluate", "gap", "score"])
def test_ctrl_c_at_any_moment_stops_the_command_and_says_what_is_kept(command: str, tmp_path: Path) -> None:
    rows = "".join(f"s{n // 20},{('client', 'therapist')[n % 2]},It went badly in week {n}.\n" for n in range(20_000))
    with serving(Faults(delay=0.3)) as (url, _):
        for moment in MOMENTS:
            folder = tmp_path / str(moment)
            folder.mkdir()
            words = ["--therapist", f"mine=prompted:{url}#m"]
            if command == "score":
                (folder / "sessions.csv").write_text("session,speaker,text\n" + rows)
                words = ["sessions.csv"]
            due = time.monotonic() + moment
            code, said = interrupted(
                [command, *words, "--out", "run"], folder, lambda _, due=due: time.monotonic() > due
            )
            assert code == 130 and "interrupted" in said, (moment, code, said)
            assert (folder / "run").exists() == ("is kept" in said or "are kept" in said), (moment, said)


def test_a_ctrl_c_that_falls_into_a_finalizer_is_not_lost() -> None:
    script = """
import os, signal, sys, time, weakref
from maieutic.__main__ import start

sys.argv = ["maieutic", "--version"]
try:
    start()
except SystemExit:
    pass

class Gone: ...

gone = Gone()
kept = weakref.ref(gone, lambda _: os.kill(os.getpid(), signal.SIGINT) or time.sleep(0.01))
try:
    del gone
    time.sleep(30)
except KeyboardInterrupt:
    print("stopped")
"""
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, capture_output=True, text=True, check=True, preexec_fn=hears_ctrl_c)
    assert done.stdout.endswith("stopped\n") and "Traceback" not in done.stderr, done.stderr

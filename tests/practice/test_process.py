"""The server as a process: it opens without a key, and a kill in the middle of turns loses and doubles none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

pytest.importorskip("sqlalchemy", reason="the extra `practice` is not installed")

from typer.testing import CliRunner

from maieutic.cli.main import app
from practice.conftest import WORDS, token_of

pytestmark = pytest.mark.slow
PEOPLE = 100
SAID = (
    "What happened that morning?", "What went through your mind then?", "How did you feel when you thought that?",
    "What did you do next?", "When was it a little different?",
)  # fmt: skip
"""Turns that hardly any patient walks out on; "What happened then?" five times over is one that some do."""


@contextmanager
def served(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server on a free port, and its address."""
    command = [sys.executable, "-m", "maieutic", "practice", "--port", "0", "--data", str(folder)]
    environment = {**os.environ, "COLUMNS": "200", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    address = next((line.split()[-1] for line in process.stdout if "http://" in line), "")
    try:
        yield process, address
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def sender(browser: httpx.Client) -> Callable[..., httpx.Response]:
    """Sends forms with their token."""

    def send(where: str, **form: str) -> httpx.Response:
        token = token_of(browser.get("/help").text) or token_of(browser.get("/account/new").text)
        return browser.post(where, data={"csrf": token, **form})

    return send


def test_a_kill_loses_no_turn_and_doubles_none(tmp_path: Path) -> None:
    with served(tmp_path) as (process, address), httpx.Client(base_url=address, follow_redirects=True) as browser:
        send = sender(browser)
        send("/account/new", name="mira", password=WORDS)
        send("/consent", teaching="yes", research="no")
        talk = send("/cases/gethin", style="plain", turns="20", goal="none").url.path
        for number in range(1, 4):
            assert send(f"{talk}/say", number=str(number), said=f"What happened then, {number}?").status_code == 200
        page = browser.get(talk).text
        os.kill(process.pid, signal.SIGKILL)
        cookies = browser.cookies
    with (
        served(tmp_path) as (_, address),
        httpx.Client(base_url=address, follow_redirects=True, cookies=dict(cookies)) as browser,
    ):
        after = browser.get(talk).text
        assert [f"What happened then, {n}?" in after for n in range(1, 5)] == [True, True, True, False]
        assert after.count('class="said patient"') == page.count('class="said patient"') == 4
        send = sender(browser)
        send(f"{talk}/say", number="3", said="What happened then, 3?")
        assert send(f"{talk}/say", number="4", said="What happened then, 4?").text.count('class="said you"') == 4


@pytest.mark.full
def test_a_kill_among_many_loses_and_doubles_nobodys_turn(tmp_path: Path) -> None:
    """Everybody is in the middle of a turn when the server dies; afterwards each sends the same turn again and goes on."""

    def begins(address: str, number: int) -> tuple[dict[str, str], str]:
        with httpx.Client(base_url=address, follow_redirects=True, timeout=60) as browser:
            send = sender(browser)
            send("/account/new", name=f"person {number}", password=WORDS)
            send("/consent", teaching="yes", research="no")
            return dict(browser.cookies), send("/cases/gethin", style="plain", turns="20", goal="none").url.path

    def talks(address: str, cookies: dict[str, str], where: str, first: int) -> int:
        """Says turns until the server is gone, or five; the number of the last that was sent."""
        with httpx.Client(base_url=address, follow_redirects=True, cookies=cookies, timeout=60) as browser:
            for number in range(first, 6):
                try:
                    sender(browser)(f"{where}/say", number=str(number), said=SAID[number - 1])
                except httpx.HTTPError:
                    return number
        return 5

    with ThreadPoolExecutor(PEOPLE) as pool:
        with served(tmp_path) as (process, address):
            own = list(pool.map(lambda number: begins(address, number), range(PEOPLE)))
            going = [pool.submit(talks, address, *one, 1) for one in own]
            wait(going, return_when="FIRST_COMPLETED", timeout=8)
            os.kill(process.pid, signal.SIGKILL)
            stopped = [one.result() for one in going]
        assert min(stopped) < 5, "the server was killed after everybody had finished"
        with served(tmp_path) as (_, address):
            again = [pool.submit(talks, address, *one, last) for one, last in zip(own, stopped, strict=True)]
            assert [one.result() for one in again] == [5] * PEOPLE
            finished = 0
            for cookies, where in own:
                with httpx.Client(base_url=address, follow_redirects=True, cookies=cookies, timeout=60) as browser:
                    page = browser.get(where).text
                kept = [page.count(said) for said in SAID]
                said = sum(kept)
                assert kept == [1] * said + [0] * (5 - said)
                assert said == 5 or "The session is over" in page  # a patient may leave, and says so
                left = said < 5 or "The session is over" in page
                assert page.count('class="said patient"') in ((said, said + 1) if left else (said + 1,))
                finished += said == 5
            assert finished >= 0.9 * PEOPLE


def test_the_command_line_makes_an_admin_a_backup_and_puts_it_back(tmp_path: Path) -> None:
    run = CliRunner()
    data = ["--data", str(tmp_path / "data")]
    assert run.invoke(app, ["practice", "admin", "ada", "--password", WORDS, *data]).exit_code == 0
    assert run.invoke(app, ["practice", "backup", str(tmp_path / "b"), *data]).exit_code == 0
    done = run.invoke(app, ["practice", "restore", str(tmp_path / "b"), "--yes", *data])
    assert done.exit_code == 0
    assert "rows put back" in done.output
    open_to_all = run.invoke(app, ["practice", "--host", "0.0.0.0"])
    assert "--https" in str(open_to_all.exception)

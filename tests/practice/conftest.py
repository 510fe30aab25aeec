"""A practice server without a socket, and people who use it as a browser would: cookies kept, forms sent with their token."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra `practice` is not installed")
pytest.importorskip("argon2", reason="the extra `practice` is not installed")

from argon2 import PasswordHasher
from starlette.testclient import TestClient

from maieutic.practice import accounts
from maieutic.practice.app import create_app
from maieutic.practice.storage import Settings, User

WORDS = "a long sentence"
_numbers = itertools.count()


class _Token(HTMLParser):
    """Finds the token of the first form of a page."""

    found = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if named.get("name") == "csrf" and not self.found:
            self.found = named.get("value") or ""


def token_of(page: str) -> str:
    """The token that the forms of a page carry."""
    reader = _Token()
    reader.feed(page)
    return reader.found


@dataclass
class Person:
    """Somebody at a browser; `seen` has every answer, with its headers."""

    browser: TestClient
    name: str = ""
    seen: list[Any] = field(default_factory=list)

    def get(self, where: str) -> Any:
        """Open a page."""
        self.seen.append(self.browser.get(where))
        return self.seen[-1]

    def send(self, where: str, files: Any = None, **form: str) -> Any:
        """Send a form with its token."""
        sent = {
            "csrf": token_of(
                self.browser.get("/account/new").text if not self.name else self.browser.get("/help").text
            ),
            **form,
        }
        self.seen.append(self.browser.post(where, data=sent, files=files))
        return self.seen[-1]

    def signs_up(self, code: str = "", research: str = "no") -> Person:
        """Make an account and agree to practising."""
        name = f"person{next(_numbers)}"
        assert self.send("/account/new", name=name, password=WORDS, code=code).status_code == 200
        self.name = name
        self.send("/consent", teaching="yes", research=research)
        return self

    def begins(self, case: str = "gethin", **form: str) -> str:
        """Begin a session; its id."""
        sent = {"style": "plain", "turns": "10", "goal": "none", **form}
        page = self.send(f"/cases/{case}", **sent)
        assert page.status_code == 200, page.text
        return str(page.url.path.split("/")[2])

    def says(self, talk: str, number: int, text: str) -> Any:
        """Say a turn."""
        return self.send(f"/talks/{talk}/say", number=str(number), said=text)


@pytest.fixture(scope="session", autouse=True)
def passwords() -> Iterator[None]:
    """A password takes a fifth of a second because it is meant to; here it is kept in the same way at the least cost."""
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(accounts, "_hasher", lambda: cheap)
        yield


@pytest.fixture(scope="session")
def cluster() -> Iterator[Path]:
    """The folder with the socket of a PostgreSQL of our own; in no folder of pytest's, which are shut to other users."""
    if shutil.which("initdb") is None or shutil.which("pg_ctl") is None:
        pytest.skip("no PostgreSQL on this machine: apt-get install postgresql")
    pytest.importorskip("pg8000", reason="the extra `practice-postgresql` is not installed")
    place = Path(tempfile.mkdtemp(prefix="practice-pg-"))
    data = place / "data"
    runs_as = ["setpriv", "--reuid=nobody", "--clear-groups"] if os.getuid() == 0 else []
    if runs_as:
        shutil.chown(place, "nobody")
    env = {**os.environ, "HOME": str(place), "LC_ALL": "C.UTF-8"}
    made = subprocess.run(
        [*runs_as, "initdb", "-D", data, "-U", "practice", "-A", "trust"], env=env, capture_output=True, text=True
    )
    if made.returncode:
        pytest.skip(f"initdb cannot run here: {made.stderr[-300:]}")
    begin = [
        *runs_as,
        "pg_ctl",
        "-D",
        data,
        "-w",
        "-o",
        f"-k {place} -c listen_addresses=''",
        "-l",
        place / "log",
        "start",
    ]
    subprocess.run(begin, env=env, check=True, stdout=subprocess.DEVNULL)
    yield place
    subprocess.run(
        [*runs_as, "pg_ctl", "-D", data, "-m", "immediate", "stop"], env=env, check=True, stdout=subprocess.DEVNULL
    )
    shutil.rmtree(place)


@pytest.fixture(scope="session", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The app on each of the two databases; PostgreSQL is one of the test's own, in a socket that nobody else has."""
    database = None
    if request.param == "postgresql":
        socket = request.getfixturevalue("cluster") / ".s.PGSQL.5432"
        database = f"postgresql://practice@/template1?unix_sock={socket}"
    settings = Settings(
        tmp_path_factory.mktemp("practice"), database, turns_a_minute=10_000, logins_a_minute=10_000,
        arrivals_a_minute=10_000,
    )  # fmt: skip
    app = create_app(settings)
    with TestClient(app):
        yield app


@pytest.fixture
def comes(server: Any) -> Callable[[], Person]:
    """Another person at another browser."""
    return lambda: Person(TestClient(server))


@pytest.fixture
def teacher(server: Any, comes: Callable[[], Person]) -> Person:
    """Somebody who teaches."""
    person = comes().signs_up()
    with server.state.rooms.storage.begin() as db:
        db.query(User).filter_by(name=person.name).one().role = "teacher"
    return person


@pytest.fixture
def folder(server: Any) -> Path:
    return Path(server.state.rooms.settings.folder)


def every_route(app: Any) -> list[Any]:
    """All routes of the pages."""
    found: list[Any] = []
    for route in app.routes:
        inner = getattr(getattr(route, "original_router", None), "routes", None)
        found += inner if inner else [route]
    return [route for route in found if getattr(route, "methods", None)]

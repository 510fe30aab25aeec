"""One request: who asks, with which form, and how the answer is given. No page reads a cookie or a form in another
way."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from itsdangerous import BadSignature, Signer
from jinja2 import Environment
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from maieutic.practice import texts
from maieutic.practice.accounts import who
from maieutic.practice.classes import joined
from maieutic.practice.drawing import mind
from maieutic.practice.guard import Pace
from maieutic.practice.minds import Minds
from maieutic.practice.model import Point, TurnFeedback
from maieutic.practice.settings import Settings
from maieutic.practice.storage import Storage
from maieutic.practice.tables import User
from maieutic.runs.shown import environment

TEMPLATES = Path(__file__).parents[1] / "templates"
COOKIE = "maieutic_practice"


class Refused(Exception):
    """A request that gets a page saying why not, and nothing else."""

    def __init__(self, status: int, told: str) -> None:
        super().__init__(told)
        self.status, self.told = status, told


@dataclass(frozen=True, slots=True)
class Rooms:
    """What all pages share."""

    settings: Settings
    storage: Storage
    minds: Minds
    signer: Signer
    login_pace: Pace
    arrival_pace: Pace
    turn_pace: Pace


@dataclass(frozen=True, slots=True)
class Visit:
    """One request.

    Attributes:
        rooms: The database, the patients and the settings.
        request: As it came.
        key: The cookie's key; a person's login hangs on it.
        user: Who asks; None for a stranger.
        form: What a form sent, as text; every value stripped of nothing.
        files: Uploaded files.
        contacts: Whom the person can reach in distress, by class.
    """

    rooms: Rooms
    request: Request
    key: str
    user: User | None
    form: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    contacts: tuple[tuple[str, str], ...] = ()

    @property
    def csrf(self) -> str:
        """What every form of this visitor must carry."""
        return csrf_of(self.rooms.signer, self.key)

    @property
    def person(self) -> User:
        """Who asks. A stranger is sent to the login."""
        if self.user is None:
            raise Refused(401, "Log in first.")
        return self.user

    def teacher(self) -> User:
        """Who asks, if they teach; for others the page is not there."""
        if self.person.role not in ("teacher", "admin"):
            raise missing()
        return self.person

    def admin(self) -> User:
        """Who asks, if they run the server; for others the page is not there."""
        if self.person.role != "admin":
            raise missing()
        return self.person

    @property
    def address(self) -> str:
        """Where the request comes from."""
        return self.request.client.host if self.request.client else "unknown"

    def number(self, name: str, low: int, high: int) -> int:
        """A whole number of the form. Raises `Refused`."""
        given = self.form.get(name, "")
        if not (given.isascii() and given.isdigit() and len(given) < 10 and low <= int(given) <= high):
            raise Refused(400, f"{name.replace('_', ' ')} must be a whole number from {low} to {high}.")
        return int(given)

    def page(self, template: str, status: int = 200, **shown: Any) -> Response:
        """A page from a template."""
        text = (
            _pages()
            .get_template(template)
            .render(visit=self, user=self.user, csrf=self.csrf, texts=texts, here=self.request.url.path, **shown)
        )
        return self.kept(HTMLResponse(text, status))

    def drawn(self, points: Sequence[Point], turns: Collection[TurnFeedback]) -> Markup:
        """A session's curves, with the turns at which something was kept."""
        return mind(points, turns)

    def to(self, where: str) -> Response:
        """Go on to a page, whatever was sent."""
        return self.kept(RedirectResponse(where, 303))

    def kept(self, response: Response, key: str | None = None) -> Response:
        """An answer with the visitor's cookie."""
        signed = self.rooms.signer.sign(key or self.key).decode()
        response.set_cookie(COOKIE, signed, httponly=True, samesite="lax", secure=self.rooms.settings.https, path="/")
        return response


@cache
def _pages() -> Environment:
    return environment(TEMPLATES)


def missing() -> Refused:
    """What there is not, and what is somebody else's, look the same."""
    return Refused(404, "There is no such page, or it is not yours.")


def csrf_of(signer: Signer, key: str) -> str:
    """The token of a cookie's key."""
    return sha256(signer.get_signature(f"form {key}")).hexdigest()


def fresh_key() -> str:
    """A cookie's key that was never used before."""
    return secrets.token_urlsafe(24)


async def visited(request: Request) -> Visit:
    """Who asks, after the cookie's signature and, of a form, its token were checked. Raises `Refused`."""
    rooms: Rooms = request.app.state.rooms
    try:
        key = rooms.signer.unsign(request.cookies.get(COOKIE, "")).decode()
    except (BadSignature, UnicodeDecodeError):
        key = fresh_key()
    form: dict[str, str] = {}
    files: dict[str, bytes] = {}
    if request.method == "POST":
        for name, value in (await request.form(max_files=1, max_fields=200)).multi_items():
            if isinstance(value, UploadFile):
                files[name] = await value.read()
            else:
                value = value.replace("\x00", "")
                form[name] = value if name not in form else f"{form[name]}\n{value}"
        sent = form.pop("csrf", "")
        if not hmac.compare_digest(sent.encode(), csrf_of(rooms.signer, key).encode()):
            raise Refused(403, "This form is out of date. Go back, load the page again and send it once more.")
    user, contacts = await run_in_threadpool(_found, rooms, key)
    visit = Visit(rooms, request, key, user, form, files, contacts)
    request.state.visit = visit
    return visit


def _found(rooms: Rooms, key: str) -> tuple[User | None, tuple[tuple[str, str], ...]]:
    with rooms.storage.begin() as db:
        user = who(db, key, rooms.settings.idle_hours)
        contacts = tuple((group.name, group.contact) for group, _ in joined(db, user.id)) if user else ()
    return user, contacts


Visited = Annotated[Visit, Depends(visited)]


async def known(visit: Visited) -> None:
    """Lets in who is logged in, before anything is looked up: a stranger cannot tell what is there from what is not."""
    _ = visit.person

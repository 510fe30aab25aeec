"""One request: what stands before it, who asks, with which form, and how the answer is given. No page reads a cookie
or a form in another way."""

from __future__ import annotations

import hmac
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Annotated, Any, Final

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from itsdangerous import BadSignature, Signer
from jinja2 import Environment
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders, UploadFile
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from maieutic.practice import texts
from maieutic.practice.accounts import joined, who
from maieutic.practice.model import Point, TurnFeedback
from maieutic.practice.storage import Settings, Storage, User
from maieutic.practice.talks import Minds
from maieutic.runs.shown import environment

MAX_BODY: Final = 400_000
"""Bytes of a request; the largest is an uploaded case."""
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Refuses bodies that are too large, and puts the headers on every answer; pages are kept in no cache."""

    def __init__(self, app: ASGIApp, https: bool = False) -> None:
        self.app, self.https = app, https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        held, more = bytearray(), True
        while more:  # all pages are small: what is too large is refused before anything reads it
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            held += message.get("body", b"")
            more = message.get("more_body", False)
            if len(held) > MAX_BODY:
                await send({"type": "http.response.start", "status": 413, "headers": _plain()})
                await send({"type": "http.response.body", "body": b"That is too large. Go back and send less."})
                return
        given = False

        async def once() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": bytes(held), "more_body": False}

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
                if self.https:
                    headers["strict-transport-security"] = "max-age=31536000"
            await send(message)

        await self.app(scope, once, dressed)


def _plain() -> list[tuple[bytes, bytes]]:
    return [(b"content-type", b"text/plain; charset=utf-8"), *((k.encode(), v.encode()) for k, v in HEADERS.items())]


@dataclass(slots=True)
class Pace:
    """How often a key may come in a window of time; the keys asked for longest ago are forgotten first.

    Attributes:
        most: Times in a window.
        window: Seconds.
    """

    most: int
    window: float = 60.0
    _seen: OrderedDict[str, deque[float]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def allows(self, key: str) -> bool:
        """Whether the key may come once more now; counts it if so."""
        moment = time.monotonic()
        with self._lock:
            times = self._seen.setdefault(key, deque())
            self._seen.move_to_end(key)
            while times and times[0] <= moment - self.window:
                times.popleft()
            if len(times) >= self.most:
                return False
            times.append(moment)
            while len(self._seen) > 10_000:
                self._seen.popitem(last=False)
            return True


WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 680, 250, 44, 14, 14, 40


def curves(lines: Sequence[tuple[str, str, Sequence[float]]], title: str, marked: Mapping[int, str]) -> Markup:
    """Lines over turns on a scale of 0 to 100, each as (class, name, values at turn 0, 1, …); what is marked stands on
    the first."""
    last = max(1, *(len(values) - 1 for _, _, values in lines))
    parts = [
        Markup('<svg viewBox="0 0 {} {}" role="img" class="curves"><title>{}</title>').format(WIDTH, HEIGHT, title)
    ]
    for level in (0, 25, 50, 75, 100):
        y = _y(level)
        parts.append(Markup('<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(LEFT, WIDTH - RIGHT, y, y))
        parts.append(Markup('<text x="{}" y="{}" text-anchor="end">{}</text>').format(LEFT - 8, y + 4, level))
    for turn in range(0, last + 1, max(1, last // 10)):
        parts.append(
            Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>').format(_x(turn, last), HEIGHT - 20, turn)
        )
    parts.append(Markup('<text x="{}" y="{}" text-anchor="end">turn</text>').format(WIDTH - RIGHT, HEIGHT - 4))
    for kind, name, values in lines:
        points = " ".join(f"{_x(turn, last)},{_y(value)}" for turn, value in enumerate(values))
        parts.append(Markup('<polyline class="{}" points="{}"/>').format(kind, points))
        for turn, value in enumerate(values):
            told = f"{name}, turn {turn}: {value:.0f}"
            parts.append(
                Markup('<circle class="{}" cx="{}" cy="{}" r="3.5"><title>{}</title></circle>').format(
                    kind, _x(turn, last), _y(value), told
                )
            )
    for turn, told in sorted(marked.items()):
        x, y = _x(turn, last) - 6, _y(lines[0][2][turn]) - 6
        parts.append(
            Markup('<rect class="kept" x="{}" y="{}" width="12" height="12"><title>{}</title></rect>').format(
                x, y, told
            )
        )
    parts.append(Markup("</svg>"))
    return Markup("").join(parts)


def mind(points: Sequence[Point], turns: Collection[TurnFeedback] = ()) -> Markup:
    """Conviction, openness (times 100) and distress of one session, with a square at each turn at which something was
    kept."""
    kept = {one.number: f"Turn {one.number}: {one.held_back[0].told}" for one in turns if one.held_back}
    return curves(
        (
            ("conviction", "Conviction", [one.conviction for one in points]),
            ("openness", "Openness", [100 * one.openness for one in points]),
            ("distress", "Distress", [one.distress for one in points]),
        ),
        "Conviction, openness and distress over the turns, 0 to 100",
        {turn: told for turn, told in kept.items() if turn < len(points)},
    )


def _x(turn: int, last: int) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * turn / last, 1)


def _y(value: float) -> float:
    return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(100.0, max(0.0, value)) / 100), 1)


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

"""The practice server: its pages behind one guard, over one database and one loop of patients."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from itsdangerous import Signer
from sqlalchemy import delete
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from maieutic.errors import UnknownName
from maieutic.practice import talks, texts
from maieutic.practice.storage import Settings, Talk, now, opened, secret
from maieutic.practice.web import entry, learning, teaching
from maieutic.practice.web.visit import TEMPLATES, Guard, Pace, Refused, Rooms
from maieutic.runs.shown import environment

STATIC = Path(__file__).parent / "static"
DAY = 86_400.0


def create_app(settings: Settings) -> FastAPI:
    """The app with its database up to date. Raises `StorageError` or `InputError` where that cannot be had."""
    rooms = Rooms(
        settings,
        opened(settings),
        talks.start(settings.patient),
        Signer(secret(settings.folder), salt="practice", digest_method=_sha256),
        Pace(settings.logins_a_minute),
        Pace(settings.arrivals_a_minute),
        Pace(settings.turns_a_minute),
    )
    app = FastAPI(
        title="maieutic practice",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=_lifespan,
        middleware=[Middleware(Guard, https=settings.https)],
    )
    app.state.rooms = rooms
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    for part in (entry, learning, teaching):
        app.include_router(part.router)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(UnknownName, _unknown)
    app.add_exception_handler(HTTPException, _http)
    return app


def _sha256(data: bytes = b"") -> object:
    from hashlib import sha256

    return sha256(data)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    over = threading.Event()
    rooms: Rooms = app.state.rooms
    threading.Thread(target=_forget, args=(rooms, over), name="retention", daemon=True).start()
    yield
    over.set()
    rooms.minds.close()
    rooms.storage.engine.dispose()


def _forget(rooms: Rooms, over: threading.Event) -> None:
    """Delete what was kept as long as the settings say, at the start and every day."""
    while rooms.settings.keep_days is not None:
        forget(rooms, rooms.settings.keep_days)
        if over.wait(DAY):
            return


def forget(rooms: Rooms, days: int) -> None:
    """Delete all sessions that were begun more than so many days ago, with everything that hangs on them."""
    with rooms.storage.begin() as db:
        db.execute(delete(Talk).where(Talk.begun < now() - timedelta(days=days)))


def _told(request: Request, status: int, told: str) -> Response:
    visit = getattr(request.state, "visit", None)
    page = environment(TEMPLATES).get_template("refused.html")
    user = visit.user if visit is not None else None
    text = page.render(
        visit=visit, user=user, csrf=visit.csrf if visit else "", texts=texts, here="", told=told, status=status
    )
    return HTMLResponse(text, status)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    if error.status == 401:
        return RedirectResponse("/login", 303)
    return _told(request, error.status, error.told)


async def _unknown(request: Request, error: Exception) -> Response:
    return _told(request, 404, "There is no such page, or it is not yours.")


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _told(request, error.status_code, "There is no such page, or it is not yours.")

"""Coming in and going out: the first page, accounts, login, help, consent, a person's own data and their deletion."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response
from sqlalchemy import select

from maieutic.errors import InputError
from maieutic.practice.accounts import (
    assignments,
    consent,
    consents,
    delete_person,
    hashed,
    join,
    joined,
    log_in,
    log_out,
    make_user,
    note,
    tidy_name,
    verified,
)
from maieutic.practice.cases import brief_named
from maieutic.practice.exporting import person_lines
from maieutic.practice.storage import Member, User
from maieutic.practice.talks import talks_of
from maieutic.practice.texts import CONSENTS
from maieutic.practice.web.visit import Refused, Visit, Visited, fresh_key, missing

router = APIRouter()


@router.get("/")
def home(visit: Visited) -> Response:
    """What this is; for a person who is in, where they stand."""
    if visit.user is None:
        return visit.page("welcome.html")
    with visit.rooms.storage.begin() as db:
        talks = talks_of(db, visit.user.id)
        groups = joined(db, visit.user.id)
        tasks = assignments(db, [group.id for group, _ in groups])
        asked = consents(db, visit.user.id)
        names = {name: brief_named(db, name) for name in {t.case_name for t, _ in talks} | {t.case_name for t in tasks}}
    if asked["teaching"] is not True:
        return visit.to("/consent")
    return visit.page("home.html", talks=talks, groups=groups, tasks=tasks, briefs=names)


@router.get("/help")
def help_page(visit: Visited) -> Response:
    """The fixed help text and the contacts of one's classes."""
    return visit.page("help.html")


@router.get("/account/new")
def ask_account(visit: Visited) -> Response:
    """The form for a new account."""
    return visit.page("account_new.html", error="", form={}, invited=visit.rooms.settings.invited_only)


@router.post("/account/new")
def new_account(visit: Visited) -> Response:
    """Make an account, join a class by its code, and log in under a fresh key."""
    form, rooms = visit.form, visit.rooms
    if not rooms.arrival_pace.allows(visit.address):
        raise Refused(429, "Too many tries. Wait a minute.")
    key = fresh_key()
    try:
        if rooms.settings.invited_only and not form.get("code", "").strip():
            raise InputError("an account here needs the invite code of a class")
        kept = hashed(form.get("password", ""))
        with rooms.storage.begin() as db:
            user = make_user(db, form.get("name", ""), form.get("password", ""), kept=kept)
            if form.get("code", "").strip():
                join(db, user, form["code"])
            log_in(db, user, key)
    except InputError as error:
        return visit.page("account_new.html", 422, error=str(error), form=form, invited=rooms.settings.invited_only)
    return visit.kept(visit.to("/consent"), key)


@router.get("/login")
def ask_login(visit: Visited) -> Response:
    """The form for logging in."""
    return visit.page("login.html", error="", form={})


@router.post("/login")
def login(visit: Visited) -> Response:
    """Log in under a fresh key, so that a key somebody planted is worth nothing."""
    rooms, name = visit.rooms, tidy_name(visit.form.get("name", ""))
    if not (rooms.arrival_pace.allows(visit.address) and rooms.login_pace.allows(f"to {name}")):
        return visit.page("login.html", 429, error="Too many tries. Wait a minute.", form=visit.form)
    with rooms.storage.begin() as db:
        user = db.scalar(select(User).where(User.name == name))
    right = verified(user.password if user else None, visit.form.get("password", ""))
    key = fresh_key()
    with rooms.storage.begin() as db:
        if user is None or user.blocked or not right:
            note(db, user.id if user else None, "login refused")
        else:
            log_in(db, user, key)
            return visit.kept(visit.to("/"), key)
    return visit.page("login.html", 401, error="Name and password do not fit together.", form=visit.form)


@router.post("/logout")
def logout(visit: Visited) -> Response:
    """End this login; the cookie's key is thrown away."""
    with visit.rooms.storage.begin() as db:
        log_out(db, visit.person, visit.key)
    return visit.kept(visit.to("/"), fresh_key())


@router.get("/consent")
def ask_consent(visit: Visited) -> Response:
    """The consent texts, each with its own answer."""
    with visit.rooms.storage.begin() as db:
        given = consents(db, visit.person.id)
    return visit.page("consent.html", given=given, asked=CONSENTS)


@router.post("/consent")
def give_consent(visit: Visited) -> Response:
    """Keep both answers; without the one on teaching nothing can be practised."""
    with visit.rooms.storage.begin() as db:
        consent(db, visit.person.id, {kind: visit.form.get(kind) == "yes" for kind in CONSENTS})
    return visit.to("/" if visit.form.get("teaching") == "yes" else "/account")


@router.get("/account")
def account(visit: Visited) -> Response:
    """One's own data, classes and leave."""
    return _account(visit)


def _account(visit: Visit, error: str = "", status: int = 200) -> Response:
    with visit.rooms.storage.begin() as db:
        groups, given = joined(db, visit.person.id), consents(db, visit.person.id)
    return visit.page("account.html", status, groups=groups, given=given, error=error)


@router.post("/account/password")
def change_password(visit: Visited) -> Response:
    """Change the password; all other logins end."""
    if not verified(visit.person.password, visit.form.get("old", "")):
        return _account(visit, "The old password is another one.", 422)
    try:
        kept = hashed(visit.form.get("password", ""))
    except InputError as error:
        return _account(visit, str(error), 422)
    key = fresh_key()
    with visit.rooms.storage.begin() as db:
        user = db.get_one(User, visit.person.id)
        user.password = kept
        log_out(db, user)
        log_in(db, user, key)
        note(db, user.id, "password changed")
    return visit.kept(visit.to("/account"), key)


@router.post("/account/join")
def join_class(visit: Visited) -> Response:
    """Join a class by its invite code."""
    if not visit.rooms.login_pace.allows(f"join {visit.person.id}"):
        raise Refused(429, "Too many tries. Wait a minute.")
    try:
        with visit.rooms.storage.begin() as db:
            join(db, visit.person, visit.form.get("code", ""))
    except InputError as error:
        return _account(visit, str(error), 422)
    return visit.to("/account")


@router.post("/account/leave/{group}")
def give_leave(visit: Visited, group: str) -> Response:
    """Give a class's teacher the leave to read one's sessions, or take it back."""
    with visit.rooms.storage.begin() as db:
        member = db.get(Member, (group, visit.person.id))
        if member is None:
            raise missing()
        member.may_read = visit.form.get("may_read") == "yes"
        note(db, visit.person.id, "leave to read " + ("given" if member.may_read else "taken back"), group)
    return visit.to("/account")


@router.get("/account/export")
def my_data(visit: Visited) -> Response:
    """Everything that is kept of a person, as JSON lines; of sessions not handed in, without the hidden side."""
    with visit.rooms.storage.begin() as db:
        body = person_lines(db, visit.person)
        note(db, visit.person.id, "own data exported")
    headers = {"content-disposition": 'attachment; filename="my-practice.jsonl"'}
    return visit.kept(Response(body, media_type="application/jsonl", headers=headers))


@router.post("/account/delete")
def delete_me(visit: Visited) -> Response:
    """Delete oneself with everything, after the password was given once more."""
    if not verified(visit.person.password, visit.form.get("password", "")):
        return _account(visit, "The password is another one; nothing was deleted.", 422)
    try:
        with visit.rooms.storage.begin() as db:
            delete_person(db, db.get_one(User, visit.person.id))
    except InputError as error:
        return _account(visit, str(error), 422)
    return visit.kept(visit.to("/"), fresh_key())

"""An admin's pages: roles, blocked accounts, deletion of a person, and the audit log."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from sqlalchemy import select

from maieutic.errors import InputError
from maieutic.practice.accounts import delete_person, log_out, note
from maieutic.practice.tables import ROLES, Audit, User
from maieutic.practice.web.visit import Refused, Visit, Visited, known, missing

router = APIRouter(dependencies=[Depends(known)])


@router.get("/admin")
def people(visit: Visited) -> Response:
    """All accounts, and the last lines of the audit log."""
    return _people(visit)


def _people(visit: Visit, error: str = "", status: int = 200) -> Response:
    visit.admin()
    with visit.rooms.storage.begin() as db:
        users = db.scalars(select(User).order_by(User.name).limit(1_000)).all()
        log = db.scalars(select(Audit).order_by(Audit.id.desc()).limit(100)).all()
    names = {user.id: user.name for user in users}
    return visit.page("admin.html", status, users=users, log=log, names=names, roles=ROLES, error=error)


@router.post("/admin/people/{person}")
def change(visit: Visited, person: str) -> Response:
    """Give somebody a role, block them, or delete them with everything of theirs."""
    visit.admin()
    done = visit.form.get("do", "")
    try:
        with visit.rooms.storage.begin() as db:
            user = db.get(User, person)
            if user is None:
                raise missing()
            if user.id == visit.person.id:
                raise InputError("your own account is changed on its own page, or on the command line")
            if done == "delete":
                delete_person(db, user)
            elif done == "block":
                user.blocked = not user.blocked
                log_out(db, user)
                note(db, visit.person.id, "blocked" if user.blocked else "unblocked", user.id)
            elif done in ROLES:
                user.role = done
                note(db, visit.person.id, f"made {done}", user.id)
            else:
                raise Refused(400, "There is nothing of this name to do.")
    except InputError as error:
        return _people(visit, str(error), 422)
    return visit.to("/admin")

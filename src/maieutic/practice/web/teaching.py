"""A teacher's pages: classes, exercises, own cases, who practised and what was hard, a trainee's words only by
leave; and an admin's: roles, blocked accounts, deletion of a person, and the audit log."""

from __future__ import annotations

from collections import Counter
from typing import Any

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from maieutic.domain.case import STYLES
from maieutic.errors import InputError, InvalidCase
from maieutic.practice.accounts import (
    MAX_ARM_DAYS,
    assignments,
    delete_person,
    log_out,
    make_class,
    may_read,
    note,
    taught,
)
from maieutic.practice.cases import OWN, brief_named, packaged, read_upload
from maieutic.practice.exercise import CHOICES
from maieutic.practice.exporting import FORMATS, class_rows
from maieutic.practice.feedback import turns_told
from maieutic.practice.storage import (
    ROLES,
    Assignment,
    Audit,
    Comment,
    Group,
    Member,
    OwnCase,
    Spoken,
    Talk,
    User,
    now,
    secret,
)
from maieutic.practice.talks import LENGTHS, kept
from maieutic.practice.web.visit import Refused, Visit, Visited, known, missing

router = APIRouter(dependencies=[Depends(known)])
LATEST = 200
"""Sessions of a class that its overview reads, the newest first."""


def own_class(db: Session, visit: Visit, group: str) -> Group:
    """A class that the person who asks teaches."""
    found = db.get(Group, group)
    if found is None or found.teacher_id != visit.teacher().id:
        raise missing()
    return found


@router.get("/classes")
def classes(visit: Visited) -> Response:
    """A teacher's classes."""
    with visit.rooms.storage.begin() as db:
        found = taught(db, visit.teacher().id)
    return visit.page("classes.html", groups=found, error="", form={})


@router.post("/classes")
def new_class(visit: Visited) -> Response:
    """Make a class."""
    try:
        with visit.rooms.storage.begin() as db:
            group = make_class(db, visit.teacher(), visit.form.get("name", ""), visit.form.get("contact", ""))
    except InputError as error:
        with visit.rooms.storage.begin() as db:
            found = taught(db, visit.teacher().id)
        return visit.page("classes.html", 422, groups=found, error=str(error), form=visit.form)
    return visit.to(f"/classes/{group.id}")


@router.get("/classes/{group}")
def overview(visit: Visited, group: str) -> Response:
    """Who practised, which turns were common, and which case was hardest."""
    return _class(visit, group)


def _class(visit: Visit, group: str, error: str = "", status: int = 200) -> Response:
    with visit.rooms.storage.begin() as db:
        own = own_class(db, visit, group)
        people = db.execute(
            select(User, Member).join(Member, Member.user_id == User.id).where(Member.class_id == group)
        ).all()
        ids = [user.id for user, _ in people]
        found = db.scalars(select(Talk).where(Talk.user_id.in_(ids)).order_by(Talk.begun.desc()).limit(LATEST)).all()
        spoken = db.execute(
            select(Spoken.talk_id, func.count())
            .where(Spoken.talk_id.in_([one.id for one in found]), Spoken.number > 0)
            .group_by(Spoken.talk_id)
        )
        counts = {row.talk_id: row[1] for row in spoken}
        totals: Counter[str] = Counter()
        for one in found:
            totals[one.user_id] += counts.get(one.id, 0)
        tasks = assignments(db, [group])
        cases = db.scalars(select(OwnCase).where(OwnCase.class_id == group)).all()
        names = [one.id for one in packaged()] + [f"{OWN}{one.id}" for one in cases]
        wanted = {*names, *(talk.case_name for talk in found)}
        briefs = {name: brief for name in wanted if (brief := brief_named(db, name)) is not None}
        common, hardest = _common(db, found, set(briefs))
    return visit.page(
        "class.html",
        status,
        group=own,
        people=people,
        talks=found,
        totals=totals,
        tasks=tasks,
        cases=cases,
        names=names,
        briefs=briefs,
        common=common,
        hardest=hardest,
        error=error,
        goals=CHOICES,
        lengths=LENGTHS,
        styles=STYLES,
        longest_arm=MAX_ARM_DAYS,
    )


def _common(db: Session, found: Any, known: set[str]) -> tuple[list[tuple[str, int]], list[tuple[str, float]]]:
    """What turns did most often, in counts, and by case the mean change of conviction; no words of anybody."""
    did: Counter[str] = Counter()
    moved: dict[str, list[float]] = {}
    for talk in found[:40]:
        if talk.ended is None or talk.case_name not in known:
            continue
        seen = kept(db, talk)
        for one in turns_told(seen.episode, seen.case):
            did.update(one.did)
        if states := seen.episode.states:
            moved.setdefault(talk.case_name, []).append(states[-1].held - states[0].held)
    means = sorted(((name, sum(own) / len(own)) for name, own in moved.items()), key=lambda one: -one[1])
    return did.most_common(8), means


@router.post("/classes/{group}/settings")
def settings(visit: Visited, group: str) -> Response:
    """The contact, whether the oracle is shown, and a time-limited, crossed-over study of feedback."""
    days = visit.number("arm_days", 0, MAX_ARM_DAYS)
    contact = visit.form.get("contact", "").strip()[:200]
    if not contact:
        return _class(visit, group, "A class needs a person to turn to in distress.", 422)
    with visit.rooms.storage.begin() as db:
        own = own_class(db, visit, group)
        own.contact, own.shows_oracle = contact, visit.form.get("shows_oracle") == "yes"
        if days != own.arm_days:
            own.arm_days, own.arms_from = days, now() if days else None
        note(db, visit.person.id, "class settings", f"{group}: {days} days an arm")
    return visit.to(f"/classes/{group}")


@router.post("/classes/{group}/assignments")
def assign(visit: Visited, group: str) -> Response:
    """Set an exercise: one case, style, length and goal, with the same seed for everybody."""
    form = visit.form
    with visit.rooms.storage.begin() as db:
        own_class(db, visit, group)
        cases = [f"{OWN}{one}" for one in db.scalars(select(OwnCase.id).where(OwnCase.class_id == group))]
        open_to = {*(one.id for one in packaged()), *cases}
        if form.get("case") not in open_to or form.get("style") not in STYLES or form.get("goal") not in CHOICES:
            raise Refused(400, "There is no such case, style or goal.")
        db.add(
            Assignment(
                class_id=group,
                case_name=form["case"],
                style=form["style"],
                goal=form["goal"],
                turns=visit.number("turns", 1, max(LENGTHS)),
                seed=sum(one.case_name == form["case"] for one in assignments(db, [group])),
                note=form.get("note", "")[:2_000],
            )
        )
        note(db, visit.person.id, "exercise set", group)
    return visit.to(f"/classes/{group}")


@router.post("/classes/{group}/cases")
def upload(visit: Visited, group: str) -> Response:
    """Keep a case of one's own, after it was checked."""
    with visit.rooms.storage.begin() as db:
        own_class(db, visit, group)
    try:
        case = read_upload(visit.files.get("file", b""))
    except InvalidCase as error:
        return _class(visit, group, "The case was not kept. " + "; ".join(error.problems[:6]), 422)
    except InputError as error:
        return _class(visit, group, str(error), 422)
    with visit.rooms.storage.begin() as db:
        db.add(
            OwnCase(
                class_id=group, title=f"{case.person.name}, {case.person.age}"[:200], body=case.model_dump(mode="json")
            )
        )
        note(db, visit.person.id, "case uploaded", group)
    return visit.to(f"/classes/{group}")


@router.get("/classes/{group}/export/{kind}")
def export(visit: Visited, group: str, kind: str) -> Response:
    """What was said in a class, of those who consent to research and gave leave, under made-up names."""
    if kind not in FORMATS:
        raise missing()
    made, media = FORMATS[kind]
    with visit.rooms.storage.begin() as db:
        own = own_class(db, visit, group)
        body = made(class_rows(db, own, secret(visit.rooms.settings.folder)))
        note(db, visit.person.id, f"class exported as {kind}", group)
    ending = "zip" if kind == "convokit" else kind
    headers = {"content-disposition": f'attachment; filename="class.{ending}"'}
    return visit.kept(Response(body, media_type=media, headers=headers))


@router.post("/classes/{group}/remove/{member}")
def remove(visit: Visited, group: str, member: str) -> Response:
    """Take somebody out of a class; their sessions stay theirs."""
    with visit.rooms.storage.begin() as db:
        own_class(db, visit, group)
        found = db.get(Member, (group, member))
        if found is None:
            raise missing()
        db.delete(found)
        note(db, visit.person.id, "member removed", group)
    return visit.to(f"/classes/{group}")


@router.post("/classes/{group}/delete")
def delete_class(visit: Visited, group: str) -> Response:
    """Delete a class; sessions stay with the trainees."""
    with visit.rooms.storage.begin() as db:
        own_class(db, visit, group)
        db.execute(delete(Group).where(Group.id == group))
        note(db, visit.person.id, "class deleted", group)
    return visit.to("/classes")


@router.post("/talks/{talk}/comments")
def comment(visit: Visited, talk: str) -> Response:
    """A teacher's words on one turn of a session that they may read."""
    text = visit.form.get("text", "").strip()[:2_000]
    with visit.rooms.storage.begin() as db:
        found = db.get(Talk, talk)
        if found is None or not may_read(db, visit.person, found):
            raise missing()
        if text:
            db.add(
                Comment(talk_id=talk, teacher_id=visit.person.id, number=visit.number("number", 0, 10_000), text=text)
            )
            note(db, visit.person.id, "comment written", talk)
    return visit.to(f"/talks/{talk}/feedback")


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

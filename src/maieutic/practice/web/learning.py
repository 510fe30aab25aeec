"""The way of one exercise: choose a case, converse, formulate, and be told what the questions did."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from maieutic.errors import InputError, ModelError
from maieutic.practice import talks
from maieutic.practice.accounts import consents, joined, may_read, note
from maieutic.practice.cases import LEVEL_NAMES, TOPICS, brief_named, chosen, may_practise, own_cases, packaged
from maieutic.practice.exercise import CHOICES, compared, goal_of, next_kinds
from maieutic.practice.exercise import growth as grown
from maieutic.practice.feedback import curve, turns_told
from maieutic.practice.formulation import formulation_of, handed_in, save, written
from maieutic.practice.model import ASSUMPTION, FIELDS, TurnFeedback
from maieutic.practice.storage import Assignment, Talk, now
from maieutic.practice.web.visit import Refused, Visit, Visited, known, missing
from maieutic.safety.handover import handover_for
from maieutic.safety.risk import disclosed

router = APIRouter(dependencies=[Depends(known)])
GROWTH = 12
"""Sessions shown beside one another, the newest."""


def own_talk(db: Session, visit: Visit, talk: str) -> Talk:
    """A session of the person who asks; nobody else's is there."""
    found = db.get(Talk, talk)
    if found is None or found.user_id != visit.person.id:
        raise missing()
    return found


def _own(visit: Visited, talk: str) -> Talk:
    with visit.rooms.storage.begin() as db:
        return own_talk(db, visit, talk)


Own = Annotated[Talk, Depends(_own)]
"""The session that a page is about, of the person who asks."""


def readable_talk(db: Session, visit: Visit, talk: str) -> Talk:
    """A session of one's own, or one that its trainee gave the leave to read."""
    found = db.get(Talk, talk)
    if found is None or (found.user_id != visit.person.id and not may_read(db, visit.person, found)):
        raise missing()
    return found


@router.get("/cases")
def cases(visit: Visited) -> Response:
    """All cases that can be practised, by level."""
    with visit.rooms.storage.begin() as db:
        names = [case.id for case in packaged()] + [f"own:{one.id}" for one in own_cases(db, visit.person)]
        found = [(name, brief) for name in names if (brief := brief_named(db, name)) is not None]
    level, topic = (visit.request.query_params.get(name, "") for name in ("level", "topic"))
    shown = chosen(found, level, topic)
    return visit.page("cases.html", shown=shown, level=level, topic=topic, levels=LEVEL_NAMES, topics=tuple(TOPICS))


@router.get("/cases/{case}")
def case(visit: Visited, case: str) -> Response:
    """The brief of a case, and the form to begin."""
    with visit.rooms.storage.begin() as db:
        if not may_practise(db, visit.person, case):
            raise missing()
        brief = brief_named(db, case)
        first = not talks.talks_of(db, visit.person.id)
        task_id = visit.request.query_params.get("task", "")
        task = _task(db, visit, task_id, case) if task_id else None
    return visit.page("case.html", name=case, brief=brief, goals=CHOICES, lengths=talks.LENGTHS, first=first, task=task)


def _task(db: Session, visit: Visit, task: str, case: str) -> Assignment:
    """An assignment of a class that the person is in."""
    found = db.get(Assignment, task)
    if found is None or found.class_id not in {g.id for g, _ in joined(db, visit.person.id)} or found.case_name != case:
        raise missing()
    return found


@router.post("/cases/{case}")
def begin(visit: Visited, case: str) -> Response:
    """Begin a session."""
    form = visit.form
    with visit.rooms.storage.begin() as db:
        if not may_practise(db, visit.person, case):
            raise missing()
        if consents(db, visit.person.id)["teaching"] is not True:
            return visit.to("/consent")
        brief = brief_named(db, case)
        task = _task(db, visit, form["task"], case) if form.get("task") else None
    if brief is None:
        raise missing()
    if brief.risk_notice and form.get("risk") != "yes":
        raise Refused(422, "Please read the notice before this case and tick that you have.")
    if not visit.rooms.turn_pace.allows(visit.person.id):
        raise Refused(429, "That was quick. Wait a moment before you begin another session.")
    wish = talks.Wish(
        case,
        task.style if task else form.get("style", "plain"),
        task.turns if task else visit.number("turns", 1, max(talks.LENGTHS)),
        task.goal if task else form.get("goal", ""),
        form.get("guided") == "yes",
        task,
    )
    if wish.goal not in CHOICES:
        raise Refused(400, "There is no such goal.")
    return visit.to(f"/talks/{talks.begin(visit.rooms.storage, visit.rooms.minds, visit.person, wish).id}")


@router.get("/talks/{talk}")
def room(visit: Visited, own: Own) -> Response:
    """The room of a session: what was said, and the form for the next turn."""
    return _room(visit, own.id)


def _room(
    visit: Visit, name: str, error: str = "", draft: str = "", stuck: bool = False, status: int = 200
) -> Response:
    with visit.rooms.storage.begin() as db:
        talk = db.get_one(Talk, name)
        kept = talks.kept(db, talk)
        brief, form = brief_named(db, talk.case_name), written(db, talk)
    turns = kept.turns
    return visit.page(
        "talk.html",
        status,
        talk=talk,
        turns=turns,
        brief=brief,
        told=_told(kept) if talk.feedback else {},
        error=error,
        draft=draft,
        waiting=turns[-1].answer is None,
        goal=CHOICES[talk.goal],
        kinds=next_kinds(kept.episode) if stuck else (),
        number=len(turns),
        form=form,
        now=now(),
    )


def _help(visit: Visit, text: str) -> Response:
    """The fixed text for what somebody wrote of their own danger, on the page that answers: its kind is kept
    nowhere."""
    return visit.page("help.html", handover=handover_for(text))


@router.post("/talks/{talk}/say")
def say(visit: Visited, own: Own) -> Response:
    """Say the next turn."""
    said = visit.form.get("said", "")
    if not visit.rooms.turn_pace.allows(visit.person.id):
        return _room(visit, own.id, "That was quick. Wait a moment, then send it again.", said, status=429)
    try:
        talks.say(visit.rooms.storage, visit.rooms.minds, own, visit.number("number", 1, 10_000), said)
    except (InputError, ModelError) as error:
        return _room(visit, own.id, str(error), said, status=422)
    return _help(visit, said) if disclosed(said) else visit.to(f"/talks/{own.id}#last")


@router.post("/talks/{talk}/answer")
def answer(visit: Visited, own: Own) -> Response:
    """Answer a turn that a stopped server left waiting."""
    try:
        talks.answer(visit.rooms.storage, visit.rooms.minds, own)
    except ModelError as error:
        return _room(visit, own.id, str(error), status=422)
    return visit.to(f"/talks/{own.id}#last")


@router.get("/talks/{talk}/stuck")
def stuck(visit: Visited, own: Own) -> Response:
    """Three kinds of next question; never the sentence."""
    return _room(visit, own.id, stuck=True)


@router.post("/talks/{talk}/notes")
def notes(visit: Visited, talk: str) -> Response:
    """Keep the notes."""
    text = visit.form.get("notes", "")[:20_000]
    with visit.rooms.storage.begin() as db:
        own_talk(db, visit, talk).notes = text
    return _help(visit, text) if disclosed(text) else visit.to(f"/talks/{talk}")


@router.post("/talks/{talk}/end")
def end(visit: Visited, own: Own) -> Response:
    """End the session and go on to the formulation."""
    talks.end(visit.rooms.storage, own, "you ended it")
    return visit.to(f"/talks/{own.id}/formulation")


@router.post("/talks/{talk}/replay")
def replay(visit: Visited, own: Own) -> Response:
    """Ask it differently: a branch before a turn."""
    try:
        branch = talks.fork(visit.rooms.storage, own, visit.number("number", 1, 10_000))
    except InputError as error:
        return _room(visit, own.id, str(error), status=422)
    return visit.to(f"/talks/{branch.id}")


def _told(kept: talks.Kept) -> dict[int, TurnFeedback]:
    """Feedback by number of the turn."""
    return {one.number: one for one in turns_told(kept.episode, kept.case, kept.readings)}


@router.get("/talks/{talk}/branches/{branch}")
def branches(visit: Visited, talk: str, branch: str) -> Response:
    """Two branches side by side, from the turn at which they part."""
    with visit.rooms.storage.begin() as db:
        first, second = own_talk(db, visit, talk), own_talk(db, visit, branch)
        if second.forked_from != first.id:
            raise missing()
        sides = []
        for one in (first, second):
            kept = talks.kept(db, one)
            apart = [turn for turn in kept.turns if turn.number >= (second.forked_at or 1)]
            sides.append((one, apart, _told(kept) if one.feedback else {}))
    return visit.page("branches.html", sides=sides, at=second.forked_at)


@router.get("/talks/{talk}/formulation")
def formulation(visit: Visited, talk: str) -> Response:
    """The diagram as a form; once handed in, beside the reference with its score."""
    with visit.rooms.storage.begin() as db:
        own = own_talk(db, visit, talk)
        form, kept = written(db, own), talks.kept(db, own)
    if form is not None and form.handed_in is not None:
        return visit.page("formulated.html", talk=own, done=handed_in(kept, form, packaged()), fields=FIELDS)
    entries = formulation_of(form.body if form else {})
    return visit.page("formulation.html", talk=own, fields=FIELDS, entries=entries, turns=kept.turns, saved=form)


@router.post("/talks/{talk}/formulation")
def write(visit: Visited, talk: str) -> Response:
    """Save the form, or hand it in: then it stays, and the session is over."""
    done = visit.form.get("do") == "hand in"
    with visit.rooms.storage.begin() as db:
        own = own_talk(db, visit, talk)
        save(db, own, visit.form, done)
    if disclosed(text := "\n".join(visit.form.values())):
        return _help(visit, text)
    if done:
        talks.end(visit.rooms.storage, own, "you ended it")
    return visit.to(f"/talks/{talk}/formulation")


@router.get("/talks/{talk}/feedback")
def feedback(visit: Visited, talk: str) -> Response:
    """What each turn did and the session came to; beside the agent once the formulation is handed in."""
    with visit.rooms.storage.begin() as db:
        own = readable_talk(db, visit, talk)
        kept, form = talks.kept(db, own), written(db, own)
        brief, said = brief_named(db, own.case_name), talks.comments(db, own)
        forks = db.scalars(select(Talk).where(Talk.forked_from == own.id)).all()
        own_side = own.user_id == visit.person.id
        if not own_side:
            note(db, visit.person.id, "session read", own.id)
    if own.ended is None and own_side:
        return visit.to(f"/talks/{talk}")
    shown = _told(kept) if own.feedback or not own_side else None
    after = form is not None and form.handed_in is not None
    beside = _beside(visit, kept) if after and shown is not None and "compare" in visit.request.query_params else None
    return visit.page(
        "feedback.html",
        talk=own,
        turns=kept.turns,
        told=shown,
        points=curve(kept.episode),
        assumption=ASSUMPTION,
        goal=goal_of(own, kept.episode),
        brief=brief,
        handed_in=after,
        beside=beside,
        forks=forks,
        comments=said,
        own_side=own_side,
    )


@router.get("/growth")
def growth(visit: Visited) -> Response:
    """What changed over one's finished sessions, within the simulation."""
    with visit.rooms.storage.begin() as db:
        found = [talk for talk, number in talks.talks_of(db, visit.person.id) if number and talk.feedback]
        over = [talk for talk in found if talk.ended is not None and talk.ending != talks.HANDED_OVER][:GROWTH][::-1]
        sessions = [(kept.episode, kept.case) for kept in (talks.kept(db, one) for one in over)]
    return visit.page("growth.html", rows=grown(sessions) if sessions else (), over=over)


def _beside(visit: Visit, kept: talks.Kept) -> object:
    with visit.rooms.storage.begin() as db:
        oracle = any(group.shows_oracle for group, _ in joined(db, kept.talk.user_id))
    return compared(visit.rooms.storage, visit.rooms.minds, kept, oracle=oracle)

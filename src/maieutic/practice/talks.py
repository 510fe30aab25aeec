"""A practice session: begun, said turn by turn, branched and ended. What was said is kept before it is answered."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from maieutic.dialogue import Progress
from maieutic.domain.case import Case
from maieutic.errors import InputError
from maieutic.practice.accounts import consents, note
from maieutic.practice.cases import case_behind, case_of
from maieutic.practice.classes import feedback_now
from maieutic.practice.minds import Minds, lines_of, progress_of
from maieutic.practice.reader import Reading, reading_of
from maieutic.practice.storage import Storage
from maieutic.practice.tables import Assignment, Comment, Spoken, Talk, User, now

if TYPE_CHECKING:
    from sqlalchemy.engine import CursorResult
from maieutic.safety.risk import assess

LENGTHS = (10, 15, 20, 30)
LONGEST_SAID = 4_000
"""Characters of a turn; a person says a few hundred."""
HANDED_OVER = "handed over"
SEEDS = 1_000


@dataclass(frozen=True, slots=True)
class Wish:
    """What a trainee chose: the case and its style, turns at most, the goal of the exercise, and whether hints are
    wanted."""

    case_name: str
    style: str
    turns: int
    goal: str
    guided: bool = False
    assignment: Assignment | None = None


def begin(storage: Storage, minds: Minds, user: User, wish: Wish) -> Talk:
    """A new session in which the patient has spoken first. Raises `UnknownName` for a case or style that there is
    not."""
    with storage.begin() as db:
        case = case_of(db, wish.case_name, wish.style)
        told = feedback_now(db, user.id, consents(db, user.id)["research"] is True)
    seed = wish.assignment.seed if wish.assignment else secrets.randbelow(SEEDS)
    progress = minds.opened(case, seed)
    with storage.begin() as db:
        talk = Talk(
            user_id=user.id,
            case_name=wish.case_name,
            style=wish.style,
            seed=seed,
            turns=wish.turns,
            goal=wish.goal,
            guided=wish.guided,
            feedback=told,
            assignment_id=wish.assignment.id if wish.assignment else None,
        )
        db.add(talk)
        db.flush()
        opening = progress.session.turns[0].text
        db.add(Spoken(talk_id=talk.id, number=0, answer=opening, lines=lines_of(case, seed, progress)))
        note(db, user.id, "session begun", talk.id)
    return talk


def spoken(db: Session, talk: Talk) -> Sequence[Spoken]:
    """All turns in order; number 0 is the opening."""
    return db.scalars(select(Spoken).where(Spoken.talk_id == talk.id).order_by(Spoken.number)).all()


def progress(case: Case, talk: Talk, turns: Sequence[Spoken]) -> Progress:
    """Where a session stands after the turns that were answered."""
    return progress_of([one.lines for one in turns if one.lines is not None], case, talk.seed)


def discloses(text: str) -> bool:
    """What people write of their own danger, which must meet the hand-over; a therapist's question about risk must
    not."""
    found = assess(text)
    return found.flagged and found.by == "rules" and found.grade != "hint"


def say(storage: Storage, minds: Minds, talk: Talk, number: int, text: str) -> None:
    """Say turn `number`; the same turn sent twice is said once.

    Raises:
        InputError: nothing or too much was said, the session is over, or another turn stands there already.
    """
    text = text.strip()
    if not text:
        raise InputError("nothing was written; say something to the patient, or end the session")
    if len(text) > LONGEST_SAID:
        raise InputError(f"that is {len(text)} characters; a turn may have {LONGEST_SAID} at most")
    if discloses(text):
        end(storage, talk, HANDED_OVER)
        return
    try:
        with storage.begin() as db:
            fresh = db.get_one(Talk, talk.id)
            turns = spoken(db, fresh)
            there = next((one for one in turns if one.number == number), None)
            if there is not None and there.said != text:
                raise InputError(f"turn {number} was said already, perhaps in another window; read on from there")
            if there is None:
                if fresh.ended is not None:
                    raise InputError("this session is over; replay it from a turn, or begin another")
                if number != len(turns) or turns[-1].answer is None:
                    raise InputError("the patient has not answered the turn before; load the page again")
                db.add(Spoken(talk_id=talk.id, number=number, said=text))
    except IntegrityError:
        pass  # the same form came twice at once: the other one is being answered
    answer(storage, minds, talk)


def answer(storage: Storage, minds: Minds, talk: Talk) -> None:
    """Answer the turn that waits, if one does: also after a server was killed in the middle."""
    with storage.begin() as db:
        turns = spoken(db, talk)
        case = case_behind(db, talk)
    last = turns[-1]
    if last.answer is not None or last.said is None:
        return
    after = minds.answered(case, talk.seed, progress(case, talk, turns), last.said)
    words = after.session.turns[-1].text if after.session.turns[-1].speaker == "patient" else ""
    over = after.ending is not None or last.number >= talk.turns
    why = "the patient ended the session" if after.ending is not None else f"{talk.turns} turns were used"
    with storage.begin() as db:
        kept = db.execute(
            update(Spoken)
            .where(Spoken.talk_id == talk.id, Spoken.number == last.number, Spoken.answer.is_(None))
            .values(answer=words, lines=lines_of(case, talk.seed, after))
        )
        if cast("CursorResult[Any]", kept).rowcount == 0:
            return  # answered meanwhile, in words that another reading belongs to
        if over:
            db.execute(update(Talk).where(Talk.id == talk.id, Talk.ended.is_(None)).values(ended=now(), ending=why))
    read = minds.read(case, talk.seed, after) if talk.feedback else None
    if read is not None:
        with storage.begin() as db:
            db.execute(
                update(Spoken)
                .where(Spoken.talk_id == talk.id, Spoken.number == last.number)
                .values(reading=read.kept())
            )


def readings(turns: Sequence[Spoken]) -> dict[int, Reading]:
    """What a language model read in the turns that it was asked about, by number."""
    return {one.number: reading_of(one.reading) for one in turns if one.reading is not None}


def end(storage: Storage, talk: Talk, why: str) -> None:
    """End a session; one that is over stays as it ended."""
    with storage.begin() as db:
        db.execute(update(Talk).where(Talk.id == talk.id, Talk.ended.is_(None)).values(ended=now(), ending=why))
        note(db, talk.user_id, "session ended", f"{talk.id}: {why}")


def fork(storage: Storage, talk: Talk, number: int) -> Talk:
    """A branch that goes on before turn `number`, with the same patient in the same mind; the first one stays as it
    is."""
    with storage.begin() as db:
        turns = spoken(db, talk)
        if not 1 <= number < len(turns):
            raise InputError(f"there is no turn {number} to ask differently")
        branch = Talk(
            user_id=talk.user_id,
            case_name=talk.case_name,
            style=talk.style,
            seed=talk.seed,
            turns=talk.turns,
            goal=talk.goal,
            guided=talk.guided,
            feedback=talk.feedback,
            assignment_id=talk.assignment_id,
            forked_from=talk.id,
            forked_at=number,
        )
        db.add(branch)
        db.flush()
        for one in turns[:number]:
            db.add(
                Spoken(
                    talk_id=branch.id,
                    number=one.number,
                    said=one.said,
                    answer=one.answer,
                    lines=one.lines,
                    reading=one.reading,
                    at=one.at,
                )
            )
        note(db, talk.user_id, "session branched", f"{talk.id} at turn {number}")
    return branch


def talks_of(db: Session, user_id: str) -> Sequence[tuple[Talk, int]]:
    """A person's sessions, newest first, with the number of turns said in each."""
    counted = select(func.count()).where(Spoken.talk_id == Talk.id, Spoken.number > 0).scalar_subquery()
    found = db.execute(select(Talk, counted).where(Talk.user_id == user_id).order_by(Talk.begun.desc()))
    return [(talk, number) for talk, number in found]


def comments(db: Session, talk: Talk) -> dict[int, list[Comment]]:
    """A teacher's comments, by turn."""
    found: dict[int, list[Comment]] = {}
    for one in db.scalars(select(Comment).where(Comment.talk_id == talk.id).order_by(Comment.at)):
        found.setdefault(one.number, []).append(one)
    return found

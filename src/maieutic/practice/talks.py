"""A practice session: begun, said turn by turn, branched and ended; what was said is kept before it is answered.

The simulated patients behind it are played by one loop in a thread of its own, whoever asks.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlalchemy import func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Event, Progress, Streams, converse
from maieutic.domain.case import Case
from maieutic.domain.episode import Ending, Episode, EpisodeKey
from maieutic.errors import InputError
from maieutic.evaluation.journal import record_of, turn_line
from maieutic.evaluation.plan import drawn_situation
from maieutic.practice.accounts import consents, feedback_now, note
from maieutic.practice.cases import case_behind, case_of
from maieutic.practice.reader import Reading, read_turn, reading_of
from maieutic.practice.storage import Assignment, Comment, Spoken, Storage, Talk, User, now
from maieutic.protocols import LanguageModel
from maieutic.registry import load_therapist
from maieutic.safety.risk import disclosed
from maieutic.serving.offers import offered
from maieutic.serving.request import turn_of
from maieutic.serving.served import RUN_SEED, Caller, Patients

if TYPE_CHECKING:
    from sqlalchemy.engine import CursorResult


T = TypeVar("T")
BY_MODEL = "simulated+llm"
"""Kinds of patient whose model reads turns, too; one that only words answers may be too small for it."""
PATIENCE = 120.0
"""Seconds for one answer; a patient that a model words can be slow."""


@dataclass(frozen=True, slots=True)
class Minds:
    """Plays patients. Every call waits for its answer and may come from any thread.

    Attributes:
        patients: Makes them, and remembers which it made.
        loop: Where they are played.
        reader: The language model behind the patients, which reads the trainee's turns, too; None where there is none.
    """

    patients: Patients
    loop: asyncio.AbstractEventLoop
    _thread: threading.Thread = field(repr=False)
    reader: LanguageModel | None = None

    def opened(self, case: Case, seed: int) -> Progress:
        """A session in which the patient has spoken first."""
        return self._played(self.patients.opened(case, seed))

    def answered(self, case: Case, seed: int, progress: Progress, said: str) -> Progress:
        """What a turn does to the patient, and what the patient says to it. Raises `ModelError`."""
        return self._played(self.patients.answered(case, seed, progress, turn_of("therapist", said)))

    def read(self, case: Case, seed: int, progress: Progress) -> Reading | None:
        """What the model reads in the last turn; None where there is no model, or nothing was answered."""
        if self.reader is None or progress.session.turns[-1].speaker != "patient":
            return None
        try:
            return self._played(read_turn(self.reader, progress.session, (case.id, str(seed))))
        except TimeoutError:
            return Reading(self.reader.name, unread=f"it gave no answer in {PATIENCE:.0f} s")

    def compared(self, case: Case, seed: int, therapist: str, turns: int) -> list[bytes]:
        """The journal of a therapist's own session on the same case and seed."""
        return self._played(self._session(case, seed, therapist, turns))

    async def _session(self, case: Case, seed: int, therapist: str, turns: int) -> list[bytes]:
        lines: list[bytes] = []

        async def heard(event: Event) -> None:
            lines.append(turn_line(event))
            await asyncio.sleep(0.01)  # people who practise get their turns between two of this session

        patient = self.patients.make(case, drawn_situation(case, RUN_SEED, seed))
        streams = Streams(RUN_SEED, EpisodeKey(therapist, case.id, seed))
        await converse(Conversation(load_therapist(therapist), patient, self.patients.coder, turns, streams, heard))
        return lines

    def _played(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE)

    def close(self) -> None:
        """Stop playing."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()


def start(patient: str) -> Minds:
    """Patients of a kind, as in `maieutic evaluate`. Raises `InputError` for one that cannot be had."""
    offers = offered(cases=("starter",), patient=patient)
    reads = patient.startswith(BY_MODEL) and offers.models
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="minds", daemon=True)
    thread.start()
    patients = Patients(offers.patients.make, RuleCoder())
    return Minds(patients, loop, thread, offers.models[-1] if reads else None)


def lines_of(case: Case, seed: int, progress: Progress) -> bytes:
    """The last turn of a session and its answer as lines of a journal, hidden side included."""
    key, turns = EpisodeKey(Caller().name, case.id, seed), progress.session.turns
    state = progress.states[-1] if progress.states else None
    code = progress.codes[-1] if progress.codes else None
    taken = progress.appraisals[-1] if progress.appraisals else None
    answer = Event(key, len(turns) - 1, turns[-1], state, code, taken, progress.ending)
    asked = [] if len(turns) == 1 else [turn_line(Event(key, len(turns) - 2, turns[-2], None))]
    return b"".join([*asked, turn_line(answer)])


def progress_of(lines: Sequence[bytes], case: Case, seed: int) -> Progress:
    """Where a kept session stands, word for word and state for state, whatever became of the patients since."""
    streams = Streams(RUN_SEED, EpisodeKey(Caller().name, case.id, seed))
    split = [line for one in lines for line in one.splitlines()]
    return record_of(split).progress(streams.session_seed)


def episode_of(lines: Sequence[bytes], case: Case, seed: int, therapist: str = "caller") -> Episode:
    """A kept session as measures take it."""
    progress = progress_of(lines, case, seed)
    return Episode(
        EpisodeKey(therapist, case.id, seed),
        progress.session,
        progress.states,
        progress.codes,
        progress.appraisals,
        progress.ending or Ending("turn_limit"),
    )


LENGTHS = (10, 15, 20, 30)
MAX_SAID = 4_000
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


@dataclass(frozen=True)
class Kept:
    """A session as it was kept: all turns in order, number 0 being the opening, and the case behind it."""

    talk: Talk
    turns: Sequence[Spoken]
    case: Case

    @property
    def lines(self) -> list[bytes]:
        """Of the turns that were answered."""
        return [one.lines for one in self.turns if one.lines is not None]

    @cached_property
    def episode(self) -> Episode:
        """The session as measures take it."""
        return episode_of(self.lines, self.case, self.talk.seed)

    @property
    def readings(self) -> dict[int, Reading]:
        """What a language model read in the turns that it was asked about, by number."""
        return {one.number: reading_of(one.reading) for one in self.turns if one.reading is not None}


def kept(db: Session, talk: Talk) -> Kept:
    """A session with its turns and its case. Raises `UnknownName` for a case that is no more."""
    return Kept(talk, spoken(db, talk), case_behind(db, talk))


def say(storage: Storage, minds: Minds, talk: Talk, number: int, text: str) -> None:
    """Say turn `number`; the same turn sent twice is said once.

    Raises:
        InputError: nothing or too much was said, the session is over, or another turn stands there already.
    """
    text = text.strip()
    if not text:
        raise InputError("nothing was written; say something to the patient, or end the session")
    if len(text) > MAX_SAID:
        raise InputError(f"that is {len(text)} characters; a turn may have {MAX_SAID} at most")
    if disclosed(text):
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
        before = kept(db, talk)
    case, last = before.case, before.turns[-1]
    if last.answer is not None or last.said is None:
        return
    after = minds.answered(case, talk.seed, progress_of(before.lines, case, talk.seed), last.said)
    words = after.session.turns[-1].text if after.session.turns[-1].speaker == "patient" else ""
    over = after.ending is not None or last.number >= talk.turns
    why = "the patient ended the session" if after.ending is not None else f"{talk.turns} turns were used"
    with storage.begin() as db:
        changed = db.execute(
            update(Spoken)
            .where(Spoken.talk_id == talk.id, Spoken.number == last.number, Spoken.answer.is_(None))
            .values(answer=words, lines=lines_of(case, talk.seed, after))
        )
        if cast("CursorResult[Any]", changed).rowcount == 0:
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
        own = ("user_id", "case_name", "style", "seed", "turns", "goal", "guided", "feedback", "assignment_id")
        branch = Talk(**{name: getattr(talk, name) for name in own}, forked_from=talk.id, forked_at=number)
        db.add(branch)
        db.flush()
        for one in turns[:number]:
            said = {name: getattr(one, name) for name in ("number", "said", "answer", "lines", "reading", "at")}
            db.add(Spoken(talk_id=branch.id, **said))
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

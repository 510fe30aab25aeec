"""The desk at which a therapist is asked: replies, answers and whole sessions, each taped, timed and counted.

The tape is append-only, so that a killed run loses at most the call in flight: a therapist is a function of what was
said and of the session's seed, so what is on the tape stands for the call.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, cast

import orjson

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.episode import Answer, Ending, Episode, EpisodeKey, Question, Session, Turn, Usage
from maieutic.errors import (
    BudgetReached,
    MaieuticError,
    ModelError,
    ModelTimeout,
    ModelUnavailable,
    NotAnswerable,
    RunFolderError,
)
from maieutic.evaluation.run import EarlyStop
from maieutic.gap.unusable import fault_of, is_wordless
from maieutic.library import get_case
from maieutic.protocols import Therapist
from maieutic.reading.plain import counted, plain, plain_answer, plain_turn
from maieutic.runs.journal import Checkpoint, packed
from maieutic.runs.work import Budget
from maieutic.worlds import STANDARD_WORLD, SimulatorConfig, marks_of, patient_of


def cache_key(*parts: Any) -> str:
    """Names a call by what it depends on: 32 hex digits."""
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()[:32]


class ReplayCache(Checkpoint[dict[str, Any]]):
    """What a therapist said in one battery; without a file it is kept in memory only."""

    def __init__(self, path: Path | None = None) -> None:
        """Reads what is there and goes on at its end. Raises `RunFolderError`, `StorageError`."""
        super().__init__(path, "mark", dict, damaged=partial(_damaged, path))

    def turn(self, mark: str) -> Turn | None:
        """The reply of a call, or None."""
        line = self.found.get(mark)
        if line is None or "text" not in line:
            return None
        ending = Ending(**line["ending"]) if line.get("ending") else None
        return Turn("therapist", line["text"], ending, line.get("trace"), _usage(line))

    def answer(self, mark: str) -> Answer | None:
        """The answer of a call, or None."""
        line = self.found.get(mark)
        return None if line is None or "text" not in line else Answer(line["text"], _usage(line))

    def keep_turn(self, mark: str, turn: Turn) -> None:
        """Put a reply on the tape, as it was written. Raises `StorageError`."""
        written = turn.original or turn.text
        self._keep({"mark": mark, "text": written, "ending": turn.ending, "trace": turn.trace, "usage": turn.usage})

    def keep_answer(self, mark: str, answer: Answer) -> None:
        """Put an answer on the tape, as it was written. Raises `StorageError`."""
        self._keep({"mark": mark, "text": answer.original or answer.text, "usage": answer.usage})

    def lines(self) -> list[bytes]:
        """All that is on the tape, as lines of its file."""
        return [packed(line) for line in self.found.values()]

    def add(self, packed: bytes) -> None:
        """Put a line on the tape that another tape made. Raises `StorageError`."""
        self._keep(orjson.loads(packed))

    def _keep(self, line: dict[str, Any]) -> None:
        kept = packed(line)
        # What a resumed run reads and what this one goes on with must be the same thing.
        self.found[line["mark"]] = orjson.loads(kept)
        self.write_line(kept)


def _damaged(path: Path | None, number: int) -> RunFolderError:
    return RunFolderError(f"{path}, line {number}, is not a line of a tape; start a new folder")


def _usage(line: dict[str, Any]) -> Usage | None:
    return Usage(**line["usage"]) if line.get("usage") else None


class NotApplicable(MaieuticError):
    """The therapist has no door for what is asked; no failure of its own."""


class Unusable(MaieuticError):
    """A reply that cannot be read: empty, another language, data instead of words, a refusal where none fits."""


def counted_of(originals: Mapping[str, str | None]) -> dict[str, int]:
    """How many replies each kind of markup was cleaned in, of what was written where it is not what was read."""
    return counted(plain(one).cleaned for one in originals.values() if one is not None)


def reason_of(error: Exception) -> str:
    """Why a unit is missing, as it is told and counted."""
    return str(error) if isinstance(error, Unusable) else f"{type(error).__name__}: {error}"


class Answers(Protocol):
    """A therapist that can be asked outside the dialogue."""

    async def answer(self, question: Question, session: Session) -> Answer: ...


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """A whole session with a simulated patient: the case, the seed, the therapist turns, and the number of the session.

    Attributes:
        number: 1 for a first session; n plays the n − 1 sessions before it too, and carries the patient's mind over.
    """

    case: str
    seed: int
    turns: int
    number: int = 1


@dataclass(slots=True)
class RecordingClient:
    """One therapist at work.

    Attributes:
        therapist: Who is asked.
        tape: What it said so far; a call that is on it is not made again.
        seed: Of the battery; part of every session's seed.
        seconds: A reply that takes longer counts as a time-out.
        budget: The calls of the run, which other clients may share.
        tick: Told of every reply, taped or new.
        allow: Asked before every new call; raises `BudgetReached` when there is to be none.
        world: The world of the simulated patients.
        stop: Says when nothing more is asked because it fails alike again and again.
        failed: Replies and answers that a model did not give. failure: Why it last did not.
    """

    therapist: Therapist
    cache: ReplayCache
    seed: int = 0
    seconds: float = 120.0
    budget: Budget = field(default_factory=Budget)
    tick: Callable[[], None] = lambda: None
    allow: Callable[[], Awaitable[None]] | None = None
    world: SimulatorConfig = STANDARD_WORLD
    calls: int = 0
    stop: EarlyStop = field(default_factory=EarlyStop)
    failed: int = 0
    failure: str = ""
    _sessions: dict[SessionSpec, asyncio.Task[Episode]] = field(default_factory=dict)
    _cleaned: dict[str, str | None] = field(default_factory=dict)

    @property
    def cleaned(self) -> dict[str, int]:
        """How many different replies and answers each kind was cleaned in, the taped ones too."""
        return counted_of(self._cleaned)

    @property
    def originals(self) -> dict[str, str | None]:
        """What was written where it is not what was read, by the mark of the call."""
        return self._cleaned

    async def reply(self, session: Session, *, refusals: bool = False, any_words: bool = False) -> Turn:
        """The next therapist turn. `session.seed` is part of what decides it: another seed, another draw.

        Args:
            refusals: A refusal is an answer here, not a missing one.
            any_words: Empty, foreign and coded replies are answers too.

        Raises:
            Unusable: it cannot be read. ModelError: there was none. BudgetReached: the run's calls are spent.
        """
        heard = session.heard_by("therapist")
        mark = cache_key("reply", session.seed, [(t.speaker, t.text) for t in heard.turns])
        turn = self.cache.turn(mark)
        if turn is None:
            turn = await self._within(self.therapist.respond(heard))
            self.cache.keep_turn(mark, turn)
        self.tick()
        turn = plain_turn(turn)
        self._cleaned[mark] = turn.original
        fault = None if any_words else fault_of(turn.text, refusals=refusals)
        if fault:
            raise Unusable(fault)
        return turn

    async def answer(self, question: Question, session: Session | None = None) -> Answer:
        """The therapist's answer to a question outside the dialogue, in words that the caller reads.

        Raises:
            NotApplicable: the therapist cannot be asked, or not that. Unusable: an empty answer. ModelError,
                BudgetReached.
        """
        about = session or Session(seed=self.seed)
        door = getattr(self.therapist, "answer", None)
        if door is None:
            raise NotApplicable(f"{self.therapist.name} cannot be asked outside the dialogue: it has no answer()")
        turns = [(t.speaker, t.text) for t in about.turns]
        mark = cache_key("answer", about.seed, turns, question.id, question.text)
        found = self.cache.answer(mark)
        if found is None:
            asked = cast(Answers, self.therapist).answer(question, about.heard_by("therapist"))
            try:
                found = await self._within(asked)
            except NotAnswerable as error:
                raise NotApplicable(str(error)) from error
            self.cache.keep_answer(mark, found)
        self.tick()
        found = plain_answer(found)
        self._cleaned[mark] = found.original
        if not found.text.strip():
            raise Unusable("empty answer")
        return found

    async def words(self, question: Question, session: Session) -> str:
        """The words of an answer; a bare number is one.

        Raises:
            Unusable: Also for data instead of words, another language and a refusal. Others as `answer`.
        """
        text = (await self.answer(question, session)).text
        fault = None if is_wordless(text) else fault_of(text)
        if fault:
            raise Unusable(fault)
        return text

    async def attempt(
        self, question: Question, session: Session, read: Callable[[str], dict[str, Any]]
    ) -> dict[str, Any]:
        """What is read from an answer, or its `fault` and whether it is `applicable`: one that is missing spoils
        nothing else of its unit. Raises `BudgetReached`."""
        try:
            return read((await self.answer(question, session)).text)
        except NotApplicable as none:
            return {"fault": str(none), "applicable": False}
        except (ModelError, Unusable) as none:
            return {"fault": reason_of(none), "applicable": True}

    async def play(self, spec: SessionSpec) -> Episode:
        """A whole session; played once however many families read it. A failed dialogue comes back as failed."""
        if spec not in self._sessions:
            self._sessions[spec] = asyncio.ensure_future(self._play(spec))
        return await asyncio.shield(self._sessions[spec])

    async def whole(self, spec: SessionSpec) -> Episode:
        """A whole session that did not fail. Raises `Unusable` for one that did."""
        episode = await self.play(spec)
        if episode.failed:
            raise Unusable(f"the session failed: {episode.ending.reason}")
        return episode

    async def _play(self, spec: SessionSpec) -> Episode:
        carried = None
        if spec.number > 1:
            before = await self.play(replace(spec, number=spec.number - 1))
            if before.failed:
                return before
            carried = before.states[-1]
        case = get_case(spec.case)
        patient = patient_of(case, spec.seed, self.world)
        name = f"{case.id}#{spec.number}" if spec.number > 1 else case.id
        streams = Streams(self.seed, EpisodeKey(self.therapist.name, name, spec.seed))
        seated = patient if carried is None else _Returning(patient, carried)
        talk = Conversation(RecordedTherapist(self), seated, RuleCoder(), spec.turns, streams)
        episode = await converse(talk, guarded=True)
        return replace(episode, provenance=marks_of(case, patient.mind.situation))

    async def _within(self, asked: Any) -> Any:
        try:
            self.budget.check()
            if self.stop.stopped:
                self.failed += 1
                raise ModelUnavailable(self.stop.stopped)
            if self.allow is not None:
                await self.allow()
        except (BudgetReached, ModelUnavailable):
            if hasattr(asked, "close"):
                asked.close()
            raise
        self.budget.calls += 1
        self.calls += 1
        try:
            found = await self._timed(asked)
        except ModelError as error:
            self.stop.failed(reason_of(error))
            self.failed += 1
            self.failure = reason_of(error)
            raise
        self.stop.worked()
        return found

    async def _timed(self, asked: Any) -> Any:
        try:
            return await asyncio.wait_for(asked, self.seconds)
        except TimeoutError as error:
            raise ModelTimeout(f"no reply within {self.seconds:g} s") from error


@dataclass(frozen=True, slots=True)
class RecordedTherapist:
    """The therapist as the loop of a whole session sees it: every turn goes through the desk."""

    client: RecordingClient

    @property
    def name(self) -> str:
        return self.client.therapist.name

    async def respond(self, session: Session) -> Turn:
        return await self.client.reply(session, refusals=True)


async def played_by(
    speaker: Therapist, spec: SessionSpec, seed: int, world: SimulatorConfig, *, guarded: bool = False
) -> Episode:
    """A session of a sitting's patient with a speaker of one's own; luck and seed are those of the desk's session.

    Who is not asked through the desk costs no call, and nothing of it belongs on the therapist's tape.
    """
    case = get_case(spec.case)
    patient = patient_of(case, spec.seed, world)
    streams = Streams(seed, EpisodeKey(speaker.name, case.id, spec.seed))
    return await converse(Conversation(speaker, patient, RuleCoder(), spec.turns, streams), guarded=guarded)


class _Returning:
    """A patient who comes back with the mind of the last session."""

    def __init__(self, patient: Any, carried: Any) -> None:
        self._patient, self._carried = patient, carried

    def __getattr__(self, name: str) -> Any:
        return getattr(self._patient, name)

    def begin(self, rng: Any, carried: Any = None) -> Any:
        return self._patient.begin(rng, self._carried)

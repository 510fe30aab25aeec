"""`converse()`: the one loop that evaluation, training, practice and serving share. It prints nothing and saves
nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from typing import Any, TypeVar

from maieutic.domain.appraisal import SILENCE, Appraisal
from maieutic.domain.codes import TurnCode
from maieutic.domain.episode import Ending, Episode, EpisodeKey, Session, Turn
from maieutic.domain.randomness import derive, derive_seed
from maieutic.domain.state import CognitiveState
from maieutic.errors import BudgetReached, InputError, ModelError, StorageError
from maieutic.protocols import Coder, Patient, Therapist
from maieutic.reading.plain import plain_turn

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Streams:
    """The named random streams of one episode.

    The patient's streams leave the therapist out, so that all arms meet the same patient with the same luck, in what is
    heard as in what moves, and can be paired (design/2026-11-21-random-streams.md). The therapist's stream is told
    apart by its name, or by `known_as`: the name under which the same therapist runs in process, for one that answers
    from elsewhere.
    """

    run_seed: int
    key: EpisodeKey
    known_as: str | None = None

    @property
    def session_seed(self) -> int:
        name = self.known_as or self.key.therapist
        return derive_seed(self.run_seed, self.key.case, self.key.seed, "therapist", name)

    @property
    def patient_seed(self) -> int:
        return derive_seed(self.run_seed, self.key.case, self.key.seed, "patient", "session")

    def heard_by_patient(self, session: Session) -> Session:
        """The session as the patient meets it: without the therapist's traces, with the patient's own luck."""
        return replace(session.heard_by("patient"), seed=self.patient_seed)

    def patient(self, purpose: str, turn: int) -> Any:
        return derive(self.run_seed, self.key.case, self.key.seed, "patient", purpose, turn)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a dialogue has come; enough to go on with it in another process.

    `session` ends with a patient turn, or with a therapist turn whose effect is not recorded yet.
    """

    session: Session
    states: tuple[CognitiveState, ...] = ()
    codes: tuple[TurnCode | None, ...] = ()
    appraisals: tuple[Appraisal | None, ...] = ()
    ending: Ending | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """One utterance with its hidden side, as it is handed to the observer the moment it exists.

    `said` is False where the patient's mind moved and no words were exchanged: after a therapist turn that ends the
    session, and in the arm without a session.
    """

    key: EpisodeKey
    index: int
    turn: Turn
    state: CognitiveState | None
    code: TurnCode | None = None
    appraisal: Appraisal | None = None
    ending: Ending | None = None
    said: bool = True


Observer = Callable[[Event], Awaitable[None] | None]
"""Told of every utterance; the dialogue goes on when it has returned."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The parts of one dialogue.

    Attributes:
        therapist, patient: The two speakers.
        coder: Codes therapist turns for a patient with a mind; None where the patient has none.
        max_turns: Therapist turns at most.
        streams: Where all randomness comes from.
        observer: Called with every utterance.
    """

    therapist: Therapist
    patient: Patient
    coder: Coder | None
    max_turns: int
    streams: Streams
    observer: Observer | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SaidAgain:
    """A therapist that says what was said, turn by turn, and ends; with the same patient and luck it is the same talk.

    Attributes:
        texts: What is said, in order.
        name: Of the arm; part of a patient's luck where the key of the episode names it.
        over: Why it ends, as the ending tells it.
    """

    texts: tuple[str, ...]
    name: str = "said_again"
    over: str = "all was said"

    async def respond(self, session: Session) -> Turn:
        """The next of them, or the end."""
        number = len(session.by("therapist"))
        if number < len(self.texts):
            return Turn("therapist", self.texts[number])
        return Turn("therapist", "", Ending("completed", self.over))


async def converse(talk: Conversation, *, start: Progress | None = None, guarded: bool = False) -> Episode:
    """Run one dialogue to its end, from the beginning or from where an earlier process left it.

    A model that gives no usable reply ends the dialogue as failed, with the reason and with everything that was said.
    Other exceptions are bugs and pass; with `guarded`, for speakers that somebody else wrote, they too end it as
    failed.
    """
    progress = start or Progress(Session((), talk.streams.session_seed))
    last = progress.session.turns[-1] if progress.session.turns else None
    if progress.ending is None and last is not None and last.speaker == "patient" and last.ending is not None:
        progress = replace(progress, ending=last.ending)
    try:
        if getattr(talk.therapist, "absent", False):
            progress = await _without_session(talk, progress)
        else:
            while progress.ending is None:
                progress = await _step(talk, progress)
    except (BudgetReached, InputError, StorageError):
        raise
    except Exception as error:
        if not (guarded or isinstance(error, ModelError)):
            raise
        progress = replace(progress, ending=Ending("failed", f"{type(error).__name__}: {error}"))
    assert progress.ending is not None
    return Episode(
        key=talk.streams.key,
        session=progress.session,
        states=progress.states,
        codes=progress.codes,
        appraisals=progress.appraisals,
        ending=progress.ending,
        provenance=talk.provenance,
    )


async def _step(talk: Conversation, progress: Progress) -> Progress:
    """The opening, one therapist turn, or one answer: as much as the observer hears of at once."""
    session = progress.session
    if not session.turns:
        return await _open(talk, progress)
    if session.turns[-1].speaker == "patient":
        if len(progress.codes) >= talk.max_turns:
            return replace(progress, ending=Ending("turn_limit"))
        therapist = _informed(talk, progress)
        turn = plain_turn(await therapist.respond(session.heard_by("therapist")))
        session = session + turn
        await _observe(talk, Event(talk.streams.key, len(session) - 1, turn, None, ending=turn.ending))
        return replace(progress, session=session)
    return await _answer(talk, progress)


async def _open(talk: Conversation, progress: Progress) -> Progress:
    state = talk.patient.begin(talk.streams.patient("begin", 0))
    heard = talk.streams.heard_by_patient(progress.session)
    turn = plain_turn(await talk.patient.speak(heard, state, talk.streams.patient("speak", 0)))
    await _observe(talk, Event(talk.streams.key, 0, turn, state, ending=turn.ending))
    states = () if state is None else (state,)
    return replace(progress, session=progress.session + turn, states=states, ending=turn.ending)


async def _answer(talk: Conversation, progress: Progress) -> Progress:
    """What the last therapist turn does to the patient, and what the patient says."""
    session, states = progress.session, progress.states
    heard = talk.streams.heard_by_patient(session)
    number = len(progress.codes) + 1
    said = session.turns[-1]
    code: TurnCode | None = None
    appraisal: Appraisal | None = None
    state: CognitiveState | None = None
    if states:
        code = await _settled(talk.coder.code(heard)) if talk.coder else None
        appraisal = await _settled(talk.patient.comprehend(heard))
        state = talk.patient.transition(states[-1], code, appraisal, talk.streams.patient("move", number))
        states = (*states, state)
    after = replace(
        progress, states=states, codes=(*progress.codes, code), appraisals=(*progress.appraisals, appraisal)
    )
    if said.ending is not None:
        silent = Turn("patient", "")
        event = Event(talk.streams.key, len(session), silent, state, code, appraisal, said.ending, said=False)
        await _observe(talk, event)
        return replace(after, ending=said.ending)
    turn = plain_turn(await talk.patient.speak(heard, state, talk.streams.patient("speak", number)))
    await _observe(talk, Event(talk.streams.key, len(session), turn, state, code, appraisal, turn.ending))
    return replace(after, session=session + turn, ending=turn.ending)


async def _without_session(talk: Conversation, progress: Progress) -> Progress:
    """The arm without a session: the mind is left alone for as long as a session would take."""
    state = talk.patient.begin(talk.streams.patient("begin", 0))
    alone = getattr(talk.patient, "left_alone", None)
    if state is None or alone is None:
        return replace(progress, ending=Ending("failed", "this patient has no mind that could be left alone"))
    states = [state]
    for number in range(1, talk.max_turns + 1):
        states.append(alone(states[-1], talk.streams.patient("move", number)))
    nothing: tuple[TurnCode | None, ...] = (None,) * talk.max_turns
    for index, now in enumerate(states):
        await _observe(talk, Event(talk.streams.key, index, Turn("patient", ""), now, said=False))
    return Progress(
        progress.session, tuple(states), nothing, (SILENCE,) * talk.max_turns, Ending("completed", "no session")
    )


def _informed(talk: Conversation, progress: Progress) -> Therapist:
    """The therapist, with the case and state it declared to need (only privileged ones, such as the oracle)."""
    needs = getattr(talk.therapist, "needs", ())
    if not needs:
        return talk.therapist
    knowledge: dict[str, Any] = {"case": getattr(talk.patient, "case", None)}
    if "state" in needs:
        if not progress.states:
            raise InputError(
                f"therapist {talk.therapist.name!r} needs the patient's hidden state, and {talk.patient.name!r} "
                "has none"
            )
        knowledge["state"] = progress.states[-1]
    informed: Therapist = talk.therapist.informed(**knowledge)  # type: ignore[attr-defined]
    return informed


async def _observe(talk: Conversation, event: Event) -> None:
    if talk.observer is not None:
        await _settled(talk.observer(event))


async def _settled(value: T | Awaitable[T]) -> T:
    if isawaitable(value):
        return await value
    return value

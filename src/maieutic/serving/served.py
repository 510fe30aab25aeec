"""A therapist or a simulated patient behind the API, the caller being the other one.

For a therapist the messages become a session again, with the private traces of its own turns; a patient's mind is
folded from what the caller said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import orjson

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Progress, Streams, converse
from maieutic.domain.case import Case
from maieutic.domain.episode import Episode, EpisodeKey, Session, Turn
from maieutic.errors import ModelRefused
from maieutic.evaluation.plan import RUN_SEED, drawn_situation
from maieutic.protocols import Patient, Therapist
from maieutic.reading.plain import plain_turn
from maieutic.reading.store import Store
from maieutic.serving.request import Refusal, Said, ends_with_caller, foreign_history, turn_of
from maieutic.serving.spoken import History, Key, Spoken, beside, handed_over, in_danger, keys, size_of
from maieutic.therapists.agent.steps import Step
from maieutic.therapists.socratic import SocraticTherapist

_HANDING_OVER = frozenset({Step.HAND_OVER.value, Step.STAY.value})


@dataclass(frozen=True, slots=True)
class Known:
    """A conversation up to one of its turns.

    Attributes:
        turns: What was said, our own turns with their traces.
        foreign: Places of assistant turns that this therapist cannot have said.
        unverified: Some assistant turns were taken as they came.
    """

    turns: tuple[Turn, ...] = ()
    foreign: tuple[int, ...] = ()
    unverified: bool = False


@dataclass(frozen=True, slots=True)
class ServedTherapist:
    """Answers as the patient's counterpart; the caller is the patient.

    An earlier turn of its own is said again where it is not remembered: that brings its trace back, and shows whether
    it is its own. Where a language model would have to be asked for that and the therapist reads no traces, the turn is
    taken as it came, unless histories are strict.

    Attributes:
        id: The model's id.
        therapist: Who answers.
        kept: Conversations of all therapists.
    """

    id: str
    therapist: Therapist
    kept: Store[Key, Known]

    async def reply(self, said: Sequence[Said], seed: int, *, strict: bool) -> Spoken:
        """The therapist's next turn; without any turn of the caller, its opening."""
        ends_with_caller(said)
        if not self._grades_risk and (
            grave := [one.text for one in said if not one.own and in_danger(one.text, "patient")]
        ):
            return handed_over("therapist", *grave)
        told = [turn_of("therapist" if one.own else "patient", one.text) for one in said]
        chain = keys((self.id, seed), (f"{turn.speaker}{turn.text}" for turn in told))
        known = await self._known(told, chain, seed, strict)
        if strict and known.foreign:
            raise foreign_history(self.id, seed, known.foreign[0])
        turn = await self._said(Session(known.turns, seed))
        whole = Known((*known.turns, turn), known.foreign, known.unverified)
        self.kept.put(keys((chain[-1].hex(),), (turn.text,))[-1], whole, size_of(whole.turns))
        trace = turn.trace or {}
        return Spoken(
            turn,
            _history(known),
            known.foreign,
            handed_over=self._grades_risk and trace.get("step") in _HANDING_OVER,
            hidden=turn.trace,
        )

    @property
    def _grades_risk(self) -> bool:
        """The Socratic agent grades risk itself, and hands over by its own protocol; all others are watched."""
        return isinstance(self.therapist, SocraticTherapist)

    async def _known(self, told: Sequence[Turn], chain: Sequence[bytes], seed: int, strict: bool) -> Known:
        known, at = Known(), 0
        for place in range(len(told) - 1, 0, -1):
            found = self.kept.get(keys((chain[place - 1].hex(),), (told[place - 1].text,))[-1])
            if found is not None and (not strict or not found.unverified):
                known, at = found, place
                break
        says_again = strict or self._grades_risk or getattr(self.therapist, "model", None) is None
        for place in range(at, len(told)):
            known = await self._next(known, told[place], seed, says_again)
        return known

    async def _next(self, known: Known, turn: Turn, seed: int, says_again: bool) -> Known:
        if turn.speaker == "patient":
            return Known((*known.turns, turn), known.foreign, known.unverified)
        if not says_again:
            return Known((*known.turns, turn), known.foreign, True)
        own = await self._said(Session(known.turns, seed))
        await asyncio.sleep(0)  # others get their turn between two of a long conversation
        if own.text == turn.text:
            return Known((*known.turns, own), known.foreign, known.unverified)
        return Known((*known.turns, turn), (*known.foreign, len(known.turns)), known.unverified)

    async def _said(self, session: Session) -> Turn:
        """Its next turn. A model's connections belong to the event loop; what others hold is not known to bear two
        threads."""
        agent = self.therapist
        if isinstance(agent, SocraticTherapist) and agent.model is None and agent.listener is None:
            return plain_turn(await beside(partial(agent.respond, session)))
        return plain_turn(await self.therapist.respond(session))


def _history(known: Known) -> History:
    if known.foreign:
        return "foreign"
    if known.unverified:
        return "unverified"
    return "own" if any(turn.speaker == "therapist" for turn in known.turns) else "none"


@dataclass(frozen=True, slots=True)
class Caller:
    """The therapist is at the other end of the line: it is never asked here."""

    name: str = "caller"

    async def respond(self, session: Session) -> Turn:
        raise AssertionError("a caller's turns come with the request")


@dataclass(frozen=True, slots=True)
class Patients:
    """Patients of the cases that are offered, made when they are first talked to.

    Attributes:
        make: (case, situation id) → patient; remembers what it made.
        coder: Codes the caller's turns.
        waits: A turn may wait for a language model; otherwise it is only computed.
    """

    make: Callable[[Case, str], Patient]
    coder: RuleCoder
    waits: bool = True

    async def opened(self, case: Case, seed: int) -> Progress:
        """A session in which the patient has spoken first."""
        return _progress(await converse(self._talk(case, seed, 0)))

    async def answered(self, case: Case, seed: int, progress: Progress, turn: Turn) -> Progress:
        """What a therapist turn does to the patient, and what the patient says to it.

        Raises:
            ModelRefused: a language model behind the patient gave no usable reply.
        """
        start = replace(progress, session=progress.session + turn)
        return _progress(await converse(self._talk(case, seed, len(progress.codes) + 1), start=start))

    def _talk(self, case: Case, seed: int, turns: int) -> Conversation:
        patient = self.make(case, drawn_situation(case, RUN_SEED, seed))
        streams = Streams(RUN_SEED, EpisodeKey(Caller().name, case.id, seed))
        return Conversation(Caller(), patient, self.coder, turns, streams)


def _progress(episode: Episode) -> Progress:
    """Where a session stands; the limit of turns, which only says that the caller comes next, is no ending."""
    if episode.failed:
        raise ModelRefused(episode.ending.reason or "the patient gave no answer")
    ending = None if episode.ending.kind == "turn_limit" else episode.ending
    return Progress(episode.session, episode.states, episode.codes, episode.appraisals, ending)


@dataclass(frozen=True, slots=True)
class Folded:
    """A session up to one of its patient turns, and the places of those that this patient cannot have said."""

    progress: Progress
    foreign: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ServedPatient:
    """Answers as a patient of one case.

    Attributes:
        id: The model's id.
        case: Whose patient it is.
        patients: Makes it.
        kept: Conversations of all patients.
    """

    id: str
    case: Case
    patients: Patients
    kept: Store[Key, Folded]

    async def reply(self, said: Sequence[Said], seed: int, *, strict: bool) -> Spoken:
        """The patient's next turn; without any turn of the caller, its opening.

        A conversation that begins with the caller begins as if the patient's opening had been said before.
        """
        ends_with_caller(said)
        if grave := [one.text for one in said if not one.own and in_danger(one.text, "therapist")]:
            return handed_over("patient", *grave)
        told = [turn_of("patient" if one.own else "therapist", one.text) for one in said]
        implied = bool(told) and told[0].speaker == "therapist"
        turns = told[0 if implied else 1 :]
        own = [None if implied or not told else told[0].text, *(t.text for t in turns if t.speaker == "patient"), None]
        asked = [turn for turn in turns if turn.speaker == "therapist"]
        texts = [f"{before}\x1e{turn.text}" for before, turn in zip(own, asked, strict=False)]
        chain = keys((self.id, seed), texts)
        at, now = self._remembered(chain, len(asked))
        if now is None:
            now = Folded(await self._made(partial(self.patients.opened, self.case, seed)))
        for number in range(at, len(asked)):
            now = _taken(now, own[number])
            now = await self._after(now, asked[number], seed)
            self.kept.put(chain[number + 1], now, size_of(now.progress.session.turns))
        if strict and now.foreign:
            raise foreign_history(self.id, seed, now.foreign[0])
        return self._spoken(now, implied, len(told) > 1 or (bool(told) and not implied))

    def _remembered(self, chain: Sequence[bytes], asked: int) -> tuple[int, Folded | None]:
        for number in range(asked, 0, -1):
            found = self.kept.get(chain[number])
            if found is not None:
                return number, found
        return 0, None

    async def _after(self, now: Folded, turn: Turn, seed: int) -> Folded:
        ending = now.progress.ending
        if ending is not None:
            raise Refusal(
                400, f"the session is over: {ending.reason or ending.kind}; begin a new one", "session_over", "messages"
            )
        await asyncio.sleep(0)  # others get their turn between two of a long conversation
        return replace(
            now, progress=await self._made(partial(self.patients.answered, self.case, seed, now.progress, turn))
        )

    async def _made(self, turn: Callable[[], Coroutine[Any, Any, Progress]]) -> Progress:
        return await (turn() if self.patients.waits else beside(turn))

    def _spoken(self, now: Folded, implied: bool, spoke: bool) -> Spoken:
        turns = now.progress.session.turns
        ending = now.progress.ending
        return Spoken(
            replace(turns[-1], ending=ending),
            "foreign" if now.foreign else "own" if spoke else "none",
            now.foreign,
            opening=turns[0].text if implied else None,
            hidden=hidden_side(now.progress),
        )


def _taken(now: Folded, text: str | None) -> Folded:
    """The session with its last turn as the caller tells it; None where the caller tells none."""
    turns = now.progress.session.turns
    if text is None or text == turns[-1].text:
        return now
    session = replace(now.progress.session, turns=(*turns[:-1], replace(turns[-1], text=text)))
    return Folded(replace(now.progress, session=session, ending=None), (*now.foreign, len(turns) - 1))


def hidden_side(progress: Progress) -> dict[str, Any]:
    """The mind after the last turn, and how that turn was coded and taken, as plain data."""
    last = {
        "state": progress.states[-1] if progress.states else None,
        "code": progress.codes[-1] if progress.codes else None,
        "appraisal": progress.appraisals[-1] if progress.appraisals else None,
    }
    plain: dict[str, Any] = orjson.loads(orjson.dumps(last, option=orjson.OPT_NON_STR_KEYS))
    return plain


__all__ = ["RUN_SEED", "Caller", "Folded", "Patients", "ServedPatient", "hidden_side"]

"""A simulated patient behind the API: the caller is the therapist, and the mind is folded from what the caller said."""

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
from maieutic.protocols import Patient
from maieutic.serving.beside import beside
from maieutic.serving.folding import Said, ends_with_caller, turn_of
from maieutic.serving.prefixes import Prefixes, keys
from maieutic.serving.refusals import SETTLED, Refusal
from maieutic.serving.spoken import Spoken, handed_over, in_danger


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
    kept: Prefixes[Folded]

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
            self.kept.put(chain[number + 1], now, sum(len(t.text) for t in now.progress.session.turns))
        if strict and now.foreign:
            raise Refusal(
                409,
                f"{self.id} with seed {seed} cannot have said turn {now.foreign[0]} of this conversation; "
                "send back its own replies word for word, with the seed that they were given for",
                "foreign_history",
                "messages",
                SETTLED,
            )
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

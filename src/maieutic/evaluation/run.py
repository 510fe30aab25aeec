"""Runs a plan: one call to every model before it, many dialogues at once, each turn in the journal, resumable, with
failures recorded as such."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from maieutic.dialogue import Conversation, Event, Observer, Progress, Streams, converse
from maieutic.domain.case import Case
from maieutic.domain.episode import Answer, Ending, Episode, EpisodeKey, Question, Session, Turn, Usage
from maieutic.errors import InputError, ModelError, ModelTimeout, ModelUnavailable, NotAnswerable, refuse_below
from maieutic.evaluation.journal import EpisodeJournal, Record
from maieutic.evaluation.plan import Plan
from maieutic.language.sentences import stated_number
from maieutic.protocols import Coder, LanguageModel, Message, Patient, Therapist
from maieutic.runs.work import Budget, pooled

BEFORE_ANY: Final = 5
"""Equal failures in a row after which nothing more is asked, while nothing has come yet: a wrong key or address."""
AFTER_SOME: Final = 20
"""The same once something has come: an outage, which a few bad replies are not."""


@dataclass(slots=True)
class EarlyStop:
    """Counts equal failures in a row; what differs in numbers only (attempts, ports, seconds) is equal.

    Attributes:
        reason: The last failure, in the words of the server or the system.
        count: How many in a row were like it.
        most: How many in a row are enough; None for 5 before anything came and 20 after.
    """

    reason: str = ""
    count: int = 0
    most: int | None = None
    _some: bool = False

    def worked(self) -> None:
        """Something came."""
        self._some, self.count, self.reason = True, 0, ""

    def failed(self, reason: str) -> None:
        """Nothing came, and why."""
        alike = _without_numbers(reason) == _without_numbers(self.reason)
        self.count = self.count + 1 if alike else 1
        self.reason = reason

    @property
    def stopped(self) -> str | None:
        """Why nothing more is asked, or None while it goes on."""
        if self.count < (self.most or (AFTER_SOME if self._some else BEFORE_ANY)):
            return None
        return f"not asked: {self.count} times in a row it failed alike ({self.reason})"


def _without_numbers(reason: str) -> str:
    return "".join(sign for sign in reason if not sign.isdigit() and sign != ".")


HELLO = "I keep thinking about what went wrong at work. I do not know where to begin."
_HELLO: list[Message] = [{"role": "user", "content": HELLO}]
_HELLO_TOKENS = 256  # as many as a turn may have: a model that thinks aloud says nothing in fewer


@dataclass(frozen=True, slots=True)
class Checked:
    """How one model or bot answered.

    Attributes:
        name: The arm, or the role with a model of its own.
        seconds: How long the answer took.
        fault: What was wrong, in the words of the server or the system; '' where it answered.
    """

    name: str
    seconds: float
    fault: str = ""


async def preflight(
    therapists: Mapping[str, Therapist], models: Mapping[str, LanguageModel], *, limit: float | None = None
) -> tuple[Checked, ...]:
    """Asks every arm with a model, every bot from a file and every other model for one reply, all at once.

    Args:
        therapists: By arm; those without a model and not from a file are not asked.
        models: Models of other roles, by role.
        limit: Seconds that one answer may take from a model that has no limit of its own; None for any time.
    """
    asked: dict[str, tuple[Any, Any]] = {}
    for name, therapist in therapists.items():
        model = getattr(therapist, "model", None)
        if model is not None:
            asked[name] = model, _spoken(model, therapist)
        elif hasattr(therapist, "wait_at_most"):
            asked[name] = therapist, therapist.respond(Session((Turn("patient", HELLO),)))
    for role, model in models.items():
        asked[role] = model, _spoken(model)
    calls = (_one(name, call, None if hasattr(able, "wait_at_most") else limit) for name, (able, call) in asked.items())
    return tuple(await asyncio.gather(*calls))


def refuse(checked: Collection[Checked]) -> None:
    """Raise `ModelUnavailable` with a line for each that gave nothing usable."""
    faults = [one for one in checked if one.fault]
    if faults:
        lines = [f"{one.name} gave no usable reply to one call: {one.fault}" for one in faults]
        raise ModelUnavailable(
            "\n".join(
                [*lines, "Nothing was run. Mend it or leave it out; --no-preflight runs the others all the same."]
            )
        )


async def _spoken(model: LanguageModel, therapist: Therapist | None = None) -> None:
    """One reply, asked for as the arm asks for its turns: a server may refuse a setting."""
    tokens = getattr(therapist, "max_tokens", _HELLO_TOKENS)
    settings = {"max_tokens": min(tokens, getattr(model, "reply_tokens", tokens))}
    for name in ("temperature", "top_p"):
        if getattr(therapist, name, None) is not None:
            settings[name] = getattr(therapist, name)
    try:
        await model.generate(_HELLO, seed=0, **settings)
    finally:
        # Connections belong to this event loop; weights in this process are kept for the run.
        if not getattr(model, "local", False):
            await model.close()


async def _one(name: str, call: Any, limit: float | None) -> Checked:
    began = time.monotonic()
    fault = ""
    try:
        async with asyncio.timeout(limit):
            await call
    except TimeoutError:
        fault = str(ModelTimeout(f"nothing came within {limit:g} s"))
    except ModelError as error:
        fault = str(error)
    except Exception as error:  # a bot is somebody else's code
        fault = f"{type(error).__name__}: {error}"
    return Checked(name, time.monotonic() - began, fault)


ASKED = "asked"
"""Key of an episode's provenance with what the therapist answered."""
NO_DOOR = "it cannot be asked outside the dialogue"
_TOKENS = 60


async def asked(therapist: Therapist, episode: Episode) -> tuple[Mapping[str, Any], Answer | None]:
    """What the therapist holds likely about the patient at the end, as the provenance keeps it, and the answer itself.

    Returns:
        `said`, its words, and `conviction`, 0–100; or `reason`, why there is none. Nothing of it enters the session.
    """
    door = cast("Callable[[Question, Session], Awaitable[Answer]] | None", getattr(therapist, "answer", None))
    if door is None:
        return {"reason": NO_DOOR}, None
    thought = episode.provenance.get("thought", "")
    text = (
        f"How strongly does the client believe '{thought}' at this moment? Answer first with a number from 0 (not at "
        "all) to 100 (completely)."
    )
    question = Question(f"conviction:{episode.key.case}", text, "number", (), _TOKENS, "conviction")
    try:
        answer = await door(question, episode.session.heard_by("therapist"))
    except NotAnswerable as error:
        return {"reason": f"{NO_DOOR}: {error}"}, None
    except ModelError as error:
        return {"reason": f"it gave no answer: {error}"}, None
    number = stated_number(answer.text)
    if number is None:
        return {"said": answer.text, "reason": "its answer states no single number from 0 to 100"}, answer
    return {"said": answer.text, "conviction": number}, answer


def askable(episode: Episode) -> bool:
    """Whether there is a mind to be asked about at the end of a session that was held."""
    return not episode.failed and bool(episode.states) and bool(episode.therapist_turns)


PatientMaker = Callable[[Case, str], Patient]
Watcher = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much at once, and when to stop.

    Attributes:
        concurrency: Dialogues at once.
        max_calls: Model calls after which the run stops; None for no limit.
        max_cost: Cost after which it stops, in the unit of `prices`; None for no limit.
        prices: Price of a million input and output tokens.
        timeout: Seconds a reply may take (one request to a model, a whole turn of a bot); None for their own limits.
        stop_after: Equal failures in a row after which an arm is asked no more; None for 5 before anything came and 20
            after.
        retry_failed: Take up failed dialogues again, from what was said last.
        preflight: Ask every model once before the run, and stop where one gives nothing usable.
    """

    concurrency: int = 8
    max_calls: int | None = None
    max_cost: float | None = None
    prices: tuple[float, float] | None = None
    timeout: float | None = None
    stop_after: int | None = None
    retry_failed: bool = False
    preflight: bool = True

    def __post_init__(self) -> None:
        refuse_below(1, concurrency=self.concurrency, stop_after=self.stop_after, max_calls=self.max_calls)
        if self.timeout is not None and not 0 < self.timeout < float("inf"):
            raise InputError(f"--timeout must be above 0 seconds, got {self.timeout:g}")
        if self.max_cost is not None and self.prices is None:
            raise InputError("--max-cost needs --price IN,OUT, the price of a million input and output tokens")

    def budget(self) -> Budget:
        """The limit on calls and cost, with nothing used yet."""
        return Budget(self.max_calls, self.max_cost, self.prices)


@dataclass(frozen=True, slots=True)
class Runner:
    """The parts of a run.

    Attributes:
        plan: What to run.
        make_patient: (case, situation id) → patient; called once for each pair.
        coder: Codes therapist turns; None for patients without a mind.
        limits: How much at once.
    """

    plan: Plan
    make_patient: PatientMaker
    coder: Coder | None
    limits: Limits = Limits()

    async def run(
        self, folder: Path, *, done: Mapping[EpisodeKey, Record] | None = None, watch: Watcher | None = None
    ) -> list[Episode]:
        """Run everything that is not done; returns all episodes, sorted by key.

        An arm whose dialogues fail alike again and again is asked no more: the rest of it comes back as failed, and is
        not in the journal, so that a resumed run tries it.

        Raises:
            BudgetReached: a limit on calls or cost was reached; the journal holds all turns so far.
            StorageError: the journal cannot be written.
        """
        records = dict(done or {})
        budget = self.limits.budget()
        stops = defaultdict[str, EarlyStop](lambda: EarlyStop(most=self.limits.stop_after))
        journal = EpisodeJournal(folder / "journal")

        def observe(event: Event) -> None:
            journal.turn(event)
            budget.count(event.turn.usage)
            if watch is not None:
                watch(event)

        talk_of = self.talks(observe)

        async def one(key: EpisodeKey) -> Episode:
            talk = talk_of(key)
            record = records.get(key)
            if record is not None and not record.to_play(retry_failed=self.limits.retry_failed):
                return record.episode(key, talk.streams.session_seed)
            stop = stops[key.therapist]
            if stop.stopped:
                return not_asked(talk.streams, stop.stopped, talk.provenance)
            start = None if record is None else record.opened().progress(talk.streams.session_seed)
            episode, usage = await held(talk, start)
            journal.end(episode)
            budget.count(usage)
            if episode.failed:
                stop.failed(episode.ending.reason or "")
            else:
                stop.worked()
            return episode

        try:
            episodes: list[Episode] = []
            for keys in phases(self.plan):
                episodes += await pooled(one, keys, min(self.limits.concurrency, len(keys)))
        finally:
            journal.close()
        return sorted(episodes, key=lambda e: e.key)

    def talks(self, observer: Observer) -> Callable[[EpisodeKey], Conversation]:
        """A maker of the dialogues of the plan; the patients of one situation are one."""
        patients: dict[tuple[str, str], Patient] = {}

        def talk_of(key: EpisodeKey) -> Conversation:
            situation = self.plan.situation(key)
            if (key.case, situation) not in patients:
                patients[key.case, situation] = self.make_patient(self.plan.cases[key.case], situation)
            return Conversation(
                therapist=self.plan.therapists[key.therapist],
                patient=patients[key.case, situation],
                coder=self.coder,
                max_turns=self.plan.turns,
                streams=streams_of(self.plan, key),
                observer=observer,
                provenance=self.plan.provenance(key),
            )

        return talk_of


async def held(talk: Conversation, start: Progress | None) -> tuple[Episode, Usage | None]:
    """A dialogue to its end and the question after it, and what the answer to that took."""
    episode = await converse(talk, start=start, guarded=True)
    if not askable(episode):
        return episode, None
    told, answer = await asked(talk.therapist, episode)
    return replace(episode, provenance={**episode.provenance, ASKED: told}), None if answer is None else answer.usage


def streams_of(plan: Plan, key: EpisodeKey) -> Streams:
    """The random streams of one dialogue of the plan."""
    return Streams(plan.run_seed, key, getattr(plan.therapists[key.therapist], "known_as", None))


def phases(plan: Plan) -> Iterator[list[EpisodeKey]]:
    """Arms that compute in this process go one after another, so that they do not fight for the cores."""
    local = {spec for spec, t in plan.therapists.items() if computed_here(getattr(t, "model", None))}
    yield [key for key in plan.grid() if key.therapist not in local]
    for spec in sorted(local):
        yield [key for key in plan.grid() if key.therapist == spec]


def not_asked(streams: Streams, reason: str, provenance: Mapping[str, Any]) -> Episode:
    """A dialogue that was not begun, with the reason."""
    return Episode(streams.key, Session((), streams.session_seed), (), (), (), Ending("failed", reason), provenance)


def computed_here(model: LanguageModel | None) -> bool:
    """Whether a model is computed in the process that asks it."""
    return bool(getattr(model, "local", False))

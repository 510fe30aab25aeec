"""Runs a plan: many dialogues at once, each turn in the journal, resumable, with failures recorded as such."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from maieutic.dialogue import Conversation, Event, Observer, Progress, Streams, converse
from maieutic.domain.case import Case
from maieutic.domain.episode import Answer, Ending, Episode, EpisodeKey, Question, Session, Usage
from maieutic.errors import InputError, ModelError, NotAnswerable, refuse_below
from maieutic.evaluation.early_stop import EarlyStop
from maieutic.evaluation.journal import EpisodeJournal, Record
from maieutic.evaluation.plan import Plan
from maieutic.language.sentences import stated_number
from maieutic.protocols import Coder, LanguageModel, Patient, Therapist
from maieutic.runs.work import Budget, pooled

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

"""The same sessions as an Inspect task: `inspect eval maieutic/session --model … -T therapist=…` (extra `inspect`).

The loop, patients, coder and measures are those of `maieutic evaluate`; Inspect brings the model, the log and its
viewer. Never imported by the command line: Inspect finds this file by the entry point group `inspect_ai`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import nan
from typing import Any

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageUser, GenerateConfig, ModelOutput, get_model
from inspect_ai.scorer import Metric, SampleScore, Scorer, Target, Value, metric, scorer
from inspect_ai.scorer import Score as InspectScore
from inspect_ai.scorer import stderr as clustered_stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Event, Streams, converse
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.errors import InputError, ModelError
from maieutic.evaluation.evaluate import make_patients
from maieutic.evaluation.plan import Plan
from maieutic.evaluation.summary import score_episodes
from maieutic.library import select_cases
from maieutic.models.inspect_provider import InspectModel
from maieutic.protocols import LanguageModel, Message, Patient, Reply, Therapist
from maieutic.registry import kind_and_model, load_therapist, lookup

EPISODE = "episode"
ALL = 0.999
"""Share of failed dialogues from which the whole evaluation has failed: nothing was measured."""
# Our defaults for every model (a server that never answers ends as a recorded failure); options of `inspect eval` go
# first.
SETTINGS = GenerateConfig(temperature=0.7, max_tokens=256, attempt_timeout=60, timeout=240, max_retries=3)
# Waiting for one of Inspect's connections counts here, so this is no limit on a call.
BACKSTOP = 86_400.0


@task
def session(
    therapist: str = "prompted",
    cases: str | list[str] = "starter",
    seeds: int = 1,
    turns: int = 20,
    patient: str = "simulated",
    run_seed: int = 0,
) -> Task:
    """Sessions of one therapist with simulated patients, one sample a case and seed.

    Args:
        therapist: `NAME[:MODEL]` or `path.py:make`; a therapist that needs a model and names none gets Inspect's.
        cases: Ids, files, or 'starter', 'dev', 'test', 'all'; several as a list or separated by commas.
        seeds: Seeds per case.
        turns: Therapist turns at most, 1–200.
        patient: 'simulated', 'simulated+llm[-or-embedded]:MODEL', 'voiced:MODEL' or 'static:MODEL'.
        run_seed: Seed of the whole run.
    """
    try:
        if seeds < 1 or not 1 <= turns <= 200:
            raise InputError(f"seeds must be at least 1 and turns lie between 1 and 200, got {seeds} and {turns}")
        names = cases.split(",") if isinstance(cases, str) else cases
        chosen = {case.id: case for case in select_cases([name.strip() for name in names])}
        plan = Plan({therapist: _therapist(therapist)}, chosen, {therapist: seeds}, turns, run_seed, patient)
        solver = play(plan)
    except InputError as error:
        raise PrerequisiteError(str(error)) from error  # which Inspect shows as one line
    samples = [
        Sample(
            input=f"A session of at most {turns} therapist turns with {key.case}, seed {key.seed}.",
            id=f"{key.case}#{key.seed}",
            metadata={"case": key.case, "seed": key.seed, "group": chosen[key.case].special or "regular"},
        )
        for key in plan.grid()
    ]
    dataset = MemoryDataset(samples, name="maieutic")
    return Task(dataset=dataset, solver=solver, scorer=measures(), config=SETTINGS, version=1, fail_on_error=ALL)


@solver
def play(plan: Plan) -> Solver:
    """Play the session of a sample; the patient's turns become user messages, the therapist's assistant messages.

    The recorded episode, hidden states included, is kept in the store as JSON under 'episode'. A failed dialogue is an
    error of its sample and has no score; where all fail, so does the evaluation.
    """
    make_patient, patient_model = make_patients(plan.patient)
    (spec,) = plan.therapists
    therapist = plan.therapists[spec]
    models = [m for m in (getattr(therapist, "model", None), patient_model) if m is not None]
    patients: dict[tuple[str, str], Patient] = {}
    running = 0

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        nonlocal running
        key = EpisodeKey(spec, state.metadata["case"], state.metadata["seed"])
        situation = plan.situation(key)
        if (key.case, situation) not in patients:
            patients[key.case, situation] = make_patient(plan.cases[key.case], situation)
        messages: list[ChatMessage] = []
        state.messages = messages
        talk = Conversation(
            therapist=therapist,
            patient=patients[key.case, situation],
            coder=RuleCoder(),
            max_turns=plan.turns,
            streams=Streams(plan.run_seed, key),
            observer=lambda event: messages.extend(_message(event)),
            provenance=plan.provenance(key),
        )
        running += 1
        try:
            episode = await converse(talk)
        finally:
            running -= 1
            if not running:
                for model in models:
                    await model.close()
        state.messages = messages
        said = episode.session.last("therapist")
        state.output = ModelOutput.from_content(str(state.model), said.text if said else "")
        state.store.set(EPISODE, _episodes().dump_python(episode, mode="json"))
        state.metadata["ending"] = episode.ending.kind
        state.completed = True
        if episode.failed:
            raise ModelError(f"the dialogue failed: {episode.ending.reason}")
        return state

    return solve


@metric
def mean() -> Metric:
    """Mean over sessions with ordinary cases; NaN when none has a value."""

    def over(scores: list[SampleScore]) -> Value:
        values = _values(scores, "regular")
        return sum(values) / len(values) if values else nan

    return over


@metric
def stderr() -> Metric:
    """Standard error of that mean with the case as the unit; NaN with fewer than two cases."""
    within: Any = clustered_stderr(cluster="case")

    def over(scores: list[SampleScore]) -> Value:
        regular = [s for s in scores if _of(s, "group") == "regular"]
        return float(within(regular)) if len({_of(s, "case") for s in regular}) > 1 else nan

    return over


@metric
def special() -> Metric:
    """Means over cases whose thought is accurate, and over cases with risk, which no other mean contains."""

    def over(scores: list[SampleScore]) -> Value:
        found = {group: _values(scores, group) for group in ("accurate", "risk")}
        return {group: sum(values) / len(values) for group, values in found.items() if values}

    return over


@scorer(metrics={"*": [mean(), stderr(), special()]}, name="measures")
def measures() -> Scorer:
    """All registered measures; one that cannot be had is NaN, which Inspect leaves out, and its reason is explained."""

    async def score(state: TaskState, target: Target) -> InspectScore:
        stored = state.store.get(EPISODE)
        if stored is None:
            return InspectScore.unscored(reason="no_episode", explanation="the session was not played to its end")
        episode: Episode = _episodes().validate_python(stored)
        scores = [item.score for item in score_episodes([episode])]
        missing = {s.measure: s.reason or "no reason recorded" for s in scores if s.value is None}
        return InspectScore(
            value={s.measure: nan if s.value is None else s.value for s in scores},
            explanation="\n".join(f"{name} is missing: {reason}" for name, reason in missing.items()) or None,
            metadata={
                "ending": episode.ending.kind,
                "missing": missing,
                "units": {s.measure: s.unit for s in scores},
                "evidence": {s.measure: list(s.evidence) for s in scores if s.evidence},
            },
        )

    return score


class InspectsModel:
    """The model that Inspect evaluates, as one of ours; looked up at each call, since tasks are made before it is
    known.

    Temperature, length and patience are those of the Inspect task, which its command line can change; only the seed is
    ours, since each turn has its own.

    Attributes:
        name: 'inspect'.
        parallel: How many calls at once are useful; Inspect sets its own limit.
        local: False: nothing is computed in this process, as far as is known.
    """

    name = "inspect"
    parallel = 64
    local = False

    async def generate(
        self, messages: Sequence[Message], *, seed: int, temperature: float = 0.7, max_tokens: int = 256
    ) -> Reply:
        """Ask for one reply. Raises `ModelError`; a limit that Inspect set for the sample passes as it is."""
        asked = InspectModel(str(get_model()), timeout=BACKSTOP, inner=_SeedOnly())
        try:
            return await asked.generate(messages, seed=seed, temperature=temperature, max_tokens=max_tokens)
        except ModelError as error:
            if isinstance(error.__cause__, LimitExceededError):
                raise error.__cause__ from error
            raise

    async def close(self) -> None:
        """Inspect closes its own models."""


class _SeedOnly:
    """Inspect's model with the settings of the task and our seed."""

    async def generate(self, chat: list[ChatMessage], config: GenerateConfig) -> ModelOutput:
        return await get_model().generate(chat, config=GenerateConfig(seed=config.seed))


def _therapist(spec: str) -> Therapist:
    """The therapist; one that needs a model and names none gets Inspect's."""
    name, model_spec = kind_and_model(spec)
    if model_spec or not getattr(lookup("therapist", name), "needs_model", False):
        return load_therapist(spec)
    model: LanguageModel = InspectsModel()
    made: Therapist = lookup("therapist", name)(model=model)
    return made


def _message(event: Event) -> list[ChatMessage]:
    if not event.said:
        return []
    note: dict[str, Any] = {"turn": event.index}
    if event.code is not None:
        note["answers_to"] = list(event.code.moves)
    if event.turn.speaker == "patient":
        return [ChatMessageUser(content=event.turn.text, metadata=note)]
    return [ChatMessageAssistant(content=event.turn.text, metadata=note)]


def _values(scores: Sequence[SampleScore], group: str) -> list[float]:
    return [s.score.as_float() for s in scores if _of(s, "group") == group]


def _of(item: SampleScore, name: str) -> Any:
    return (item.sample_metadata or {}).get(name)


@cache
def _episodes() -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(Episode)

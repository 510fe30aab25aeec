"""`evaluate()`: from names to a finished run folder. The command line and notebooks call this one function."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from maieutic.coding.rules import RuleCoder
from maieutic.domain.case import Case
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.errors import InputError, refuse_below
from maieutic.evaluation.arms import Settings, load_arms, recorded, specs_of, without_secrets
from maieutic.evaluation.journal import Record, read_journal
from maieutic.evaluation.plan import Plan
from maieutic.evaluation.preflight import preflight, refuse
from maieutic.evaluation.report import render_report
from maieutic.evaluation.run import Limits, Runner, Watcher, computed_here
from maieutic.evaluation.scores import Scores, score_episodes, scores_json, write_scores
from maieutic.evaluation.summary import Summary, summarise
from maieutic.evaluation.tables import write_files, write_tables
from maieutic.library import select_cases
from maieutic.models.scripted import Recorder
from maieutic.protocols import LanguageModel, Patient
from maieutic.reading.minilm import MiniLM
from maieutic.registry import resolve
from maieutic.runs.files import write_json, write_whole
from maieutic.runs.folder import REQUEST, RunFolder, locked, read_manifest, stored_words
from maieutic.runs.work import Shard

DEFAULT_ARMS = (
    "prompted:embedded",
    "trained:embedded",
    "socratic",
    "worksheet",
    "eliza",
    "advice",
    "flattery",
    "oracle",
    "no_session",
)
MODEL_SEEDS, OTHER_SEEDS = 1, 10


READERS_FILE = "readers.json"
"""Which judge read in place of the rules, where one did; a name in the run folder."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to evaluate, in the words of the command line.

    Attributes:
        therapists: Arms, `[NAME=]THERAPIST[:MODEL]` or `[NAME=]path.py:make`.
        cases: Ids, files, or 'starter', 'dev', 'test', 'all'; the twelve starters, all of them dev, when empty.
            `ID@STYLE` plays a case in another conversational style.
        seeds: Seeds an arm and case; None for 1 with a model and 10 without.
        turns: Therapist turns at most, 1–200.
        patient: 'simulated', 'simulated+llm[-or-embedded]:MODEL', 'voiced:MODEL', 'static:MODEL' or
            'mindvoyager[:MODEL]'.
        limit: Episodes an arm at most; None for all.
        run_seed: Seed of the whole run.
        settings: How models are asked for their replies, by arm; '' for every arm that takes them.
        shard: The part of the run that is played; None for the whole.
    """

    therapists: Sequence[str] = DEFAULT_ARMS
    cases: Sequence[str] = ()
    seeds: int | None = None
    turns: int = 20
    patient: str = "simulated"
    limit: int | None = None
    run_seed: int = 0
    settings: Mapping[str, Settings] = field(default_factory=dict)
    shard: Shard | None = None

    def recorded(self) -> dict[str, Any]:
        """The words of the command as a manifest keeps them; addresses lose their passwords."""
        return asdict(self) | {
            "therapists": [without_secrets(text) for text in self.therapists],
            "settings": {name: one.given for name, one in self.settings.items()},
            "shard": None if self.shard is None else str(self.shard),
        }


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a plan.

    Attributes:
        episodes: All of them, sorted by key.
        scores: Those that were computed where the dialogues were played.
    """

    episodes: Sequence[Episode]
    scores: Mapping[EpisodeKey, Scores] = field(default_factory=dict)


Player = Callable[[Plan, Path, Mapping[EpisodeKey, Record], Limits, Watcher | None], Played]
"""Plays what is not done of a plan into a run folder's journal."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished run."""

    folder: Path
    episodes: tuple[Episode, ...]
    summary: Summary
    not_again: tuple[str, ...] = ()
    """Measures of the result before this one that are not in it, since their file was not named again."""

    @property
    def failed(self) -> int:
        return sum(e.failed for e in self.episodes)


def make_plan(request: Request) -> Plan:
    """Names to parts. Raises `InputError` and its kin for everything that cannot be run."""
    if not 1 <= request.turns <= 200:
        raise InputError(f"--turns must lie between 1 and 200, got {request.turns}")
    refuse_below(1, seeds=request.seeds)
    if request.limit is not None and request.limit < 1:
        raise InputError(f"--limit must be at least 1, got {request.limit}; leave it out for all sessions")
    if not request.therapists:
        raise InputError("name at least one --therapist")
    specs = specs_of(request.therapists)
    made = load_arms(specs, request.settings)
    therapists = {name: therapist for name, (therapist, _) in made.items()}
    arms = {name: recorded(specs[name], own) for name, (_, own) in made.items()}
    cases = {case.id: case for case in select_cases(request.cases, split="starter")}
    seeds = {
        name: request.seeds or (MODEL_SEEDS if getattr(t, "model", None) else OTHER_SEEDS)
        for name, t in therapists.items()
    }
    plan = Plan(
        therapists, cases, seeds, request.turns, request.run_seed, request.patient, request.limit, arms, request.shard
    )
    if not plan.grid():
        raise InputError(
            f"--shard {request.shard} is empty: there are only {len(cases) * max(seeds.values())} cases × seeds"
        )
    return plan


def stored_request(folder: Path) -> Request:
    """What a run folder was made with. Raises `RunFolderError` where it holds no run or does not say."""
    words = stored_words(folder, "evaluate")
    settings = {name: Settings(**given) for name, given in words["settings"].items()}
    shard = Shard.read(words["shard"]) if words.get("shard") else None
    return Request(**{**words, "settings": settings, "shard": shard})


def make_patients(
    spec: str, replies: dict[str, str] | None = None
) -> tuple[Callable[[Case, str], Patient], LanguageModel | None]:
    """`NAME[:MODEL]` → a maker of patients that share one embedder and one model; the model's `replies` are kept
    there."""
    make, model = resolve("patient", spec)
    if model is not None and replies is not None:
        model = Recorder(model, replies)
    embed = MiniLM()
    extra: dict[str, Any] = {} if model is None else {"model": model}
    return lambda case, situation: make(case, situation, embed=embed, **extra), model


def models_of(plan: Plan, patient_model: LanguageModel | None) -> tuple[LanguageModel, ...]:
    """All models of a run."""
    return (*plan.models, *([patient_model] if patient_model is not None else []))


def make_ready(plan: Plan, models: Sequence[LanguageModel], timeout: float | None) -> None:
    """Tells models and bots how long they may take. Raises what is wrong with one that can be seen without asking
    it."""
    for able in (*models, *plan.therapists.values()):
        if timeout is not None and hasattr(able, "wait_at_most"):
            able.wait_at_most(timeout)
        if hasattr(able, "check"):
            able.check()


def evaluate(
    request: Request,
    out: Path,
    *,
    resume: bool = False,
    limits: Limits | None = None,
    watch: Watcher | None = None,
    begin: Callable[[Plan, Mapping[EpisodeKey, Record]], None] | None = None,
    play: Player | None = None,
) -> Outcome:
    """Run, score and report. A run that stops early keeps its journal and is taken up again with `resume=True`.

    `play` plays the sessions elsewhere than in this process (`workers.playing`).

    Raises:
        InputError: what was asked for cannot be run. Nothing is written then.
        ModelUnavailable: a model gave nothing usable when it was asked once before the run. Nothing is written then.
        BudgetReached, StorageError: the run stopped; what was said is kept.
        WorkersLost: as these, where `play` has no worker left.
    """
    limits = limits or Limits()
    plan = make_plan(request)
    make_patient, patient_model = make_patients(request.patient)
    models = models_of(plan, patient_model)
    make_ready(plan, models, limits.timeout)
    manifest = plan.manifest() | {REQUEST: request.recorded()}
    run = RunFolder(out, manifest, resume=resume)
    done = read_journal(out / "journal") if resume else {}
    if limits.preflight:
        _ask_once(plan, {} if patient_model is None else {"patient": patient_model}, done, limits, here=play is None)
    with run:
        done = read_journal(out / "journal") if resume else {}
        if begin is not None:
            begin(plan, done)
        if play is not None:
            played = play(plan, out, done, limits, watch)
        else:
            runner = Runner(plan, make_patient, RuleCoder(), limits)
            played = Played(asyncio.run(_run(runner, out, done, watch, models)))
        return finish(out, played.episodes, run_seed=plan.run_seed, known=played.scores)


def _ask_once(
    plan: Plan, others: Mapping[str, LanguageModel], done: Mapping[EpisodeKey, Record], limits: Limits, *, here: bool
) -> None:
    """The preflight of the arms that have anything left to do; weights that are loaded elsewhere are not loaded
    here."""
    left = {
        key.therapist for key in plan.grid() if key not in done or done[key].to_play(retry_failed=limits.retry_failed)
    }
    if left:
        arms = {
            name: therapist
            for name, therapist in plan.therapists.items()
            if name in left and (here or not computed_here(getattr(therapist, "model", None)))
        }
        others = {role: model for role, model in others.items() if here or not computed_here(model)}
        refuse(asyncio.run(preflight(arms, others, limit=limits.timeout)))


async def _run(
    runner: Runner,
    out: Path,
    done: Mapping[EpisodeKey, Record],
    watch: Watcher | None,
    models: Sequence[LanguageModel],
) -> list[Episode]:
    try:
        return await runner.run(out, done=done, watch=watch)
    finally:
        for model in models:
            await model.close()


def finish(
    out: Path, episodes: Sequence[Episode], *, run_seed: int, known: Mapping[EpisodeKey, Scores] | None = None
) -> Outcome:
    """Tables, scores and report of a finished set of episodes; each file is written whole. `known` are not computed
    again."""
    before = _measures_in(out)
    scores = score_episodes(episodes, known=known)
    summary = summarise(episodes, scores, run_seed=run_seed)
    write_tables(out, episodes)
    (out / READERS_FILE).unlink(missing_ok=True)  # a judge's reading does not outlast its scores
    write_scores(out, scores)
    write_json(out / "scores.json", scores_json(summary))
    manifest = read_manifest(out)
    write_files(out, summary, manifest)
    write_whole(out / "report.html", render_report(episodes, scores, summary, manifest).encode())
    gone = before - {score.score.measure for score in scores}
    return Outcome(out, tuple(episodes), summary, tuple(sorted(gone)))


def _measures_in(out: Path) -> set[str]:
    path = out / "scores.parquet"
    if not path.exists():
        return set()
    import polars as pl

    return set(pl.read_parquet(path, columns=["measure"])["measure"])


def read_run(folder: Path, *, kinds: Sequence[str] = ("evaluate",)) -> tuple[dict[str, Any], list[Episode]]:
    """The manifest and the finished episodes of a run folder of these kinds, from its journal."""
    manifest = read_manifest(folder)
    if manifest.get("kind") not in kinds:
        raise InputError(
            f"{folder} holds a run of kind {manifest.get('kind')!r}; this command reads runs of `maieutic evaluate`"
        )
    records = read_journal(folder / "journal")
    finished = [record.episode(key, 0) for key, record in sorted(records.items()) if record.closed]
    if not finished:
        raise InputError(f"{folder} holds no finished dialogue yet; run `maieutic evaluate --resume {folder}` first")
    return manifest, finished


def rescore(folder: Path) -> Outcome:
    """Score and report a run again from what is stored; no model is called."""
    read_manifest(folder)
    with locked(folder):
        manifest, episodes = read_run(folder)
        return finish(folder, episodes, run_seed=int(manifest["run_seed"]))

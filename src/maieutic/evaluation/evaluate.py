"""`evaluate()`: from names to a finished run folder. The command line and notebooks call this one function."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maieutic.coding.rules import RuleCoder
from maieutic.domain.case import Case
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.errors import InputError
from maieutic.evaluation.folder import locked, prepare, read_manifest, taken_back, write_json, write_tables, write_whole
from maieutic.evaluation.journal import Record, read_journal
from maieutic.evaluation.plan import Plan
from maieutic.evaluation.report import render_report
from maieutic.evaluation.run import Limits, Runner, Watcher
from maieutic.evaluation.scores import score_episodes, scores_json, write_scores
from maieutic.evaluation.summary import Summary, summarise
from maieutic.library import select_cases
from maieutic.protocols import LanguageModel, Patient
from maieutic.reading.minilm import MiniLM
from maieutic.registry import load_therapist, resolve
from maieutic.workers.contract import Shard

DEFAULT_ARMS = ("prompted:embedded", "socratic", "eliza", "advice", "flattery", "oracle", "no_session")
MODEL_SEEDS, OTHER_SEEDS = 1, 10


@dataclass(frozen=True, slots=True)
class Request:
    """What to evaluate, in the words of the command line.

    Attributes:
        therapists: Specs, `NAME[:MODEL]` or `path.py:make`.
        cases: Ids, files, or 'starter', 'dev', 'test', 'all'; the twelve starters, all of them dev, when empty. `ID@STYLE`
            plays a case in another conversational style.
        seeds: Seeds an arm and case; None for 1 with a model and 10 without.
        turns: Therapist turns at most, 1–200.
        patient: 'simulated', 'simulated+llm:MODEL', 'voiced:MODEL', 'static:MODEL' or 'mindvoyager[:MODEL]'.
        limit: Episodes an arm at most; None for all.
        run_seed: Seed of the whole run.
        shard: The part of the run that is played; None for the whole.
    """

    therapists: Sequence[str] = DEFAULT_ARMS
    cases: Sequence[str] = ()
    seeds: int | None = None
    turns: int = 20
    patient: str = "simulated"
    limit: int | None = None
    run_seed: int = 0
    shard: Shard | None = None


Player = Callable[[Plan, Path, Mapping[EpisodeKey, Record], Limits, Watcher | None], list[Episode]]
"""Plays what is not done of a plan into a run folder's journal; all its episodes, sorted by key."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished run."""

    folder: Path
    episodes: tuple[Episode, ...]
    summary: Summary

    @property
    def failed(self) -> int:
        return sum(e.failed for e in self.episodes)


def make_plan(request: Request) -> Plan:
    """Names to parts. Raises `InputError` and its kin for everything that cannot be run."""
    if not 1 <= request.turns <= 200:
        raise InputError(f"--turns must lie between 1 and 200, got {request.turns}")
    if request.seeds is not None and request.seeds < 1:
        raise InputError(f"--seeds must be at least 1, got {request.seeds}")
    if not request.therapists:
        raise InputError("name at least one --therapist")
    therapists = {spec: load_therapist(spec) for spec in request.therapists}
    cases = {case.id: case for case in select_cases(request.cases, split="starter")}
    seeds = {
        spec: request.seeds or (MODEL_SEEDS if getattr(t, "model", None) else OTHER_SEEDS)
        for spec, t in therapists.items()
    }
    plan = Plan(
        therapists, cases, seeds, request.turns, request.run_seed, request.patient, request.limit, request.shard
    )
    if not plan.grid():
        raise InputError(
            f"--shard {request.shard} is empty: there are only {len(cases) * max(seeds.values())} cases × seeds"
        )
    return plan


def make_patients(spec: str) -> tuple[Callable[[Case, str], Patient], LanguageModel | None]:
    """`NAME[:MODEL]` → a maker of patients that share one embedder and one model."""
    make, model = resolve("patient", spec)
    embed = MiniLM()
    extra: dict[str, Any] = {} if model is None else {"model": model}
    return lambda case, situation: make(case, situation, embed=embed, **extra), model


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

    `play` plays the sessions elsewhere than in this process (`evaluation.spread`).
    """
    plan = make_plan(request)
    make_patient, patient_model = make_patients(request.patient)
    models = (*plan.models, *([patient_model] if patient_model else []))
    for model in models:
        check = getattr(model, "check", None)
        if check is not None:
            check()
    with locked(out):
        prepare(out, plan.manifest(), resume=resume)
        done = read_journal(out / "journal") if resume else {}
        if begin is not None:
            begin(plan, done)
        if play is not None:
            with taken_back(out):
                episodes = play(plan, out, done, limits or Limits(), watch)
        else:
            runner = Runner(plan, make_patient, RuleCoder(), limits or Limits())
            episodes = asyncio.run(_run(runner, out, done, watch, models))
        return finish(out, episodes, run_seed=plan.run_seed)


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


def finish(out: Path, episodes: Sequence[Episode], *, run_seed: int) -> Outcome:
    """Tables, scores and report of a finished set of episodes; each file is written whole."""
    scores = score_episodes(episodes)
    summary = summarise(episodes, scores, run_seed=run_seed)
    write_tables(out, episodes)
    write_scores(out, scores)
    write_json(out / "scores.json", scores_json(summary))
    manifest = read_manifest(out)
    write_whole(out / "report.html", render_report(episodes, scores, summary, manifest).encode())
    return Outcome(out, tuple(episodes), summary)


def read_run(folder: Path) -> tuple[dict[str, Any], list[Episode]]:
    """The manifest and the finished episodes of a run folder, from its journal."""
    manifest = read_manifest(folder)
    if manifest.get("kind") != "evaluate":
        raise InputError(
            f"{folder} holds a run of kind {manifest.get('kind')!r}; this command reads runs of `maieutic evaluate`"
        )
    records = read_journal(folder / "journal")
    finished = [record.episode(key, 0) for key, record in sorted(records.items()) if record.closed]
    if not finished:
        raise InputError(
            f"{folder} holds no finished dialogue yet; run `maieutic evaluate --resume --out {folder}` first"
        )
    return manifest, finished


def rescore(folder: Path) -> Outcome:
    """Score and report a run again from what is stored; no model is called."""
    read_manifest(folder)
    with locked(folder):
        manifest, episodes = read_run(folder)
        return finish(folder, episodes, run_seed=int(manifest["run_seed"]))

"""`evaluate()`: from names to a finished run folder, which can be scored again and put together from its shards. The
command line and notebooks call these functions."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Streams
from maieutic.domain.case import Case
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.errors import InputError, RunFolderError, refuse_below
from maieutic.evaluation.journal import Record, read_journal
from maieutic.evaluation.plan import Plan, Settings, load_arms, recorded, specs_of, without_secrets
from maieutic.evaluation.report import render_report
from maieutic.evaluation.run import Limits, Runner, Watcher, computed_here, not_asked, preflight, refuse
from maieutic.evaluation.summary import Scores, Summary, score_episodes, scores_json, summarise, write_scores
from maieutic.evaluation.tables import write_files, write_tables
from maieutic.library import select_cases
from maieutic.models.llama_runtime import usable_cores
from maieutic.models.scripted import Recorder
from maieutic.protocols import LanguageModel, Patient
from maieutic.reading.minilm import MiniLM
from maieutic.registry import file_and_maker, kind_and_model, resolve
from maieutic.runs.files import new_folder, write_json, write_whole
from maieutic.runs.folder import REQUEST, RunFolder, locked, read_manifest, stored_words
from maieutic.runs.work import Shard, WorkersSpec

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


LONG_RUN = 2_000
"""Turns from which a run is divided without being asked: below, loading the readers twice costs what is won."""
PACKAGED_MODEL = "embedded"
MAX_OWN_WORKERS = 4
"""Workers at most that nobody asked for; each takes half a gigabyte."""


def own_workers(request: Request, *, kept: int = 0) -> WorkersSpec | None:
    """The cores of this machine for a long run that asks nobody else; None for a run that stays in this process.

    Only the package's own therapists and its own small model are loaded more than once: what others need is not known.

    Args:
        kept: Dialogues that an earlier command has played already.
    """
    cores = min(usable_cores(), MAX_OWN_WORKERS)
    if cores < 2 or not hasattr(os, "sched_setaffinity") or any(map(file_and_maker, request.therapists)):
        return None
    plan = make_plan(request)
    if (len(plan.grid()) - kept) * plan.turns < LONG_RUN:
        return None
    if any(kind_and_model(spec)[1] not in ("", PACKAGED_MODEL) for spec in specs_of(request.therapists).values()):
        return None
    ours = all(type(one).__module__.startswith("maieutic.") for one in plan.therapists.values())
    here = all(computed_here(model) for model in models_of(plan, make_patients(request.patient)[1]))
    return WorkersSpec(count=cores) if ours and here else None


_TABLE = "episodes.parquet"


def merge(shards: Sequence[Path], out: Path) -> Outcome:
    """A whole run out of all its shards; no model is called, and the shards stay as they are.

    Raises:
        RunFolderError: a folder that is no shard, two that are of different runs or the same part, a part that is
            missing or not finished, or an `out` that holds something. Nothing is written then.
        StorageError: `out` cannot be written.
    """
    manifests = {folder: read_manifest(folder) for folder in shards}
    if len(manifests) < len(shards):
        twice = next(folder for place, folder in enumerate(shards) if folder in shards[:place])
        raise RunFolderError(f"{twice} is named twice; name each part once")
    ordered = parts_in_order(manifests)
    episodes = [episode for folder in ordered for episode in _finished(folder, int(manifests[folder]["run_seed"]))]
    one = manifests[ordered[0]]
    whole = one | {"shard": None, REQUEST: one[REQUEST] | {"shard": None}}
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise RunFolderError(f"{out} already holds something, a merged run perhaps; choose another --out")
    with new_folder(out, told="cannot write {}: {}; the parts are as they were") as staging:
        write_json(staging / "manifest.json", whole)
        (staging / "journal").mkdir()
        files = [path for folder in ordered for path in sorted((folder / "journal").glob("*.jsonl"))]
        for number, path in enumerate(files, start=1):
            shutil.copyfile(path, staging / "journal" / f"{number:04d}.jsonl")
        outcome = finish(staging, sorted(episodes, key=lambda e: e.key), run_seed=int(whole["run_seed"]))
    return replace(outcome, folder=out)


def parts_in_order(manifests: Mapping[Path, Mapping[str, Any]]) -> list[Path]:
    """The folders by the number of their part. Raises `RunFolderError` unless they are all the parts of one run."""
    first = next(iter(manifests))
    parts: dict[int, Path] = {}
    of = 0
    for folder, manifest in manifests.items():
        unequal = sorted(
            name
            for name in {*manifest, *manifests[first]} - {"shard", REQUEST}
            if manifest.get(name) != manifests[first].get(name)
        )
        if unequal:
            raise RunFolderError(
                f"{first} and {folder} are runs with different settings ({', '.join(unequal)}); only parts of one run "
                "can be merged"
            )
        if not manifest.get("shard"):
            raise RunFolderError(f"{folder} is a whole run, no part of one: it was not made with --shard")
        shard = Shard.read(manifest["shard"])
        if of and shard.of != of:
            raise RunFolderError(
                f"{first} is one of {of} parts and {folder} one of {shard.of}; they do not fit together"
            )
        if shard.part in parts:
            raise RunFolderError(f"{parts[shard.part]} and {folder} are the same part, {shard}")
        parts[shard.part], of = folder, shard.of
    missing = [f"{part}/{of}" for part in range(1, of + 1) if part not in parts]
    if missing:
        raise RunFolderError(
            f"{len(missing)} of {of} parts {'is' if len(missing) == 1 else 'are'} missing: {', '.join(missing[:8])}"
        )
    return [parts[part] for part in sorted(parts)]


def _finished(folder: Path, run_seed: int) -> list[Episode]:
    """All episodes of a shard, those that were not asked for among them. Raises `RunFolderError` where it is not
    finished."""
    if not (folder / _TABLE).is_file():
        raise RunFolderError(f"{folder} is not finished; go on with it first: maieutic evaluate --resume {folder}")
    import polars as pl

    records = read_journal(folder / "journal")
    episodes = []
    for row in pl.read_parquet(folder / _TABLE).iter_rows(named=True):
        key = EpisodeKey(row["therapist"], row["case"], row["seed"])
        if key in records and records[key].closed:
            episodes.append(records[key].episode(key, 0))
        else:  # an arm that was asked no more: it is in the tables and not in the journal
            episodes.append(not_asked(Streams(run_seed, key), row["reason"], orjson.loads(row["provenance"])))
    return episodes

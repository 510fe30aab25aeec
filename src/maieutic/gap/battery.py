"""The run of a whole battery into a folder that can be gone on with, and what a stopped one holds: read from its tapes
alone, nobody is asked."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from maieutic.errors import InputError
from maieutic.evaluation.plan import Settings, load_arms, recorded, specs_of
from maieutic.evaluation.run import EarlyStop, computed_here, preflight, refuse
from maieutic.gap.deciding import change_of
from maieutic.gap.families import ORDER, families, family_names
from maieutic.gap.family import Family, Profile, SamplePlan
from maieutic.gap.judging import admission, calls_of, judge_of, judged_by, reread
from maieutic.gap.page import write_page
from maieutic.gap.recording_client import RecordingClient, ReplayCache
from maieutic.gap.run import Asked, Request, Result, Spread, Ticker, Work, observe, plan, profiles
from maieutic.judging.admitted import Admission
from maieutic.protocols import LanguageModel, Therapist
from maieutic.registry import load_model
from maieutic.runs.files import write_json
from maieutic.runs.folder import (
    ANSWERED_AS,
    FORMAT,
    REQUEST,
    RunFolder,
    locked,
    read_manifest,
    row_of_scores,
    stored_words,
)
from maieutic.runs.work import Budget, Watch
from maieutic.stats import Interval

JUDGE: Final = "the judge"
"""Its name among the arms, where another model answered for it; names of arms have no blanks."""


def servable(request: Request) -> dict[str, tuple[Therapist, Settings]]:
    """The therapists by the names of their arms, with what each is set to.

    Raises `InputError` for one that sees the case or holds no session, `UnknownName`, and as `load_arms`.
    """
    made = load_arms(specs_of(request.therapists), request.settings)
    for name, (therapist, _) in made.items():
        if getattr(therapist, "needs", ()) or getattr(therapist, "absent", False):
            raise InputError(
                f"{name} sees the case or holds no session; the battery is for therapists that could be served"
            )
        parts: tuple[Any, ...] = (therapist, getattr(therapist, "model", None))
        for able in parts:
            if hasattr(able, "check"):
                able.check()
            if hasattr(able, "wait_at_most"):
                able.wait_at_most(request.seconds)
    return made


def stored_request(folder: Path) -> Request:
    """What a run folder of the battery was made with. Raises `RunFolderError` where it holds none or does not say."""
    words = stored_words(folder, "gap")
    return Request(
        tuple(words["therapists"]),
        tuple(words["families"]),
        SamplePlan(**words["extent"]),
        judge=words["judge"],
        admitted=Path(words["admitted"]) if words.get("admitted") else None,
        settings={name: Settings(**given) for name, given in words["settings"].items()},
    )


def work_of(request: Request) -> Work:
    """What a battery consists of, the same for every therapist; the judge's calls come on top (`judging.calls_of`)."""
    return plan(families(request.families), request.extent)


async def profile(
    therapist: Therapist,
    chosen: Sequence[Family],
    extent: SamplePlan,
    *,
    cache: ReplayCache | None = None,
    concurrency: int = 8,
) -> tuple[Profile, ...]:
    """One therapist's profiles in memory: what `known_groups` and notebooks use."""
    client = RecordingClient(therapist, cache or ReplayCache(), seed=extent.seed)
    return profiles(chosen, await observe(client, plan(chosen, extent), concurrency=concurrency), extent)


def run(
    request: Request, folder: Path, *, resume: bool, watch: Watch, spread: Spread | None = None
) -> tuple[Result, ...]:
    """The battery for each therapist, into a run folder; `watch` is told (replies so far, at most, therapist).

    `spread` asks elsewhere than in this process (`gap.spread`).

    Raises:
        InputError: a name that is not known, or a folder that holds another run.
        BudgetReached: the calls are spent; what was said is kept.
        StorageError: the folder cannot be written.
    """
    made = servable(request)
    chosen, work = families(request.families), work_of(request)
    model = load_model(request.judge) if request.judge else None
    admitted = admission_of(request, model)
    about = manifest(request, made)
    held = RunFolder(folder, about, resume=resume)
    if request.preflight:
        others = {} if model is None else {"judge": model}
        elsewhere = {n for n, (one, _) in made.items() if spread and computed_here(getattr(one, "model", None))}
        here = {n: one for n, (one, _) in made.items() if n not in elsewhere}
        refuse(asyncio.run(preflight(here, others, limit=request.seconds)))
    results, budget = list[Result](), Budget(request.most_calls)
    with held:
        with _noting_names(folder, {name: one for name, (one, _) in made.items()}, model):
            for number, (spec, (therapist, _)) in enumerate(made.items()):
                cache = ReplayCache(folder / "journal" / f"{number + 1:02d}.jsonl")
                try:
                    tick = Ticker(watch, work.total, spec, len(cache))
                    if spread is None:
                        asked = asyncio.run(_asked(therapist, work, cache, request, budget, tick))
                    else:
                        asked = spread(request, spec, about, work, cache, budget, tick)
                finally:
                    cache.close()
                results.append(_result(spec, asked, chosen, request))
            if model is not None:
                results = asyncio.run(_judged(model, results, (chosen, work), folder, request, watch, admitted))
        write(tuple(results), folder)
    return tuple(results)


@contextmanager
def _noting_names(folder: Path, therapists: Mapping[str, Therapist], judge: LanguageModel | None) -> Iterator[None]:
    """Writes down under which other names servers answered, at the start and however the run ends: `--resume` does not
    ask again for what was said."""
    models = {name: getattr(one, "model", None) for name, one in therapists.items()} | {JUDGE: judge}
    _note_names(folder, models)
    try:
        yield
    finally:
        _note_names(folder, models)


def _note_names(folder: Path, models: Mapping[str, object]) -> None:
    """Into the manifest: by arm, the names of other models under which its server answered."""
    about = read_manifest(folder)
    known: dict[str, list[str]] = about.get(ANSWERED_AS, {})
    found = {name: getattr(model, "other_names", ()) for name, model in models.items()}
    now = known | {name: sorted({*known.get(name, ()), *others}) for name, others in found.items() if others}
    if now != known:
        write_json(folder / "manifest.json", about | {ANSWERED_AS: now})


def admission_of(request: Request, model: LanguageModel | None) -> Admission | None:
    """What the judge is admitted for here; None without an admission. Raises as `judging.admission`."""
    return admission(request.admitted, model, [one.id for one in families(request.families)])


async def _asked(
    therapist: Therapist,
    work: Work,
    cache: ReplayCache,
    request: Request,
    budget: Budget,
    tick: Ticker,
    stop: EarlyStop | None = None,
) -> Asked:
    stop = stop or EarlyStop(most=request.stop_after)
    client = RecordingClient(therapist, cache, request.extent.seed, request.seconds, budget, tick, stop=stop)
    try:
        seen = await observe(client, work, concurrency=request.concurrency, total=tick.at_most)
    finally:
        model = getattr(therapist, "model", None)
        if model is not None:
            await model.close()
    return Asked(seen, client.calls, client.failed, client.failure, client.cleaned)


def _result(therapist: str, asked: Asked, chosen: Sequence[Family], request: Request) -> Result:
    return Result(
        therapist,
        profiles(chosen, asked.seen, request.extent),
        asked.seen,
        asked.calls,
        request.extent.name,
        failed=asked.failed,
        failure=asked.failure,
        cleaned=asked.cleaned,
    )


async def _judged(  # the results, what they are of, and how the judge reads
    model: LanguageModel,
    results: Sequence[Result],
    asked: tuple[Sequence[Family], Work],
    folder: Path,
    request: Request,
    watch: Watch,
    admitted: Admission | None,
) -> list[Result]:
    """The results with the judge's verdicts beside them, or as the reader. Raises `StorageError`,
    `ModelUnavailable`."""
    chosen, work = asked
    done, total = 0, calls_of(work.units, admitted) * len(results)
    coder = judge_of(model, folder / "journal" / "judge.jsonl", admitted, concurrency=request.concurrency)

    def tick() -> None:
        nonlocal done
        done += 1
        watch(done, total, f"judge {model.name}")

    try:
        if admitted is None:
            return [replace(one, judged=await judged_by(coder, one.seen, tick)) for one in results]
        names = dict.fromkeys(sorted(admitted.readers), f"judge {model.name}")
        found = []
        for one in results:
            seen = await reread(coder, one.seen, admitted, tick)
            found.append(replace(one, profiles=profiles(chosen, seen, request.extent), seen=seen, readers=names))
        return found
    finally:
        await model.close()


@dataclass(slots=True)
class _Nobody(EarlyStop):
    """Asks for nothing beyond the tape."""

    @property
    def stopped(self) -> str | None:
        return "it is not on the tape: not asked before the run was stopped, or no reply came"


@dataclass(frozen=True, slots=True)
class Stored:
    """What a run folder of the battery holds.

    Attributes:
        request: What was asked for. results: By therapist, in the order of the run.
        said: Replies and answers on the tapes. planned: At most so many, over all therapists.
        finished: It ran to its end.
    """

    request: Request
    results: tuple[Result, ...]
    said: int
    planned: int
    finished: bool

    @property
    def told(self) -> str:
        """That the run is not finished and how far it came; '' where it is finished."""
        if self.finished:
            return ""
        return (
            f"This run is not finished: {self.said:,} of {self.planned:,} replies and answers at most are "
            "there, and the figures rest on these alone."
        )


def report(folder: Path, watch: Watch) -> Stored:
    """Profiles from the tapes, and `report.html` again; scores and profiles only of a finished run, for gates read
    them.

    A page with a judge's readings is left as it is, since those are not on the tapes.

    Raises:
        InputError: the folder holds no run of the battery, or one of its therapists cannot be made any more.
    """
    request = stored_request(folder)
    made = load_arms(specs_of(request.therapists), request.settings)
    chosen, work = families(request.families), work_of(request)
    finished = (folder / "scores.json").exists()
    results, said = list[Result](), 0
    with locked(folder):
        for number, (name, (therapist, _)) in enumerate(made.items()):
            kept = ReplayCache(folder / "journal" / f"{number + 1:02d}.jsonl")
            kept.close()
            said += len(kept)
            tick = Ticker(watch, work.total, name, 0)
            asked = asyncio.run(_asked(therapist, work, kept, request, Budget(), tick, stop=_Nobody()))
            results.append(_result(name, replace(asked, failed=0), chosen, request))
        found = Stored(request, tuple(results), said, work.total * len(made), finished)
        if request.judge is None and finished:
            write(found.results, folder)
        elif not finished:
            write_page(found.results, folder, note=found.told)
    return found


def write(results: tuple[Result, ...], folder: Path) -> None:
    """`profiles.json`, `scores.json` and `report.html`, each written whole. Raises `StorageError`."""
    write_json(folder / "profiles.json", [_plain(result) for result in results])
    write_json(folder / "scores.json", [row for result in results for row in scores(result)])
    write_page(results, folder)


def scores(result: Result) -> list[dict[str, Any]]:
    """What a gate reads: one row a value."""
    return [
        row_of_scores(
            f"{profile.family}.{value.id}",
            result.therapist,
            Interval(value.value, value.low, value.high, value.n),
            missing=value.missing,
        )
        | {
            "reason": value.reason,
            "detectable_change": change_of(profile.family, value.id, result.extent),
            "flagged": profile.flagged if value is profile.headline else None,
            "standing": value.standing,
            "items_needed": value.needed,
            "reader": result.reader_of(profile.family),
        }
        for profile in result.profiles
        for value in profile.values
    ] + [
        row_of_scores(
            f"{one.family}.judge_{name}", result.therapist, figure, n=one.replies, missing=sum(one.missing.values())
        )
        | {
            "reason": None if figure.estimate is not None else "no reply was judged by both",
            "detectable_change": None,
            "flagged": None,
        }
        for one in result.judged
        for name, figure in (
            ("share", Interval(one.by_judge, None, None, one.replies)),
            ("agreement", one.agreement.interval),
        )
    ]


def _plain(result: Result) -> dict[str, Any]:
    return {
        "therapist": result.therapist,
        "principal": result.principal.family if result.principal else None,
        "general": [one.family for one in result.leading.general],
        "chance_of_being_first": {one.family: chance for one, chance in result.leading.chances},
        "judged": [asdict(one) for one in result.judged],
        "readers": dict(result.readers),
        "profiles": [asdict(p) | {"flagged": p.flagged, "verdict": p.verdict} for p in result.profiles],
        "missing": {name: dict(result.missing(name)) for name in result.seen},
        "not_applicable": {name: result.inapplicable(name) for name in result.seen},
    } | ({"cleaned": dict(result.cleaned)} if result.cleaned else {})


def manifest(request: Request, made: Mapping[str, tuple[Therapist, Settings]]) -> dict[str, Any]:
    specs = specs_of(request.therapists)
    return {
        "format": FORMAT,
        "kind": "gap",
        "maieutic": version("maieutic"),
        "therapists": list(made),
        "arms": {name: recorded(specs[name], settings) for name, (_, settings) in made.items()},
        "families": [name for name in family_names() if not request.families or name in request.families],
        "extent": asdict(request.extent),
        "items": hash_of_items(),
        REQUEST: request.recorded(),
    }


def hash_of_items() -> str:
    """What the packaged items hash to; runs on other items are not comparable."""
    items = sorted(files("maieutic.gap").joinpath("items").iterdir(), key=lambda place: place.name)
    return hashlib.sha256(b"".join(place.read_bytes() for place in items)).hexdigest()[:16]


__all__ = [
    "ORDER",
    "Asked",
    "Request",
    "Result",
    "Stored",
    "families",
    "hash_of_items",
    "manifest",
    "profile",
    "report",
    "run",
    "scores",
    "servable",
    "stored_request",
    "work_of",
    "write",
]

"""Reads a run of the battery from its tapes alone, so that a run that was stopped shows what is there; nobody is
asked."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from maieutic.evaluation.plan import load_arms, specs_of
from maieutic.evaluation.run import EarlyStop
from maieutic.gap.battery import Request, Result, families, stored_request, work_of, write
from maieutic.gap.page import write_page
from maieutic.gap.recording_client import RecordingClient
from maieutic.gap.replay_cache import ReplayCache
from maieutic.gap.request import Ticker
from maieutic.gap.run import observe, profiles
from maieutic.protocols import Therapist
from maieutic.runs.folder import locked
from maieutic.runs.work import Watch


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
    work = work_of(request)
    finished = (folder / "scores.json").exists()
    results, said = list[Result](), 0
    with locked(folder):
        for number, (name, (therapist, _)) in enumerate(made.items()):
            kept = ReplayCache(folder / "journal" / f"{number + 1:02d}.jsonl")
            kept.close()
            said += len(kept)
            results.append(asyncio.run(_read(name, therapist, kept, request, watch)))
        found = Stored(request, tuple(results), said, work.total * len(made), finished)
        if request.judge is None and finished:
            write(found.results, folder)
        elif not finished:
            write_page(found.results, folder, note=found.told)
    return found


async def _read(name: str, therapist: Therapist, cache: ReplayCache, request: Request, watch: Watch) -> Result:
    work = work_of(request)
    tick = Ticker(watch, work.total, name, 0)
    client = RecordingClient(therapist, cache, request.extent.seed, request.seconds, tick=tick, stop=_Nobody())
    seen = await observe(client, work, concurrency=request.concurrency, total=tick.at_most)
    found = profiles(families(request.families), seen, request.extent)
    return Result(name, found, seen, 0, request.extent.name, cleaned=client.cleaned)

"""Whether a long run is divided among the cores of this machine although nobody asked for workers."""

from __future__ import annotations

import os

from maieutic.evaluation.arms import specs_of
from maieutic.evaluation.evaluate import Request, make_patients, make_plan, models_of
from maieutic.evaluation.run import computed_here
from maieutic.models.llama_runtime import usable_cores
from maieutic.registry import file_and_maker, kind_and_model
from maieutic.runs.work import WorkersSpec

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

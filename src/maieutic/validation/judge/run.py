"""Asks a judge about labelled sets and says where it is admitted; every answer is kept, so a stopped run goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from maieutic.errors import InputError
from maieutic.judging.admitted import CONTEXT
from maieutic.judging.coder import CallLimits, Estimate, JudgeCoder, JudgeSettings
from maieutic.protocols import LanguageModel
from maieutic.runs.work import Watch
from maieutic.validation.judge.coded import coded_sets
from maieutic.validation.judge.figures import Line, lines
from maieutic.validation.judge.own import own_set
from maieutic.validation.judge.rated import rated_sets
from maieutic.validation.judge.sets import LabelledSet

SETS: Final = ("own", "bolt", "epitome", "annomi", "empathy", "tutoring", "mathdial", "mindeval")
MAX_CONTEXT: Final = 4
RESEARCH: Final = 300
"""Items of a research set that are asked about where nothing else is said."""


@dataclass(frozen=True, slots=True)
class How:
    """How a judge is asked.

    Attributes:
        samples: Answers for each item, counted as `JudgeCoder` does.
        max_calls: Calls after which nothing more is asked, over all sets.
        concurrency: Calls at once.
        temperature: Of the answers.
    """

    samples: int = 3
    max_calls: int | None = None
    concurrency: int = 8
    temperature: float = 0.7


@dataclass(frozen=True, slots=True)
class Asked:
    """What asking took.

    Attributes:
        calls: New calls. kept: Answers that were there before.
        tokens_in, tokens_out: As the server counts; None where it does not.
        seconds: Mean time of an answer; None before there is one.
    """

    calls: int
    kept: int
    tokens_in: int | None
    tokens_out: int | None
    seconds: float | None


def labelled_sets(names: Sequence[str], data: Path | None) -> list[LabelledSet]:
    """The sets asked for, in order: the own replies always can be had, the others need the folder of research data.

    Raises:
        InputError: A name that is not known, or a set that needs data which is not there.
    """
    for name in names:
        if name not in SETS:
            raise InputError(f"--set {name!r} is not known; known: {', '.join(SETS)}")
    if data is not None and not data.is_dir():
        raise InputError(f"--data {data} is no folder")
    found = [own_set()] if not names or "own" in names else []
    if data is not None:
        found += [one for one in (*coded_sets(data), *rated_sets(data)) if not names or one.id in names]
    lacking = [name for name in names if name not in {one.id for one in found}]
    if lacking:
        raise InputError(f"--set {lacking[0]} needs its files: name the folder of research data with --data FOLDER")
    return found


def coder_of(model: LanguageModel, one: LabelledSet, how: How, journal: Path | None) -> JudgeCoder:
    """The judge for one set."""
    shown = CONTEXT.get(one.scheme.id, MAX_CONTEXT)
    settings = JudgeSettings(how.temperature, limits=CallLimits(how.concurrency, how.max_calls))
    return JudgeCoder(one.scheme, model, samples=how.samples, context=shown, journal=journal, settings=settings)


def estimates(model: LanguageModel, sets: Sequence[LabelledSet], how: How, journal: Path) -> dict[str, Estimate]:
    """What asking would cost, by set; asks nothing."""
    kept = journal if journal.is_file() else None
    return {one.id: coder_of(model, one, how, kept).estimate([item.said for item in one.items]) for one in sets}


async def measure(
    model: LanguageModel, sets: Sequence[LabelledSet], how: How, journal: Path, watch: Watch
) -> tuple[list[Line], Asked]:
    """Asks about every item of every set and compares.

    Raises:
        BudgetReached: `max_calls` is used up; what came is kept.
        ModelUnavailable: Too many calls in a row failed; what came is kept.
        StorageError: The journal cannot be written.
    """
    found: list[Line] = []
    calls, tokens = 0, [0, 0]
    counted, before, seconds = True, None, None
    try:
        for one in sets:
            left = None if how.max_calls is None else how.max_calls - calls
            coder = coder_of(model, one, replace(how, max_calls=left), journal)
            before = len(coder.journal) if before is None else before
            codings = await coder.predict_many(
                [item.said for item in one.items],
                lambda done, total, id=one.id: watch(done, total, id),  # type: ignore[misc]
            )
            found += lines(one, [coding[-1] for coding in codings])
            calls, seconds = calls + coder.caller.calls, coder.journal.seconds
            used = (coder.caller.input_tokens, coder.caller.output_tokens)
            counted = counted and None not in used
            tokens = [total + (more or 0) for total, more in zip(tokens, used, strict=True)]
    finally:
        await model.close()
    told: Mapping[bool, tuple[int | None, int | None]] = {True: (tokens[0], tokens[1]), False: (None, None)}
    return found, Asked(calls, before or 0, *told[counted], seconds)

"""The judge's part of a battery: what it is admitted for, and the results with its verdicts beside them or in their
place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from maieutic.coding.schemes.composed import REPLIES
from maieutic.errors import InputError
from maieutic.gap.judging import READS, calls_of, judge_of, judged_by, reread
from maieutic.gap.request import Request, Result
from maieutic.gap.run import profiles
from maieutic.judging.admitted import Admission, read_admission
from maieutic.protocols import LanguageModel
from maieutic.runs.work import Watch

if TYPE_CHECKING:
    from maieutic.gap.family import Family
    from maieutic.gap.run import Work


def admission(path: Path | None, model: LanguageModel | None, families: Sequence[str]) -> Admission | None:
    """What a judge was admitted for, of what it can read in these families; None without a file.

    Raises:
        InputError: No judge is named, the file is of another one, or it is admitted for nothing that is read here.
        UnreadableFile: There is no such file, or it is another one.
    """
    if path is None:
        return None
    if model is None:
        raise InputError(f"--admitted {path} says where a judge is admitted; name the judge with --judge")
    found = read_admission(path, model.name)
    asked = {reader: REPLIES for family in families for reader in READS.get(family, ())}
    kept = found.among(asked)
    if not kept:
        raise InputError(
            f"--admitted {path}: {model.name} is admitted for {', '.join(sorted(found.readers))}, and these families "
            f"are read by {', '.join(sorted(asked)) or 'no reader that a judge can replace'}; leave --admitted out"
        )
    return replace(found, readers=kept)


async def judged(  # the results, what they are of, and how the judge reads
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

"""`maieutic train counterfactuals`: a good question against versions of it that are worse in one named attribute.

After ALFA (2025), which rewrites a question to be worse in one attribute and trains on the pairs. Departures: the
versions are written by hand, and the recorded mind says whether the better one does more, not a judge.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from maieutic.domain.episode import Turn
from maieutic.domain.randomness import derive
from maieutic.errors import InputError
from maieutic.runs.files import write_json, write_lines
from maieutic.runs.folder import REQUEST, RunFolder
from maieutic.runs.journal import Checkpoint
from maieutic.stats import MIN_CASES, Interval, bootstrap_mean, wilson
from maieutic.training.pairs import messages_of, why_not
from maieutic.training.rewards import (
    Fork,
    Futures,
    LookAhead,
    attributes_of,
    forks_of,
    read_recorded,
)

ATTRIBUTES: Final = ("open", "single", "clear", "not_leading", "grounded", "timed", "answerable", "key")
"""In what a version can be worse: closed, stacked, muddled, leading, about nothing that was said, too early, about what
the patient cannot know, about a side matter."""
COARSE: Final = "coarse"
"""A version that is worse altogether."""
FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Written:
    """One moment of a recorded session with what could be said there.

    Attributes:
        moment: Its fork, arm/case/seed/turn.
        patient: The patient's last words, as the writer saw them.
        good: The good question.
        worse: Attribute → the version that is worse in it.
    """

    moment: str
    patient: str
    good: str
    worse: Mapping[str, str]


def read_written(path: Path) -> list[Written]:
    """A file of moments, one JSON object a line. Raises `InputError` for a line that is none."""
    found = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            worse = {name: str(row[name]) for name in (*ATTRIBUTES, COARSE) if row.get(name)}
            found.append(Written(row["moment"], row["patient"], row["good"], worse))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}, line {number}: expected an object with moment, patient, good and some of "
                f"{', '.join((*ATTRIBUTES, COARSE))} ({error})"
            ) from error
    if not found:
        raise InputError(f"{path} holds no line")
    return found


@dataclass(frozen=True, slots=True)
class Share:
    """Of one attribute.

    Attributes:
        wins: Share of pairs in which the good question does more; equal ones count half; Wilson's interval, case as
            unit.
        margin: How much more, interval over cases.
        equal: Pairs in which both do the same.
        heard: Share in which the patient's ear has the attribute in the good one and not in the worse; None where it
            has no reader of it.
    """

    wins: Interval
    margin: Interval
    equal: int
    heard: float | None


@dataclass(frozen=True, slots=True)
class Contrasted:
    """What came of the moments.

    Attributes:
        rows: Pairs in TRL's preference format, with `margin`; kept where the good question does more.
        shares: By attribute.
        left_out: Moments by reason.
    """

    rows: Sequence[Mapping[str, Any]]
    shares: Mapping[str, Share]
    left_out: Mapping[str, int]


def contrast(
    run: Path,
    file: Path,
    ahead: LookAhead,
    out: Path,
    tick: Callable[[int], Callable[[int], None]],
    *,
    resume: bool,
) -> Contrasted:
    """Play what is not played yet, and write `pairs.jsonl` and `attributes.json`; a stop keeps every finished moment.

    Args:
        run: Run folder whose sessions are forked. file: Of moments. ahead: How they are played on.

    Raises:
        InputError: No moment is one of the run. RunFolderError: the folder holds something else.
    """
    recorded, written = read_recorded(run), read_written(file)
    futures = Futures(recorded, ahead)
    forks = {fork.name: fork for one in recorded.episodes if not why_not(one) for fork in forks_of(one)}
    reasons = {one.moment: _why_not(one, forks) for one in written}
    left = Counter(reason for reason in reasons.values() if reason)
    usual = [one for one in written if not reasons[one.moment]]
    if not usual:
        raise InputError(f"no moment of {file} can be played on: {'; '.join(left)}")
    manifest = {
        "format": FORMAT,
        "kind": "counterfactuals",
        **ahead.recorded(recorded),
        "written": sha256(file.read_bytes()).hexdigest()[:16],
        REQUEST: {"run": str(run), "written": str(file)},
    }
    with RunFolder(out, manifest, resume=resume):
        kept: Checkpoint[dict[str, Any]] = Checkpoint(out / "moments.jsonl", "moment", dict, resume=resume)
        moments = {one.moment: one for one in usual}

        async def line_of(moment: str) -> dict[str, Any]:
            said = {"good": moments[moment].good, **moments[moment].worse}
            found = {name: await _outcome(futures, forks[moment], text) for name, text in said.items()}
            return {"moment": moment, **found}

        futures.each_once(moments, line_of, kept, tick(len(usual)))
        made = _made(ahead, usual, forks, kept.found, left)
        write_lines(out / "pairs.jsonl", made.rows)
        told = {"attributes": {name: asdict(one) for name, one in made.shares.items()}, "left_out": dict(left)}
        write_json(out / "attributes.json", told)
    return made


def _why_not(one: Written, forks: Mapping[str, Fork]) -> str:
    fork = forks.get(one.moment)
    if fork is None:
        return "the run has no such moment that may be learned from"
    last = fork.before.session.last("patient")
    return "" if last and last.text == one.patient else "the patient says something else there than when it was written"


async def _outcome(futures: Futures, fork: Fork, text: str) -> dict[str, Any]:
    """The reward in each future, None where it cannot be had, and the attributes that the patient heard."""
    played, values = await futures.outcomes(fork, Turn("therapist", text))
    appraisal = played[0].appraisals[fork.turn]
    assert appraisal is not None
    return {"values": list(values), "read": attributes_of(appraisal)}


def _made(
    ahead: LookAhead,
    written: Sequence[Written],
    forks: Mapping[str, Fork],
    lines: Mapping[str, Mapping[str, Any]],
    left: Counter[str],
) -> Contrasted:
    rows: list[dict[str, Any]] = []
    for one in written:
        good, fork = lines[one.moment]["good"], forks[one.moment]
        for name, text in one.worse.items():
            worse = lines[one.moment][name]
            apart = [a - b for a, b in zip(good["values"], worse["values"], strict=True) if None not in (a, b)]
            if not apart:
                left[f"{name}: the reward cannot be had"] += 1
                continue
            rows.append(
                {
                    "prompt": messages_of(fork.before.session),
                    "chosen": [{"role": "assistant", "content": one.good}],
                    "rejected": [{"role": "assistant", "content": text}],
                    "attribute": name,
                    "margin": round(fmean(apart), 4),
                    "heard": (good["read"][name] and not worse["read"][name]) if name in good["read"] else None,
                    "case": fork.key.case,
                    "moment": one.moment,
                    "reward": ahead.reward,
                }
            )
    shares = {name: _share(own, ahead.seed) for name in (*ATTRIBUTES, COARSE) if (own := _of(rows, name))}
    return Contrasted([row for row in rows if row["margin"] > 0], shares, left)


def _of(rows: Sequence[dict[str, Any]], attribute: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["attribute"] == attribute]


def _share(rows: Sequence[Mapping[str, Any]], seed: int) -> Share:
    by_case: dict[str, list[float]] = {}
    for row in rows:
        by_case.setdefault(row["case"], []).append(0.5 if row["margin"] == 0 else float(row["margin"] > 0))
    margin = bootstrap_mean(
        [row["margin"] for row in rows],
        clusters=[row["case"] for row in rows],
        rng=derive(seed, "counterfactuals"),
        fewest=MIN_CASES,
    )
    wins = wilson(sum(map(fmean, by_case.values())), len(by_case))
    heard = [row["heard"] for row in rows if row["heard"] is not None]
    return Share(wins, margin, sum(row["margin"] == 0 for row in rows), fmean(heard) if heard else None)

"""What commands of the core ask of wings, each by a door: the entry point in `maieutic.doors` of the same name.

A wing is opened when its option is given (`--gate`, `--judge`, `--rating-kit`, `--ratings`, `--workers`), when a run is
so long that `evaluation/evaluate.py` divides it unasked, or for the feedback after a talk. A door has the signature
that stands here; `tests/cli/test_joined.py` compares them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from maieutic.doors import own_door

if TYPE_CHECKING:
    from maieutic.coding.book import SchemeCoder
    from maieutic.domain.case import Case, Situation
    from maieutic.domain.episode import Episode
    from maieutic.evaluation.evaluate import Player, Request
    from maieutic.measures.coded import Predict
    from maieutic.runs.work import WorkersSpec
    from maieutic.scoring.score import Spread
    from maieutic.scoring.score_run import ScoreOptions


def feedback(episode: Episode, case: Case, situation: Situation) -> list[str]:
    """Lines on what each therapist turn did and reached."""
    return cast("list[str]", own_door("feedback")(episode, case, situation))


def gate(policy: str, baseline: Path | None) -> Callable[[Path, Sequence[str]], None]:
    """Checks a policy before a run of `evaluate`; what it gives holds the run's folder and therapists against it."""
    return cast("Callable[[Path, Sequence[str]], None]", own_door("gate")(policy, baseline))


def judge_code(
    path: Path, model: str, scheme: str, samples: int, max_calls: int | None, journal: Path | None, **reading: Any
) -> AbstractContextManager[SchemeCoder]:
    """A language model as the coder of a file, whose cost is told."""
    found = own_door("judge_code")(path, model, scheme, samples, max_calls, journal, **reading)
    return cast("AbstractContextManager[SchemeCoder]", found)


def judge_reread(judge: str, admitted: Path, max_calls: int | None) -> Callable[[Path], None]:
    """Refuses a judge that was not admitted; what it gives has the judge read the advice of a finished run."""
    return cast("Callable[[Path], None]", own_door("judge_reread")(judge, admitted, max_calls))


def judge_score(
    judge: str, admitted: Path, out: Path, options: ScoreOptions, max_calls: int | None
) -> AbstractContextManager[Predict]:
    """Codes of `score --judge`: the packaged coder's, and the judge's where it was admitted."""
    found = own_door("judge_score")(judge, admitted, out, options, max_calls)
    return cast("AbstractContextManager[Predict]", found)


def ratings_ask(
    paths: Sequence[Path],
    number: int,
    out: Path | None,
    columns: Mapping[str, str],
    *,
    redact: bool,
    encoding: str | None,
) -> None:
    """Writes a kit for human raters."""
    own_door("ratings_ask")(paths, number, out, columns, redact=redact, encoding=encoding)


def ratings_read(folder: Path, sheets: Sequence[Path]) -> object:
    """Reads raters' sheets back into their kit."""
    return own_door("ratings_read")(folder, sheets)


def workers_code(
    spec: WorkersSpec, coder: SchemeCoder, choice: tuple[str, bool, bool], path: Path, reading: Mapping[str, Any]
) -> AbstractContextManager[SchemeCoder]:
    """A packaged coder whose sessions are coded on workers; `choice` is scheme, fast, before-only."""
    found = own_door("workers_code")(spec, coder, choice, path, reading)
    return cast("AbstractContextManager[SchemeCoder]", found)


def workers_play(request: Request, spec: WorkersSpec, at_once: int | None) -> Player:
    """What plays the sessions of `evaluate` on workers."""
    return cast("Player", own_door("workers_play")(request, spec, at_once))


def workers_score(spec: WorkersSpec) -> Spread:
    """What scores sessions on workers."""
    return cast("Spread", own_door("workers_score")(spec))

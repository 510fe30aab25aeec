"""What `code`, `score` and `evaluate` ask of a judge: to be made, to tell its cost, to read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from maieutic.cli.screen import screen, tell, watched
from maieutic.registry import load_model

if TYPE_CHECKING:
    from maieutic.judging.coder import JudgeCoder
    from maieutic.measures.coded import Predict
    from maieutic.scoring.score_run import ScoreOptions

_ADDED: Final = ("utterances", "calls", "kept", "tokens_in", "tokens_out", "minutes")


def rereading_with(judge: str, admitted: Path, max_calls: int | None) -> Callable[[Path], None]:
    """What has the admitted judge read the advice of a finished run, given its folder, and shows the table again;
    it stops, resumable, after `max_calls` new calls.

    Raises:
        InputError: the judge was not admitted as the reader of advice.
    """
    from maieutic.judging.rereading import advice_admission

    advice_admission(admitted, load_model(judge))
    return partial(_reread, judge, admitted, max_calls)


def _reread(judge: str, admitted: Path, max_calls: int | None, folder: Path) -> None:
    import asyncio

    from maieutic.evaluation.tables import print_table
    from maieutic.judging.rereading import advice_admission, reread_run

    model = load_model(judge)
    found = advice_admission(admitted, model)
    with watched("answers") as watch:

        def told(done: int, total: int) -> None:
            watch(done, total, f"judge {model.name}")

        outcome = asyncio.run(reread_run(folder, model, found, told, max_calls=max_calls))
    print_table(outcome.summary, screen())
    tell(f"advice read by judge {model.name}, not by our rules")


def scoring_with(
    judge: str, admitted: Path, out: Path, options: ScoreOptions, max_calls: int | None
) -> AbstractContextManager[Predict]:
    """Codes of `score --judge`: the packaged coder's, and the judge's where it was admitted."""
    from maieutic.judging.rereading import JudgedScoring, score_admission
    from maieutic.measures.coded import packaged_coder

    model = load_model(judge)
    found = score_admission(admitted, model)
    packaged = packaged_coder("accurate" if options.accurate else "fast")
    # Answers lie beside the output, as those of `code` do, so that none is asked for twice.
    journal = out.with_name(f".{out.name}.answers.jsonl")
    coder = JudgedScoring(packaged, model, found, journal=journal, max_calls=max_calls)
    tell(f"{coder.origin}; answers are kept beside {out}", whole=True)
    return closing(coder)


@contextmanager
def coding_with(
    path: Path, model: str, scheme: str, samples: int, max_calls: int | None, journal: Path | None, **reading: Any
) -> Iterator[JudgeCoder]:
    """The coder of `code --coder MODEL`; what coding the file would cost is told."""
    from maieutic.coding.schemes import get_scheme
    from maieutic.judging.coder import CallLimits, JudgeCoder, JudgeSettings

    book = get_scheme(scheme)
    settings = JudgeSettings(limits=CallLimits(max_calls=max_calls))
    with JudgeCoder(book, load_model(model), samples=samples, journal=journal, settings=settings) as judge:
        _tell_cost(path, judge, reading)
        yield judge


def _tell_cost(path: Path, judge: JudgeCoder, reading: dict[str, Any]) -> None:
    """What coding a file would cost."""
    from dataclasses import replace

    from maieutic.scoring.coding_run.run import dialogues_to_code

    total = None
    for dialogue in dialogues_to_code(path, scheme=judge.scheme.id, **reading):
        found = judge.estimate([dialogue])
        sums: dict[str, Any] = (
            {} if total is None else {name: getattr(total, name) + getattr(found, name) for name in _ADDED}
        )
        total = replace(found, **sums)
    told = f"{judge.name}: {'nothing to ask' if total is None else total}"
    tell(told, whole=True)

"""Asks a judge about labelled sets, compares it with the embedded reader on the same items, and says where it is
admitted; every answer is kept, so a stopped run goes on.

It leaves behind `admitted.json`, a report, and a table for a terminal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from maieutic.agreement import correlations
from maieutic.coding.book import Coding
from maieutic.errors import InputError
from maieutic.judging.admitted import CONTEXT, FORMAT, KIND, cache_key
from maieutic.judging.coder import CallLimits, Estimate, JudgeCoder, JudgeSettings
from maieutic.protocols import LanguageModel
from maieutic.runs.files import write_json
from maieutic.runs.findings import Page, write
from maieutic.runs.shown import plain_table
from maieutic.runs.work import Watch
from maieutic.stats import Interval, bootstrap_statistic, wilson
from maieutic.validation.coder import figures as fig
from maieutic.validation.coder.figures import Flags
from maieutic.validation.judge.research import coded_sets, rated_sets
from maieutic.validation.judge.sets import Codes, Item, LabelledSet, Reader, own_set, weighted_kappa

if TYPE_CHECKING:
    from rich.table import Table


MIN_ITEMS: Final = 20
"""Items below which nobody is admitted: an interval over fewer means little."""


@dataclass(frozen=True, slots=True)
class Line:
    """What was measured of one reader.

    Attributes:
        reader, set: Which, on what.
        n: Items that carry a label. missing: Of these, without a code of the judge; they count as wrong.
        judge: Agreement of the judge with the labels, 95 % interval over groups.
        embedded: That of the embedded reader on the same items; its estimate None where the package has none.
        admitted: Whether the judge's lower limit lies above the embedded reader's value.
        why: Why it was not, else ''.
    """

    reader: Reader
    set: str
    n: int
    missing: int
    judge: Interval
    embedded: Interval
    admitted: bool
    why: str


def lines(measured: LabelledSet, codings: Sequence[object], *, draws: int = 2000) -> list[Line]:
    """A line for each reader of a set; `codings` are the judge's, or whatever stands for a missing one, by item."""
    return [_line(measured, reader, codings, draws) for reader in measured.readers]


def given_by(reader: Reader, coding: object) -> Codes:
    """What a judge's coding says for one reader; empty where it says nothing."""
    if not isinstance(coding, Coding):
        return ()
    if reader.facet is None:
        return coding.predicted
    return (coding.facets[reader.facet].value,) if reader.facet in coding.facets else ()


def _line(measured: LabelledSet, reader: Reader, codings: Sequence[object], draws: int) -> Line:
    rows = [(i, c) for i, c in zip(measured.items, codings, strict=True) if reader.id in i.gold]
    items = [item for item, _ in rows]
    said = [given_by(reader, coding) for _, coding in rows]
    gold = [item.gold[reader.id] for item in items]
    told = measured.embedded.get(reader.id, {})
    repeats = min((len(told[item.id]) for item in items), default=0) if told else 0
    ours = [[told[item.id][at] for item in items] for at in range(repeats)]
    judge = _agreement(reader, items, gold, [said], draws)
    embedded = _agreement(reader, items, gold, ours, draws) if ours else Interval(None, None, None, 0)
    why = _against(judge, embedded, len(items), sum(not one for one in said))
    return Line(reader, measured.id, len(items), sum(not one for one in said), judge, embedded, not why, why)


def _against(judge: Interval, embedded: Interval, n: int, missing: int) -> str:
    if missing == n:
        return "no answer could be read"
    if n < MIN_ITEMS:
        return f"only {n} items, {MIN_ITEMS} are needed"
    if judge.low is None:
        return "no interval"
    if embedded.estimate is None:
        return "nothing to replace: the package has no such reader"
    if judge.low <= embedded.estimate:
        return "lower limit not above the embedded reader"
    return ""


def _agreement(
    reader: Reader, items: Sequence[Item], gold: Sequence[Codes], given: Sequence[Sequence[Codes]], draws: int
) -> Interval:
    if not items:
        return Interval(None, None, None, 0)
    groups = [item.group for item in items]
    if reader.figure == "macro-F1":
        values = [value for value in reader.values if any(value in one for one in gold)]
        table = fig.f1_table(_flags(gold, values), np.stack([_flags(one, values) for one in given]), fig.places(groups))
        return _cautious(fig.interval([table], fig.mean_macro_f1, rng=Random(0), draws=draws), gold, given)
    statistic = weighted_kappa if reader.figure == "weighted kappa" else _rho
    pairs = [
        (float(wanted[0]), float(one[0])) for wanted, one in zip(gold, given[0], strict=True) if one
    ]  # a rating that is missing has no place on the scale
    kept = [group for group, one in zip(groups, given[0], strict=True) if one]
    return bootstrap_statistic(pairs, statistic, clusters=kept, rng=Random(0), draws=draws)


def _cautious(found: Interval, gold: Sequence[Codes], given: Sequence[Sequence[Codes]]) -> Interval:
    """The interval with its lower bound at most Wilson's on the share that is right.

    A bootstrap knows no error that was not made: of 56 right of 56 it says [1, 1].
    """
    if found.low is None or any(len(one) > 1 for one in gold):
        return found
    right = sum(one == wanted for codes in given for one, wanted in zip(codes, gold, strict=True)) / len(given)
    simple = wilson(right, len(gold)).low
    return replace(found, low=found.low if simple is None else min(found.low, simple))


def _flags(codes: Sequence[Codes], values: Sequence[str]) -> Flags:
    return np.array([[value in one for value in values] for one in codes], dtype=bool)


def _rho(pairs: Sequence[tuple[float, float]]) -> float | None:
    first, second = zip(*pairs, strict=True)
    return correlations(first, second).spearman.value


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


RULE = (
    "Admitted: the lower limit of the judge's 95 % interval lies above the embedded reader's value on the same items. "
    "An answer that cannot be read counts as wrong."
)


def table(lines: Sequence[Line], *, narrow: bool) -> Table:
    """A row a reader."""
    shown = plain_table(close=True)
    for name in ("reader", "n", "judge [95 %]", "ours", "experts", "verdict"):
        shown.add_column(name, overflow="fold", no_wrap=name in ("n", "judge [95 %]", "ours"))
    for line in lines:
        missing = f" ({line.missing} missing)" if line.missing else ""
        verdict = "[green]admitted[/]" if line.admitted else f"no: {line.why}"
        shown.add_row(
            line.reader.id,
            str(line.n),
            line.judge.shown(),
            _number(line.embedded.estimate),
            _number(line.reader.experts.value),
            verdict + (missing if not narrow else ""),
        )
    return shown


def cost(asked: Asked) -> str:
    """What it took, in a sentence."""
    counted = "tokens were not counted by the server"
    if asked.tokens_in is not None and asked.tokens_out is not None:
        counted = f"{asked.tokens_in:,} tokens in, {asked.tokens_out:,} out"
    pace = "" if asked.seconds is None else f", {asked.seconds:.1f} s an answer"
    return f"{asked.calls:,} new calls ({asked.kept:,} answers were kept), {counted}{pace}"


def admission(model: str, how: How, sets: Sequence[LabelledSet], lines: Sequence[Line], asked: Asked) -> dict[str, Any]:
    """`admitted.json`: what `--admitted` takes."""
    schemes = {reader.id: one.scheme for one in sets for reader in one.readers}
    return {
        "kind": KIND,
        "format": FORMAT,
        "maieutic": version("maieutic"),
        "made": date.today().isoformat(),
        "model": model,
        "samples": how.samples,
        "temperature": how.temperature,
        "asked": asdict(asked),
        "items": {one.id: _mark_of_items(one) for one in sets},
        "readers": {line.reader.id: _as_json(line) | {"book": cache_key(schemes[line.reader.id])} for line in lines},
    }


def _as_json(line: Line) -> dict[str, Any]:
    return {
        "admitted": line.admitted,
        "why_not": line.why,
        "set": line.set,
        "figure": line.reader.figure,
        "n": line.n,
        "missing": line.missing,
        "judge": [line.judge.estimate, line.judge.low, line.judge.high],
        "embedded": [line.embedded.estimate, line.embedded.low, line.embedded.high],
        "experts": line.reader.experts.value,
        "experts_are": line.reader.experts.what,
        "used_by": list(line.reader.used_by),
    }


def _mark_of_items(one: LabelledSet) -> str:
    return hashlib.sha256("\n".join(item.id for item in one.items).encode()).hexdigest()[:16]


def write_report(found: Mapping[str, Any], lines: Sequence[Line], sets: Sequence[LabelledSet], folder: Path) -> None:
    """`admitted.json` and `report.html`. Raises `StorageError`."""
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "admitted.json", found)
    write(page(str(found["model"]), lines, sets), folder)


def page(model: str, lines: Sequence[Line], sets: Sequence[LabelledSet]) -> Page:
    """The report."""
    tables = []
    for one in sets:
        rows = [
            (
                line.reader.title,
                "admitted" if line.admitted else f"not admitted: {line.why}",
                line.judge.shown(),
                line.embedded.shown(),
                line.reader.figure,
                str(line.n),
                str(line.missing or ""),
                ", ".join(line.reader.used_by) or "none yet",
                _experts(line),
            )
            for line in lines
            if line.set == one.id
        ]
        columns = (
            "reader",
            "verdict",
            "judge",
            "embedded",
            "figure",
            "items",
            "missing",
            "read for",
            "experts among themselves",
        )
        tables.append((f"{one.title} ({len(one.items)} items; {one.source})", columns, rows))
    return Page(
        title=f"{model} as a reader",
        question=f"Where does {model} read better than what comes with the package?",
        played=f"{sum(len(one.items) for one in sets)} items, one request each; several questions a request. {RULE}",
        caution="Own-written replies were labelled by their writers. Where experts agree little, no reader can be "
        "shown to be good.",
        findings=(),
        rule=RULE,
        tables=tuple(tables),
    )


def _experts(line: Line) -> str:
    known = line.reader.experts
    return known.what if known.value is None else f"{known.value:.2f}: {known.what}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"

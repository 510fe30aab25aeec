"""What a measured judge leaves behind: `admitted.json`, the report, and the table for a terminal."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maieutic.judging.admitted import FORMAT, KIND, cache_key
from maieutic.runs.files import write_json
from maieutic.runs.findings import Page, write
from maieutic.runs.shown import plain_table
from maieutic.validation.judge.run import Asked, How, Line
from maieutic.validation.judge.sets import LabelledSet

if TYPE_CHECKING:
    from rich.table import Table

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
        "readers": {line.reader.id: _line(line) | {"book": cache_key(schemes[line.reader.id])} for line in lines},
    }


def _line(line: Line) -> dict[str, Any]:
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

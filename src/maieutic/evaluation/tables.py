"""The tables of a run: in the terminal, and as files: CSV to read, Parquet to compute with, LaTeX to print; sessions
and turns among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from maieutic.domain.episode import Episode, Turn
from maieutic.evaluation.findings import (
    Figure,
    Result,
    cautions,
    figure,
    headline,
    interval_figure,
    no_interval,
    number,
    plural,
    ranked,
    results,
)
from maieutic.evaluation.lines import BY_ID, CRITERIA, NOT_ASKED, NOT_SHOWN, NOT_TOLD, NOT_TRIED, Line
from maieutic.evaluation.summary import PRIMARY, Summary
from maieutic.runs.files import frame_of, write_parquet, write_whole
from maieutic.runs.shown import Table, plain_table, put
from maieutic.stats import MIN_CASES, Interval

if TYPE_CHECKING:
    from rich.console import Console


_WIDE = 124
_MIN_NAME = 16
_FIXED = 34
"""Columns of the terminal that effect, n and fail take, with what stands between them."""
_MAX_PAIRS = 6
_COLUMNS = (
    ("fall", "fall", PRIMARY, "points"),
    ("facts\n%", "facts voiced", "evidence_reached", "share"),
    ("own\n%", "by patient", "evidence_by_patient", "share"),
    ("open\n%", "open questions", "open_among_asking_turns", "share"),
    ("early\n%", "advice early", "advice_before_exploration", "share"),
)
_NOTE = (
    "arm: a therapist in the comparison. effect: points (0-100) that held conviction (the patient's own belief in the "
    "thought) fell beyond no session. facts: against the thought, voiced; own: not told to them; open: open questions; "
    f"early: advice before thought and feeling were told; n: cases; n < {MIN_CASES}: too few cases for an interval, "
    "and a figure in brackets rests on as few. fall: points that it fell in all; fail: dialogues that broke off. Not "
    "validated on humans."
)


def print_table(summary: Summary, console: Console) -> None:
    """One line an arm, by falling effect, then what each verdict rests on, then differences between the arms.

    Below 124 columns only the effect shows its interval; columns give way to a long name before the name is broken.
    """

    wide = console.width >= _WIDE
    shown = _fitting(summary, console.width, wide=wide)
    table = plain_table(close=True)
    table.add_column("arm", overflow="fold", min_width=_MIN_NAME)
    table.add_column("effect", justify="right", no_wrap=True)
    for short, title, _, _ in shown:
        table.add_column(title if wide else short, justify="right", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    table.add_column("fail", justify="right", no_wrap=True)
    for one in results(summary):
        table.add_row(*_cells(summary, one, shown, wide=wide))
    console.print(table)
    if summary.lines:
        _print_lines(summary, console, wide=wide)
    if summary.differences:
        _print_differences(summary, console)
    put(console, f"\n{headline(summary)}")
    for told in cautions(summary):
        put(console, told)
    if any(arm.privileged for arm in summary.arms):
        put(console, "* privileged: sees the case and the hidden state; a ceiling, no competitor.", style="dim")
    if any(arm.people for arm in summary.arms):
        put(console, "(people): said by trainees in practice, on the same patients; session by session.", style="dim")
    for cleaned in summary.cleaned:
        put(console, f"Made plain before it was read: {cleaned}.")
    for note in (*_special(summary), _NOTE):
        put(console, note, style="dim")


def print_not_again(measures: Sequence[str], console: Console) -> None:
    """Which measures an earlier result had that this one lacks, and how they come back."""
    if measures:
        told = f"No longer in the scores, since not named again: {', '.join(measures)} (--measure)."
        put(console, told)


def _fitting(summary: Summary, width: int, *, wide: bool) -> tuple[tuple[str, str, str, str], ...]:
    """As many columns as leave the longest name whole, the first ones first."""
    name = max((len(arm.therapist) + 2 for arm in summary.arms), default=0)
    left = width - min(name, width // 2) - _FIXED
    shown: list[tuple[str, str, str, str]] = []
    for column in _COLUMNS:
        left -= 20 if wide else max(map(len, column[0].split("\n"))) + 2
        if left < 0:
            break
        shown.append(column)
    return tuple(shown)


def _print_lines(summary: Summary, console: Console, *, wide: bool) -> None:
    """What each verdict rests on: yes, no, left open, or no answer; why there is none stands in the tables."""
    from rich.markup import escape

    table = plain_table(close=True)
    table.add_column("verdict rests on", overflow="fold", min_width=_MIN_NAME)
    for one in CRITERIA:
        table.add_column(one.short, no_wrap=True)
    for result in results(summary):
        if result.lines:
            table.add_row(escape(result.arm.therapist), *(_line(line, wide=wide) for line in result.lines))
    console.print()
    console.print(table)
    put(
        console,
        "yes, no: the whole interval says so, with few cases the estimate; open: these cases leave it open; untried: "
        "it did nothing by which it could fail; -: no answer in this run, tables/lines.csv says why. beyond active: "
        "moves belief further than the best of the arms that talk by a plan. Timing counts advice and challenges.",
        style="dim",
    )


_SHORT = {
    "holds": "[green]yes[/]",
    "fails": "[red]no[/]",
    NOT_SHOWN: "open",
    NOT_TOLD: "-",
    NOT_TRIED: "untried",
    NOT_ASKED: "-",
}


def _line(line: Line, *, wide: bool) -> str:
    word = _SHORT[line.says]
    if not wide or line.interval.estimate is None:
        return word
    return f"{word} {number(line.interval.estimate, BY_ID[line.id].unit, signed=line.id != 'timing')}"


def _print_differences(summary: Summary, console: Console) -> None:
    """Arm minus arm; with many arms only those of the best one, the rest being in the tables."""
    best = ranked(summary)[0].therapist
    few = len(summary.differences) <= _MAX_PAIRS
    shown = [one for one in summary.differences if few or best in (one.first, one.second)]
    rows = [
        (
            f"{one.first} − {one.second}",
            _text(interval_figure(one.interval, "points", signed=True), wide=True),
            str(one.interval.n),
        )
        for one in shown
    ]
    table = Table("", ("arm minus arm", "points [95 %]", "n"), rows)
    console.print()
    console.print(table.on_screen(right=(1, 2), whole=(1,), close=True))
    if not few:
        rest = len(summary.differences) - len(shown)
        put(console, f"{rest} more pairs stand in tables/differences.csv and in the report.", style="dim")


def _cells(summary: Summary, one: Result, columns: Sequence[tuple[str, str, str, str]], *, wide: bool) -> list[str]:
    from rich.markup import escape

    arm = one.arm
    effect = "reference" if one.verdict == "reference" else _text(figure(one.effect, "points", signed=True), wide=True)
    style = {"conducts": "bold green", "backfires": "red"}.get(one.verdict)
    others = [
        _text(figure(summary.row(name, arm.therapist), unit), wide=wide, weak=one.cases >= MIN_CASES)
        for *_, name, unit in columns
    ]
    shown = [escape(effect), *map(escape, others), str(one.cases), str(arm.failed)]
    if style is not None:
        shown[0] = f"[{style}]{shown[0]}[/]"
    return [escape(arm.therapist) + " *" * arm.privileged + " (people)" * arm.people, *shown]


def _text(found: Figure, *, wide: bool, weak: bool = False) -> str:
    """A figure; one of fewer cases than bear an interval stands in brackets where its arm has enough of them
    (`weak`)."""
    if found.missing or (weak and found.bounds == no_interval(1)):  # of one case alone it says nothing
        return "-"
    bears = found.bounds.startswith("[")
    if wide:
        return f"{found.value} {found.bounds if bears else f'[n < {MIN_CASES}]'}".strip()
    value = found.value.removesuffix(" %")
    return f"({value})" if weak and not bears else value


def _special(summary: Summary) -> tuple[str, ...]:
    names = {"accurate": "accurate-thought", "risk": "risk"}
    found = {row.group: row.interval.n for row in summary.rows if row.measure == PRIMARY and row.group in names}
    if not found:
        return ()
    listed = " and ".join(plural(count, f"{names[group]} case") for group, count in sorted(found.items()))
    return (f"Not in these means, reported apart in the report: {listed}.",)


FOLDER = "tables"
Columns = Mapping[str, tuple[str, Callable[..., Any]]]
"""By name: type in polars' words, and what stands there of an item."""
_STRING, _FLOAT, _INT, _BOOLEAN = "String", "Float64", "Int64", "Boolean"


def _numbers(found: Callable[..., Interval]) -> Columns:
    return {
        "estimate": (_FLOAT, lambda *item: found(*item).estimate),
        "low": (_FLOAT, lambda *item: found(*item).low),
        "high": (_FLOAT, lambda *item: found(*item).high),
        "cases": (_INT, lambda *item: found(*item).n),
    }


_ARMS: Columns = {
    "arm": (_STRING, lambda one, spec: one.arm.therapist),
    "therapist": (_STRING, lambda one, spec: spec),
    "verdict": (_STRING, lambda one, spec: one.verdict),
    "effect": (_FLOAT, lambda one, spec: one.effect and one.effect.interval.estimate),
    "low": (_FLOAT, lambda one, spec: one.effect and one.effect.interval.low),
    "high": (_FLOAT, lambda one, spec: one.effect and one.effect.interval.high),
    "fall": (_FLOAT, lambda one, spec: one.fall and one.fall.interval.estimate),
    "cases": (_INT, lambda one, spec: one.fall and one.fall.interval.n),
    "sessions": (_INT, lambda one, spec: one.arm.episodes),
    "failed": (_INT, lambda one, spec: one.arm.failed),
    "left": (_INT, lambda one, spec: one.arm.left),
    "privileged": (_BOOLEAN, lambda one, spec: one.arm.privileged),
    **{
        criterion.id: (_BOOLEAN, lambda one, spec, id=criterion.id: {x.id: x.holds for x in one.lines}.get(id))
        for criterion in CRITERIA
    },
}
_LINES: Columns = {
    "arm": (_STRING, lambda arm, line: arm.therapist),
    "line": (_STRING, lambda arm, line: line.id),
    "asks": (_STRING, lambda arm, line: BY_ID[line.id].title),
    "holds": (_BOOLEAN, lambda arm, line: line.holds),
    "says": (_STRING, lambda arm, line: line.says),
    **_numbers(lambda arm, line: line.interval),
    "unit": (_STRING, lambda arm, line: BY_ID[line.id].unit),
    "bound": (_STRING, lambda arm, line: BY_ID[line.id].bound),
    "note": (_STRING, lambda arm, line: line.reason),
}
_DIFFERENCES: Columns = {
    "first": (_STRING, lambda one: one.first),
    "second": (_STRING, lambda one: one.second),
    **_numbers(lambda one: one.interval),
    "pairs": (_INT, lambda one: one.episodes),
}
_MEASURES: Columns = {
    "measure": (_STRING, lambda row: row.measure),
    "arm": (_STRING, lambda row: row.therapist),
    "group": (_STRING, lambda row: row.group),
    **_numbers(lambda row: row.interval),
    "sessions": (_INT, lambda row: row.episodes),
    "missing": (_INT, lambda row: sum(row.missing.values())),
}


def write_files(folder: Path, summary: Summary, manifest: Mapping[str, Any]) -> None:
    """`tables/`: arms, lines, differences and measures, each as CSV and Parquet; the first and third also as LaTeX.

    Arms are named as everywhere in the run; `therapist` is what each was made from. Raises `StorageError`.
    """
    place = folder / FOLDER
    specs = {name: str(arm["spec"]) for name, arm in dict(manifest.get("arms") or {}).items()}
    found = results(summary)
    tables: tuple[tuple[str, Columns, Iterable[tuple[Any, ...]]], ...] = (
        ("arms", _ARMS, ((one, specs.get(one.arm.therapist, one.arm.therapist)) for one in found)),
        ("lines", _LINES, ((one.arm, line) for one in found for line in one.lines)),
        ("differences", _DIFFERENCES, zip(summary.differences, strict=True)),
        ("measures", _MEASURES, zip(summary.rows, strict=True)),
    )
    for name, columns, items in tables:
        rows = [{column: get(*item) for column, (_, get) in columns.items()} for item in items]
        schema = {column: kind for column, (kind, _) in columns.items()}
        write_parquet(place / f"{name}.parquet", rows, schema)
        csv = BytesIO()
        frame_of(rows, schema).write_csv(csv)
        write_whole(place / f"{name}.csv", csv.getvalue())
    write_whole(place / "arms.tex", _arms_in_latex(summary).encode())
    write_whole(place / "differences.tex", _differences_in_latex(summary).encode())


def _arms_in_latex(summary: Summary) -> str:
    """Needs the package booktabs; a line that holds is yes, one that does not no, and the others say why neither."""
    heads = ["Arm", "Effect [95\\,\\%]", *(one.short.replace("\n", " ") for one in CRITERIA)]
    rows = []
    for one in results(summary):
        effect = figure(one.effect, "points", signed=True)
        shown = "reference" if one.verdict == "reference" else "--" if effect.missing else effect.text
        told = [_WORDS.get(line.says, line.says) for line in one.lines] or ["--"] * len(CRITERIA)
        named = one.arm.therapist + " (privileged)" * one.arm.privileged + " (people)" * one.arm.people
        rows.append([named, shown, *told])
    return _tabular("ll" + "c" * len(CRITERIA), heads, rows)


def _differences_in_latex(summary: Summary) -> str:
    rows = []
    for one in summary.differences:
        low, high = one.interval.low, one.interval.high
        span = "--" if low is None or high is None else f"[{low:+.1f}, {high:+.1f}]"
        rows.append([one.first, one.second, f"{one.interval.estimate or 0.0:+.1f}", span, str(one.interval.n)])
    return _tabular("llrrr", ["First", "Second", "Difference", "95\\,\\%", "Cases"], rows)


_WORDS = {"holds": "yes", "fails": "no"}


def _tabular(columns: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    body = [" & ".join(map(_in_latex, row)) + r" \\" for row in rows]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(heads) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
}


def _in_latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)


def _json(value: Any) -> str | None:
    return (
        None if value is None else orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SORT_KEYS).decode()
    )


def write_tables(folder: Path, episodes: Sequence[Episode]) -> None:
    """episodes.parquet and turns.parquet, sorted by (therapist, case, seed, turn); no clock, host or path.

    turns.parquet has a column `original` where a turn was made plain.
    """
    ordered = sorted(episodes, key=lambda e: e.key)
    write_parquet(folder / "episodes.parquet", [_episode_row(e) for e in ordered], _EPISODE_SCHEMA)
    rows = [row for e in ordered for row in _turn_rows(e)]
    written = {"original": "String"} if any(row["original"] is not None for row in rows) else {}
    write_parquet(folder / "turns.parquet", rows, _TURN_SCHEMA | written)


_STATE_COLUMNS = ("held", "stated", "core", "distress", "openness", "reactance", "goal", "task", "bond")
_KEY = {"therapist": _STRING, "case": _STRING, "seed": _INT}
_EPISODE_SCHEMA = {
    **_KEY,
    **dict.fromkeys(("ending", "reason"), _STRING),
    "therapist_turns": _INT,
    **dict.fromkeys(("held_start", "held_end"), _FLOAT),
    **dict.fromkeys(("calls", "input_tokens", "output_tokens"), _INT),
    "provenance": _STRING,
}
_TURN_SCHEMA = {
    **_KEY,
    "turn": _INT,
    **dict.fromkeys(("speaker", "text", "moves", "act"), _STRING),
    **dict.fromkeys(_STATE_COLUMNS, _FLOAT),
    **dict.fromkeys(("code", "appraisal", "state", "trace"), _STRING),
}


def _episode_row(episode: Episode) -> dict[str, Any]:
    usages = [t.usage for t in episode.session.turns if t.usage is not None]
    states = episode.states
    return {
        **episode.key._asdict(),
        "ending": episode.ending.kind,
        "reason": episode.ending.reason,
        "therapist_turns": len(episode.therapist_turns),
        "held_start": states[0].held if states else None,
        "held_end": states[-1].held if states else None,
        "calls": sum(u.calls for u in usages),
        "input_tokens": _total(u.input_tokens for u in usages),
        "output_tokens": _total(u.output_tokens for u in usages),
        "provenance": _json(episode.provenance),
    }


def _total(counts: Iterator[int | None]) -> int | None:
    known = list(counts)
    return None if not known or any(c is None for c in known) else sum(c for c in known if c is not None)


def _turn_rows(episode: Episode) -> Iterator[dict[str, Any]]:
    """One row an utterance; a state stands in the row of the patient turn that follows from it."""
    turns = episode.session.turns
    if not turns and episode.states:
        turns = (Turn("patient", ""),) * len(episode.states)
    spoken = therapist_turns = 0
    for index, turn in enumerate(turns):
        row: dict[str, Any] = {
            **episode.key._asdict(),
            "turn": index,
            "speaker": turn.speaker,
            "text": turn.text,
            "trace": _json(turn.trace),
            "original": turn.original,
        }
        if turn.speaker == "therapist":
            code, appraisal = _at(episode.codes, therapist_turns), _at(episode.appraisals, therapist_turns)
            row |= {"code": _json(code), "appraisal": _json(appraisal)}
            row["moves"] = None if code is None else "|".join(code.moves)
            therapist_turns += 1
        else:
            state = _at(episode.states, spoken)
            spoken += 1
            if state is not None:
                row |= {name: getattr(state, name) for name in _STATE_COLUMNS}
                row |= {"act": state.intent.act.value, "state": _json(state)}
        yield row


def _at(items: Sequence[Any], index: int) -> Any:
    return items[index] if index < len(items) else None

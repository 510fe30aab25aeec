"""What a comparison leaves behind: one page, one JSON file, and a table in the terminal."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maieutic.comparing.compare import MEANINGS, TURNED, Compared, Comparison, Flip, Row
from maieutic.domain.randomness import derive
from maieutic.evaluation import charts
from maieutic.evaluation.annotate import session_view
from maieutic.evaluation.charts import curve, longest
from maieutic.evaluation.findings import NOT_FREE_SPEECH, no_interval, number, plural
from maieutic.evaluation.summary import PRIMARY, group_of
from maieutic.measures.validity import NOT_VALIDATED
from maieutic.runs import figures
from maieutic.runs.files import write_json, write_whole
from maieutic.runs.shown import Table, environment, put
from maieutic.safety.handover import DISCLAIMER
from maieutic.stats import MIN_CASES, Interval

if TYPE_CHECKING:
    from rich.console import Console

MARKS = {
    "better": "▲",
    "worse": "▼",
    "higher": "△",
    "lower": "▽",
    "not told apart": "●",
    "the same": "=",
    "too few cases": "?",
    "missing": "?",
}


def symbols() -> str:
    """What the marks before the measures mean, in one line."""
    return "Marks: " + ", ".join(f"{mark} {name}" for name, mark in MARKS.items() if name != "missing") + " or missing."


def value(row: Row, side: float | None) -> str:
    """A mean in the unit of its measure, or 'missing'."""
    return "missing" if side is None else number(side, row.entry.unit)


def difference(row: Row) -> str:
    """The difference with its interval."""
    found, unit = row.difference, row.entry.unit
    if found.estimate is None:
        return "missing"
    text = gap(found.estimate, unit, signed=True)
    if found.low is None or found.high is None:
        return f"{text} {no_interval(found.cases)}"
    low, high = (gap(side, unit, signed=True) for side in (found.low, found.high))
    return f"{text} [{low.removesuffix(' pp')}, {high.removesuffix(' pp')}]"


def gap(value: float, unit: str, *, signed: bool = False) -> str:
    """A difference as it is written; shares differ by percentage points (pp)."""
    text = number(value, unit, signed=signed)
    return text.removesuffix("%") + "pp" if text.endswith("%") else text


def chance(row: Row) -> str:
    """p after Holm for a named measure, the false-discovery rate of any other."""
    if row.adjusted is None:
        return "–"
    return f"{'p' if row.named else 'q'} {'< 0.001' if row.adjusted < 0.001 else f'{row.adjusted:.3f}'}"


def seen(row: Row) -> str:
    """The smallest difference that could be seen."""
    if row.out_of_reach:
        return "not reachable"
    return "–" if row.detectable is None else gap(row.detectable, row.entry.unit)


def needed(row: Row) -> str:
    """How many cases the difference worth knowing takes."""
    if not row.difference.sd or row.difference.cases < MIN_CASES:
        return "–"
    return f"{row.needed}" if row.needed is not None else "> 100,000"


def answer(one: Compared) -> str:
    """What the contest says, beginning with the sessions that turned round."""
    title = one.contest.title
    if one.identical:
        return (
            f"{title}: word for word the same in all {plural(len(one.contest.shared), 'session')}, so nothing "
            "is tested."
        )
    told = [row for row in one.rows if row.named and row.verdict in ("better", "worse", "higher", "lower")]
    parts = []
    if one.contest.shared:
        up = sum(flip.difference > 0 for flip in one.flips)
        turned = plural(len(one.flips), "session")
        parts.append(
            f"{turned} of {len(one.contest.shared)} turned round ({up} for, {len(one.flips) - up} against "
            f"{one.contest.second.therapist})"
        )
    else:
        parts.append("no session can be set beside another (people's sessions have no seed), so cases are paired")
    if told:
        parts.append("; ".join(f"{row.entry.label} {row.verdict} by {difference(row)}" for row in told))
    else:
        parts.append("no named measure tells the two apart")
    primary = one.row(PRIMARY)
    if primary is not None and primary.verdict == "too few cases":
        parts.append(f"{plural(primary.difference.cases, 'case')} give no interval and no test, {MIN_CASES} are needed")
    if primary is not None and primary.verdict == "not told apart" and primary.out_of_reach:
        parts.append(
            f"no difference in conviction is reachable with these {plural(primary.difference.cases, 'case')}: they "
            "vary so much that it would have to be larger than the whole scale"
        )
    if primary is not None and primary.verdict == "not told apart" and primary.detectable is not None:
        more = (
            ""
            if primary.needed is None
            else f"; {gap(primary.wanted, primary.entry.unit)} takes {plural(primary.needed, 'case')}"
        )
        parts.append(
            f"with {plural(primary.difference.cases, 'case')} a difference of {seen(primary)} points in "
            f"conviction could have been seen{more}"
        )
    return f"{title}: {'; '.join(parts)}."


def headline(found: Comparison) -> str:
    """The answer of the first contest that has something to say."""
    return answer(next((one for one in found.contests if not one.identical), found.contests[0]))


FORMAT = 1
SHOWN = 12
"""Sessions that are shown side by side on the page; the JSON names all of them."""


def write_comparison(found: Comparison, out: Path) -> None:
    """`compare.html` and `compare.json`. Raises `StorageError`."""
    write_json(out / "compare.json", as_json(found))
    write_whole(out / "compare.html", render(found).encode())


def as_json(found: Comparison) -> dict[str, Any]:
    """Everything that the page shows, as data."""
    return {
        "format": FORMAT,
        "kind": "compare",
        "runs": [one.name for one in found.sources],
        "warnings": list(found.warnings),
        "named": list(found.named),
        "contests": [
            {
                "first": {"run": one.contest.first.source.name, "arm": one.contest.first.therapist},
                "second": {"run": one.contest.second.source.name, "arm": one.contest.second.therapist},
                "paired_by": "case" if one.contest.by_case else "case and seed",
                "identical": one.identical,
                "answer": answer(one),
                "sessions": len(one.contest.shared),
                "flips": [{**asdict(flip), "difference": flip.difference} for flip in one.flips],
                "measures": [
                    {
                        "measure": row.entry.id,
                        "unit": row.entry.unit,
                        "better": row.entry.claims,
                        "group": row.group,
                        "named": row.named,
                        **asdict(row.difference),
                        "adjusted": row.adjusted,
                        "verdict": row.verdict,
                        "detectable": row.detectable,
                        "out_of_reach": row.out_of_reach,
                        "d": row.wanted,
                        "cases_needed": row.needed,
                        "missing": dict(row.missing),
                        "human_validated": row.entry.human_validated,
                    }
                    for row in one.rows
                ],
            }
            for one in found.contests
        ],
    }


def render(found: Comparison) -> str:
    """The page as HTML, self-contained."""
    return (
        environment(Path(__file__).parent / "pages")
        .get_template("compare.html.j2")
        .render(
            headline=headline(found),
            warnings=found.warnings,
            facts=[(one.name, one.facts()) for one in found.sources],
            contests=[_view(number_, one) for number_, one in enumerate(found.contests)],
            named=found.named,
            marks=MARKS,
            symbols=symbols(),
            fewest_cases=MIN_CASES,
            meanings=MEANINGS,
            turned=f"{TURNED:g}",
            disclaimer=DISCLAIMER,
            not_validated=NOT_VALIDATED,
            not_free_speech=NOT_FREE_SPEECH,
        )
    )


def _view(place: int, one: Compared) -> dict[str, Any]:
    pair = one.contest
    rows = [row for row in one.rows if row.group == "regular"]
    return {
        "id": f"c{place + 1}",
        "one": one,
        "title": pair.title,
        "answer": answer(one),
        "by_case": pair.by_case,
        "people": [arm.therapist for arm in (pair.first, pair.second) if arm.people],
        "privileged": [arm.therapist for arm in (pair.first, pair.second) if arm.privileged],
        "flips": [_flip(f"c{place + 1}-f{n + 1}", one, flip) for n, flip in enumerate(one.flips[:SHOWN])],
        "more": max(0, len(one.flips) - SHOWN),
        "sessions": len(pair.shared),
        "rows": [_cells(row) for row in rows],
        "special": [(row.group, _cells(row)) for row in one.rows if row.group != "regular" and row.difference.cases],
        "forest": _forest(one),
        "curves": [] if one.identical else _curves(one),
    }


def _cells(row: Row) -> dict[str, Any]:
    """What is shown of a row, on the page and in the terminal."""
    return {
        "row": row,
        "entry": row.entry,
        "first": value(row, row.difference.first),
        "second": value(row, row.difference.second),
        "difference": difference(row),
        "chance": chance(row),
        "seen": seen(row),
        "wanted": gap(row.wanted, row.entry.unit),
        "needed": needed(row),
        "missing": "; ".join(f"{reason} ({count})" for reason, count in sorted(row.missing.items())),
    }


def _flip(anchor: str, one: Compared, flip: Flip) -> dict[str, Any]:
    key = (flip.case, flip.seed)
    sides = []
    for arm, side, which in ((one.contest.first, flip.first, "a"), (one.contest.second, flip.second, "b")):
        episode = arm.episodes[key]
        heard = len(episode.therapist_turns)
        sides.append(
            {
                "view": session_view(episode, ""),
                "result": side.result,
                "gain": number(side.gain, "points", signed=True),
                "anchor": f"{anchor}{which}",
                "turn": min(flip.minds_part, heard) if heard else 0,
                "run": arm.source.name,
            }
        )
    gap = number(flip.difference, "points", signed=True)
    return {"id": anchor, "flip": flip, "sides": sides, "difference": gap}


def _forest(one: Compared) -> str | None:
    """Named and told-apart measures in one unit: standard deviations of the differences of cases, better to the
    right."""
    bars = []
    for row in one.rows:
        found = row.difference
        chosen = row.named or row.verdict in ("better", "worse", "higher", "lower")
        if row.group != "regular" or not chosen or not found.sd or found.estimate is None or found.low is None:
            continue
        low, high = sorted(row.entry.sign * side / found.sd for side in (found.low, found.high or 0.0))
        at = Interval(row.entry.sign * found.estimate / found.sd, low, high, found.cases)
        bars.append(figures.Bar(row.entry.label, at, difference(row), privileged=not row.named))
    if not bars:
        return None
    return figures.forest(bars, title=f"{one.contest.title}, by measure", axis="SDs over cases; better →")


def _curves(one: Compared) -> list[dict[str, str]]:
    found = []
    for arm in (one.contest.first, one.contest.second):
        own = [e for e in arm.episodes.values() if group_of(e) == "regular" and not e.failed]
        held = curve(own, "held", turns=longest(own), rng=derive(0, "compare", arm.source.name, arm.therapist))
        if held is None or len(held.points) < 2:
            continue
        text = (
            f"held conviction {held.points[0].mean:.0f} → {held.points[-1].mean:.0f}, {plural(len(held.cases), 'case')}"
        )
        picture = charts.trajectory(held, warranted=None, title=f"{arm.therapist}: held conviction", description=text)
        found.append({"name": arm.therapist, "run": arm.source.name, "text": text, "picture": picture})
    return found


_MAX_FLIPS = 5
NOTES = (
    symbols(),
    "Turned round is counted over all patients, the table over the regular ones. Minds part: from this turn on held "
    "conviction differs by five points.",
    "Difference: second arm minus first, mean over regular cases, Student's 95 % interval over cases. p: Holm over the "
    "named measures; q: false-discovery rate of the others. sees: the smallest true difference that these cases show "
    "with a power of 0.8, 'not reachable' where it would exceed the whole scale; pp: percentage points. cases for d: "
    "how many the difference worth knowing takes, which stands below. Nothing here is validated on humans but plain "
    "counts.",
)


def print_comparison(found: Comparison, console: Console) -> None:
    """The answer, the sessions that turned round, and the rows that differ or were named."""
    for warning in found.warnings:
        put(console, f"warning: {warning}", whole=True, style="yellow")
    for one in found.contests:
        put(console, f"\n{answer(one)}")
        if not one.identical:
            _flips(one, console)
            _rows(one, console)
    console.print()
    for note in NOTES:
        put(console, note, style="dim")


def _flips(one: Compared, console: Console) -> None:
    for flip in one.flips[:_MAX_FLIPS]:
        sides = " → ".join(f"{side.result} ({_gain(side.gain)})" for side in (flip.first, flip.second))
        words = "" if flip.words_part is None else f", words at {flip.words_part}"
        told = f"{flip.case}, seed {flip.seed}: {sides}, minds part at turn {flip.minds_part}{words}"
        put(console, f"  {told}")
    if len(one.flips) > _MAX_FLIPS:
        put(console, f"  … and {len(one.flips) - _MAX_FLIPS} more on the page")


def _gain(points: float) -> str:
    return number(points, "points", signed=True)


_TONES = {"better": "bold green", "worse": "red"}


def _rows(one: Compared, console: Console) -> None:
    shown = [
        row
        for row in one.rows
        if row.group == "regular" and (row.named or row.verdict in ("better", "worse", "higher", "lower"))
    ]
    cells = [_cells(row) for row in shown]
    table = Table(
        "",
        ("measure", "first", "second", "difference", "", "sees", "cases\nfor d"),
        [
            (
                f"{MARKS[row.verdict]} {row.entry.label}",
                *(told[name] for name in ("first", "second", "difference", "chance")),
                told["seen"].replace(" ", "\n"),
                f"{told['needed']}\n{told['wanted']}",
            )
            for row, told in zip(shown, cells, strict=True)
        ],
    )
    tones = {n: _TONES[row.verdict] for n, row in enumerate(shown) if row.verdict in _TONES}
    console.print(table.on_screen(right=range(1, 7), whole=(1, 2, 4, 5, 6), close=True, tones=tones))
    rest = Counter(row.verdict for row in one.rows if row.group == "regular" and row not in shown)
    told = ", ".join(f"{count} {name}" for name, count in rest.most_common())
    put(console, f"Other measures: {told or 'none'}; the page and the JSON have all.")

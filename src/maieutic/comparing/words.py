"""A comparison in words: how a figure is written, and the answer in one or two sentences."""

from __future__ import annotations

from maieutic.comparing.compare import Compared, Comparison, Row
from maieutic.evaluation.findings import no_interval, number, plural
from maieutic.evaluation.summary import PRIMARY
from maieutic.stats import MIN_CASES

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

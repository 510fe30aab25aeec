"""Turns a run's numbers into words: what each arm's effect says, the one-sentence answer, how a value is written, and
what each measure means.

Nothing here knows an arm, a case or a result beforehand; every sentence is computed from the summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from maieutic.evaluation.lines import BY_ID, NEGLIGIBLE, NOT_SHOWN, NOT_TOLD, Line
from maieutic.evaluation.plan import REFERENCE
from maieutic.evaluation.summary import EFFECT, PRIMARY, Arm, EpisodeScore, Group, Row, Summary
from maieutic.language.sentences import opened_large
from maieutic.measures.definition import BROKEN, Finding, Measure, as_measure, is_share, missing, untold
from maieutic.measures.material import Material
from maieutic.registry import known
from maieutic.stats import MIN_CASES, Interval

NOT_FREE_SPEECH = (
    "In seven blind sessions of skilled free speech these patients' conviction fell by 14.0 points beyond no session, "
    "where a worksheet reached 6.8, a fixed script 15.8 and the oracle 45.1; 19 % of their replies did not fit the "
    "question. So a figure says how well a therapist is heard by these patients, too, not only how well it questions. "
    "The starter cases are development cases: patients and the Socratic agent were made while looking at them."
)
"""What blind sessions found on 23 and 24 November 2026, in two sentences for the first screen of a report."""


def _of_many(given: Material) -> Finding:
    return missing("it is a difference between sessions, so one has none")


_EFFECT = Measure(
    EFFECT,
    _of_many,
    "Effect",
    "points",
    "Mean difference to no session, same case and seed, in how far held conviction fell over the session.",
    ("state",),
    -100.0,
    100.0,
    "higher, but never below what the facts warrant",
)


def glossary(scores: Sequence[EpisodeScore]) -> dict[str, Measure]:
    """Every measure of the run by id, the effect first; of one that is not at hand any more there is only the unit."""
    units = {item.score.measure: item.score.unit for item in scores}
    at_hand = known("measure") if units else {}
    told = {id: as_measure(at_hand[id]) if id in at_hand else untold(id) for id in sorted(units)}
    return {EFFECT: _EFFECT, **{id: replace(one, unit=units[id]) for id, one in told.items()}}


def range_of(one: Measure) -> str:
    """The values that a measure can take, as they are written."""
    if one.low is None:
        return "not stated"
    if one.low == float("-inf"):
        return "any number"
    scale, suffix = (100.0, " %") if one.percent else (1.0, "")
    first = f"{one.low * scale:g}{suffix}".replace("-", "−")
    return f"{first} or more" if one.high is None else f"{first} to {one.high * scale:g}{suffix}"


Verdict = Literal["conducts", "moves belief", "only talks", "backfires", "no verdict", "reference"]

MARKS: dict[Verdict, str] = {
    "conducts": "▲",
    "moves belief": "△",
    "only talks": "●",
    "backfires": "▼",
    "no verdict": "?",
    "reference": "○",
}
VERDICT_MEANINGS: dict[Verdict, str] = {
    "conducts": "all six lines hold (those that can be asked and were tried)",
    "moves belief": "the whole 95 % interval of its effect lies above one point, and a line is not shown to hold",
    "only talks": "the interval reaches one point or less: that it does more than no session is not shown",
    "backfires": "the whole interval lies below zero and reaches minus one: patients end more convinced than when "
    "left alone",
    "no verdict": f"no interval could be had: that takes {MIN_CASES} cases or more",
    "reference": "patients left alone for as long as a session would take",
}
CANNED = 0.5
"""Share of an arm's turns from which on it is said to talk from a can."""
_FIRST = 3
"""Models and bots of the user's own, up to which the answer begins with a sentence on each."""
_NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()


@dataclass(frozen=True, slots=True)
class Figure:
    """One number as it is printed.

    Attributes:
        value: The estimate in words of its unit, or 'missing'.
        bounds: The interval in brackets, or why there is none.
        reasons: Why episodes have no value, each with a count.
        share: The estimate on 0–1 for a bar, for shares only.
    """

    value: str
    bounds: str
    reasons: tuple[str, ...] = ()
    share: float | None = None

    @property
    def missing(self) -> bool:
        return self.value == MISSING

    @property
    def text(self) -> str:
        """Estimate and interval on one line."""
        return f"{self.value} {self.bounds}".strip()


MISSING = "missing"
FAILED = "the dialogue failed"  # begins every reason of this kind; the reasons themselves are listed once


def number(value: float, unit: str, *, signed: bool = False) -> str:
    """A value with as many digits as its unit bears; shares in per cent, a true minus sign."""
    scaled, digits, suffix = (100.0 * value, 0, " %") if is_share(unit) else (value, _digits(unit, value), "")
    rounded = round(scaled, digits) + 0.0
    text = f"{abs(rounded):.{digits}f}{suffix}"
    if rounded < 0:
        return f"−{text}"
    return f"+{text}" if signed and rounded > 0 else text


def figure(row: Row | None, unit: str, *, signed: bool = False) -> Figure:
    """A row as it is printed; what is missing says so, with its reasons."""
    if row is None:
        return Figure(MISSING, "", ("not computed for this arm",))
    counts: Counter[str] = Counter()
    for reason, count in row.missing.items():
        counts[FAILED if reason.startswith(FAILED) else reason] += count
    reasons = tuple(f"{reason} ({plural(count, 'episode')})" for reason, count in counts.items())
    return interval_figure(row.interval, unit, reasons, signed=signed)


def interval_figure(found: Interval, unit: str, reasons: tuple[str, ...] = (), *, signed: bool = False) -> Figure:
    """An estimate with its interval as it is printed; `reasons` say why episodes have no value."""
    if found.estimate is None:
        return Figure(MISSING, "", reasons or ("no episode to compute it from",))
    share = min(1.0, max(0.0, found.estimate)) if is_share(unit) else None
    return Figure(number(found.estimate, unit, signed=signed), bounds(found, unit, signed=signed), reasons, share)


def no_interval(cases: int) -> str:
    """That so many cases bear no interval."""
    return f"(no interval: {plural(cases, 'case')}, {MIN_CASES} needed)"


def bounds(interval: Interval, unit: str, *, signed: bool = False) -> str:
    """'[low, high]', or that there is no interval."""
    if interval.low is None or interval.high is None:
        return no_interval(interval.n)
    low, high = (number(side, unit, signed=signed) for side in (interval.low, interval.high))
    return f"[{low.removesuffix(' %')}, {high}]"


def verdict(summary: Summary, therapist: str) -> Verdict:
    """What the effect of an arm on regular cases says."""
    if therapist == REFERENCE:
        return "reference"
    row = summary.row(EFFECT, therapist)
    if row is None or row.interval.low is None or row.interval.high is None:
        return "no verdict"
    low, high = row.interval.low, row.interval.high
    if high < 0.0 and low <= -NEGLIGIBLE:
        return "backfires"
    if low <= NEGLIGIBLE:
        return "only talks"
    return "moves belief" if wanting(summary, therapist) else "conducts"


def wanting(summary: Summary, therapist: str) -> tuple[Line, ...]:
    """The lines of an arm that do not hold or cannot be told; one that cannot be asked or was not tried does not
    count."""
    return tuple(line for line in summary.lines.get(therapist, ()) if line.holds is not True and line.counts)


def ranked(summary: Summary, *, group: Group = "regular") -> tuple[Arm, ...]:
    """Arms by falling effect; the reference after those with an effect, arms without one last."""

    def place(arm: Arm) -> tuple[int, float, str]:
        row = summary.row(EFFECT, arm.therapist, group)
        if row is not None and row.interval.estimate is not None:
            return 0, -row.interval.estimate, arm.therapist
        return (1 if arm.therapist == REFERENCE else 2), 0.0, arm.therapist

    return tuple(sorted(summary.arms, key=place))


@dataclass(frozen=True, slots=True)
class Result:
    """One arm as every table shows it.

    Attributes:
        arm: The arm.
        effect: How much further conviction fell than without a session; None where that cannot be told.
        fall: How far it fell in all.
        verdict: What the effect says.
        lines: What the verdict rests on.
    """

    arm: Arm
    effect: Row | None
    fall: Row | None
    verdict: Verdict
    lines: tuple[Line, ...]

    @property
    def mark(self) -> str:
        return MARKS[self.verdict]

    @property
    def cases(self) -> int:
        """Regular cases behind it."""
        found = self.effect or self.fall
        return found.interval.n if found else 0


def results(summary: Summary) -> tuple[Result, ...]:
    """Every arm, in the order of `ranked`."""
    return tuple(
        Result(
            arm,
            summary.row(EFFECT, arm.therapist),
            summary.row(PRIMARY, arm.therapist),
            verdict(summary, arm.therapist),
            summary.lines.get(arm.therapist, ()),
        )
        for arm in ranked(summary)
    )


def headline(summary: Summary) -> str:
    """The answer in one or two sentences."""
    compared = [a for a in ranked(summary) if a.therapist != REFERENCE]
    if not summary.arms:
        return "No dialogue was run."
    dead = [a for a in summary.arms if a.dead]
    if dead and all(a.dead for a in compared or summary.arms):
        return f"No answer: every dialogue failed ({plural(sum(a.failed for a in dead), 'dialogue')}). {_dead(dead)}"
    if not compared:
        return "Only the arm without a session was run, so there is nothing to compare it with."
    judged = [a for a in compared if summary.row(EFFECT, a.therapist) is not None and not a.dead]
    if not judged:
        return (
            "No effect can be told: it is a difference to no session on the same cases, and that arm is not "
            "in this run or has no value."
        )
    by_verdict = {v: [a for a in judged if verdict(summary, a.therapist) == v] for v in MARKS}
    up = by_verdict["conducts"]
    subject = (
        f"Of {spelled(len(judged))} arms beside no session" if len(judged) > 1 else "The one arm beside no session"
    )
    if len(judged) == 1:
        return f"{subject}, {judged[0].therapist}, {_alone(summary, judged[0])}. {_dead(dead)}".rstrip()
    first = [
        f"{a.therapist} {_alone(summary, a)}."
        for a in judged
        if _is_brought(a.therapist) and verdict(summary, a.therapist) != "no verdict"
    ]
    verb = "conducts" if len(up) <= 1 else "conduct"
    answer = f"{subject}, {spelled(len(up)) if up else 'none'} {verb} by every line of the verdict"
    parts = [answer + (f": {_listed(_with_effect(summary, a) for a in up)}." if up else ".")]
    if moved := by_verdict["moves belief"]:
        move = "moves" if len(moved) == 1 else "move"
        found = "; ".join(f"{_with_effect(summary, a)} ({_wanting(summary, a)})" for a in moved)
        parts.append(
            f"{spelled(len(moved)).capitalize()} {move} belief, but not every line of the verdict is shown to hold: "
            f"{found}."
        )
    if worse := by_verdict["backfires"]:
        leaves = "leaves" if len(worse) == 1 else "leave"
        found = _listed(_with_effect(summary, a) for a in worse)
        parts.append(f"{spelled(len(worse)).capitalize()} {leaves} patients more convinced than no session: {found}.")
    if by_verdict["only talks"]:
        parts.append(
            "Not shown to move belief by more than one point: "
            f"{_listed(a.therapist for a in by_verdict['only talks'])}."
        )
    if by_verdict["no verdict"]:
        parts.append(
            f"Too few cases for an interval ({MIN_CASES} needed): "
            f"{_listed(a.therapist for a in by_verdict['no verdict'])}."
        )
    return " ".join([*(first if len(first) <= _FIRST else ()), *parts, _dead(dead)]).rstrip()


def _is_brought(arm: str) -> bool:
    """The arm is a user's own model or bot, about which the answer speaks first."""
    return not arm.endswith(":embedded") and arm not in known("therapist")


def _wanting(summary: Summary, arm: Arm) -> str:
    """'fails: takes up; not shown: beyond active; not told: tracks'."""
    lines = wanting(summary, arm.therapist)
    kinds = {kind: [_name(line) for line in lines if line.says == kind] for kind in ("fails", NOT_SHOWN, NOT_TOLD)}
    return "; ".join(f"{kind}: {', '.join(names)}" for kind, names in kinds.items() if names)


def _name(line: Line) -> str:
    return BY_ID[line.id].short.replace("\n", " ")


def cautions(summary: Summary) -> list[str]:
    """What must be known of an arm or a measure before its figures are believed."""
    return [told for told in (_canned(summary), _learned(summary), _broken(summary)) if told]


def _canned(summary: Summary) -> str:
    """That arms which are no yardsticks say the same whoever sits there; '' where none does."""
    told = [f"{arm.therapist} ({100 * arm.canned:.0f} %)" for arm in summary.arms if arm.canned >= CANNED]
    if not told:
        return ""
    return f"Canned talk, said word for word to other patients, too (share of its turns): {', '.join(told)}."


def _learned(summary: Summary) -> str:
    """That arms play cases that their model was trained on; '' where none does."""
    told = [f"{arm.therapist} ({arm.learned_from})" for arm in summary.arms if arm.learned_from]
    if not told:
        return ""
    return (
        f"Trained on sessions with cases of this run (how many): {', '.join(told)}. Its effect on them is no test of "
        "it; take --cases test."
    )


def _broken(summary: Summary) -> str:
    """That measures of somebody's own raised errors, and the first of each; '' where none did."""
    found: dict[str, str] = {}
    for row in summary.rows:
        for reason in row.missing:
            if reason.startswith(BROKEN):
                found.setdefault(row.measure, reason.removeprefix(BROKEN).strip())
    return " ".join(f"Missing where the measure {name} failed: {what}." for name, what in found.items())


def no_result(arm: Arm) -> str:
    """That an arm has no result, and why, on one line."""
    return f"no result for {arm.therapist}: all {plural(arm.episodes, 'dialogue')} failed. {arm.reason}"


def _dead(arms: Sequence[Arm]) -> str:
    return " ".join(opened_large(no_result(arm)).rstrip(".") + "." for arm in arms)


def share_of_ceiling(summary: Summary, therapist: str) -> float | None:
    """An arm's estimate over that of the best privileged arm; None where either is absent or the ceiling is not above
    0."""
    rows = [summary.row(EFFECT, a.therapist) for a in summary.arms if a.privileged]
    ceiling = max(
        (r.interval.estimate for r in rows if r is not None and r.interval.estimate is not None), default=None
    )
    own = summary.row(EFFECT, therapist)
    if ceiling is None or ceiling <= 0 or own is None or own.interval.estimate is None:
        return None
    return own.interval.estimate / ceiling


def spelled(count: int) -> str:
    """A small number as a word."""
    return _NUMBERS[count] if 0 <= count < len(_NUMBERS) else str(count)


def plural(count: int, noun: str) -> str:
    """'1 case', '2 cases'."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _listed(items: Iterable[str]) -> str:
    names: Sequence[str] = list(items)
    return " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"


def _with_effect(summary: Summary, arm: Arm) -> str:
    shown = figure(summary.row(EFFECT, arm.therapist), "points", signed=True)
    return f"{arm.therapist}{' (privileged)' if arm.privileged else ''} {shown.text}"


def _alone(summary: Summary, arm: Arm) -> str:
    found = verdict(summary, arm.therapist)
    shown = figure(summary.row(EFFECT, arm.therapist), "points", signed=True).text
    return {
        "conducts": f"conducts by every line of the verdict ({shown})",
        "moves belief": f"moves belief ({shown}), but not every line of the verdict is shown to hold "
        f"({_wanting(summary, arm)})",
        "only talks": "is not shown to move belief by more than one point",
        "backfires": "leaves patients more convinced than no session",
        "no verdict": f"was met by too few cases for an interval ({MIN_CASES} needed)",
        "reference": "is the reference",
    }[found]


def _digits(unit: str, value: float) -> int:
    return 1 if "point" in unit.lower() or abs(value) >= 10 else 2

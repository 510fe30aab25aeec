"""Arms against no session, with the case as unit: what each does to conviction, affect, disclosure and staying, and the
bounds they must keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol, TypeVar

from maieutic.evaluation.lines import case_of
from maieutic.runs.findings import Bound, Finding, above, bounded, within
from maieutic.stats import Interval, bootstrap_mean, bootstrap_statistic, paired_difference
from maieutic.validation.sessions import OfCase, Row


class Fallen(OfCase, Protocol):
    """A session of an arm in numbers; `unit` is what arms are paired by, `fall` points of held conviction lost."""

    @property
    def arm(self) -> str: ...
    @property
    def unit(self) -> tuple[str, int]: ...
    @property
    def fall(self) -> float: ...


Seen = TypeVar("Seen", bound=OfCase)


def over_cases(rows: Sequence[Seen], value: Callable[[Seen], float]) -> Interval:
    """Mean of a value over sessions, those of a case drawn together."""
    return bootstrap_mean([value(row) for row in rows], clusters=[row.case for row in rows], rng=Random(7))


def falls(rows: Iterable[Fallen], arm: str) -> Mapping[tuple[str, int], float]:
    """Fall of held conviction of one arm, by case and seed."""
    return {row.unit: row.fall for row in rows if row.arm == arm}


def effect(rows: Sequence[Fallen], arm: str, base: str = "no_session") -> Interval:
    """Mean fall of one arm beyond another's, paired by case and seed."""
    return paired_difference(falls(rows, arm), falls(rows, base), clusters=case_of)


def share_of(rows: Sequence[Fallen], arm: str, other: str = "oracle") -> Interval:
    """One arm's effect beyond no session as a share of another's; None where that has none."""
    base, ours, theirs = falls(rows, "no_session"), falls(rows, arm), falls(rows, other)
    units = [unit for unit in ours if unit in theirs and unit in base]
    pairs = [(ours[unit] - base[unit], theirs[unit] - base[unit]) for unit in units]

    def share(items: Sequence[tuple[float, float]]) -> float | None:
        below = sum(whole for _, whole in items)
        return sum(part for part, _ in items) / below if below > 0 else None

    return bootstrap_statistic(pairs, share, clusters=[case_of(unit) for unit in units], rng=Random(7), draws=1000)


ARMS: Mapping[str, str] = {
    "no_session": "inert",
    "eliza": "inert",
    "flattery": "inert",
    "reassurance": "inert",
    "keywords": "inert",
    "why": "inert",
    "expressive": "warm",
    "warm": "warm",
    "leaflet": "partial",
    "worksheet": "partial",
    "wide": "partial",
    "fishing": "partial",
    "advice": "pushing",
    "lecture": "pushing",
    "didactic": "telling",
    "socratic": "agent",
    "oracle": "oracle",
}
"""Arms without a model by what is expected of them: what `validate patients` plays."""
RIVALS = ("padesky_script", "state_machine", "rotation", "clause_question")
"""Socratic baselines without a model; `validate agent` plays them."""
VARIANTS = (
    "socratic_no_tracker",
    "socratic_no_planner",
    "socratic_no_validator",
    "socratic_second_bank",
    "socratic_shuffled",
)
"""The agent with a part taken out or changed; `validate agent` plays them."""
SHARES = {"worksheet": (0.10, 0.45), "wide": (0.05, 0.35), "fishing": (0.0, 0.40), "leaflet": (0.0, 0.25)}
INERT_BOUND = 3.0
_INERT = "inert; a rise is allowed"


@dataclass(frozen=True, slots=True)
class ArmLine:
    """One arm of the table; every interval is over cases.

    Attributes:
        effect: Fall of held conviction beyond no session, points, paired by case and seed.
        off_warranted: |held − warranted| at the end, points.
        relief: Fall of distress, points. opened: Rise of openness. disclosed: Slots and facts told. left: Share who
            left.
    """

    arm: str
    kind: str
    effect: Interval
    off_warranted: Interval
    relief: Interval
    opened: Interval
    disclosed: Interval
    left: Interval
    facts: Interval


def table(rows: Sequence[Row], *, group: str = "regular") -> list[ArmLine]:
    """The arms of one group of cases, in the order of `ARMS`."""
    chosen = [r for r in rows if r.group == group]
    return [
        ArmLine(
            arm,
            kind,
            effect(chosen, arm),
            over_cases(own, lambda r: abs(r.held[-1] - r.warranted)),
            over_cases(own, lambda r: r.distress[0] - r.distress[1]),
            over_cases(own, lambda r: r.openness[1] - r.openness[0]),
            over_cases(own, lambda r: float(r.disclosed)),
            over_cases(own, lambda r: float(r.left)),
            over_cases(own, lambda r: float(r.facts)),
        )
        for arm, kind in ARMS.items()
        if (own := [r for r in chosen if r.arm == arm])
    ]


def judged(rows: Sequence[Row]) -> list[Finding]:
    """The bounds on the arms; sizes are assumptions of this model, not findings about people."""
    regular = [r for r in rows if r.group == "regular"]
    lines = {line.arm: line for line in table(rows)}
    found = [
        bounded("arms", f"{arm}: fall beyond no session", line.effect, "points", Bound("≤", INERT_BOUND), _INERT)
        for arm, line in lines.items()
        if line.kind in ("inert", "warm", "pushing") and arm != "no_session"
    ]
    oracle = lines["oracle"].effect
    found.append(Finding("arms", "oracle: fall beyond no session", oracle, "points", "20–45", within(oracle, 20, 45)))
    starts = [r.held[0] for r in regular if r.arm == "oracle"]
    reach = Interval(None, min(starts), max(starts), len(starts))
    title, inside = "start of held conviction, lowest and highest", min(starts) >= 60 and max(starts) <= 95
    found.append(Finding("arms", title, reach, "points", "60–95", inside))
    little = over_cases([r for r in regular if r.arm == "oracle"], lambda r: float(r.fall < 10.0))
    found.append(bounded("arms", "oracle: share of patients who fall less than 10", little, "share", Bound("≥", 0.15)))
    for arm, (low, high) in SHARES.items():
        share = share_of(regular, arm)
        holds = within(share, low, high)
        if low == 0.0:
            holds = holds and above(share, 0.0)
        asked = f"{low:.0%}–{high:.0%}" if low else f"above 0, ≤ {high:.0%}"
        found.append(Finding("arms", f"{arm}: share of the oracle's effect", share, "share", asked, holds))
    accurate = [r for r in rows if r.group == "accurate"]
    if any(r.arm == "oracle" for r in accurate):
        fall = effect(accurate, "oracle")
        found.append(
            bounded("arms", "oracle on accurate thoughts: fall beyond no session", fall, "points", Bound("≤", 5))
        )
    return found + _positive_control(regular)


_OUTCOMES: Mapping[str, tuple[Callable[[Row], float], str]] = {
    "relief": (lambda r: r.distress[0] - r.distress[1], "points"),
    "disclosure": (lambda r: float(r.disclosed), "slots and facts"),
    "openness": (lambda r: r.openness[1] - r.openness[0], "0–1"),
    "staying": (lambda r: 1.0 - float(r.left), "share"),
}


def _positive_control(rows: Sequence[Row]) -> list[Finding]:
    """Warmth has real effects: warm empathy against ELIZA and advice, paired by case and seed."""
    found = []
    for outcome, (value, unit) in _OUTCOMES.items():
        for other in ("eliza", "advice"):
            a: dict[tuple[str, int], float] = {r.unit: value(r) for r in rows if r.arm == "warm"}
            b: dict[tuple[str, int], float] = {r.unit: value(r) for r in rows if r.arm == other}
            gap = paired_difference(a, b, clusters=case_of)
            title = f"warm empathy beyond {other}: {outcome}"
            found.append(bounded("positive control", title, gap, unit, Bound("above", 0)))
    return found

"""The figures of the sealed round from its stored numbers, in the order of its plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from maieutic.agreement import intraclass_correlations, krippendorff_alpha
from maieutic.stats import Interval, bootstrap_mean, bootstrap_statistic, paired_difference, student_mean, student_point
from maieutic.validation.arms import share_of
from sealed_round import ARMS, PLAYERS, SCRIPTS

MARKS = ("fits", "partly", "not", "back")
SOCRATIC = ARMS[0]
OUTCOMES: Mapping[str, Callable[[Mapping[str, Any]], float]] = {
    "relief, points of distress": lambda one: one["distress"][0] - one["distress"][1],
    "disclosure, slots and facts": lambda one: one["disclosed"],
    "staying, share": lambda one: 1.0 - one["left"],
    "bond gained, 0–1": lambda one: one["bond"][1] - one["bond"][0],
}
Told = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Fallen:
    """One session of an arm: points of held conviction lost."""

    arm: str
    case: str
    player: str
    fall: float

    @property
    def unit(self) -> tuple[str, int]:
        return self.case, 0


def fallen(sessions: Sequence[Told]) -> list[Fallen]:
    """Every session's fall."""
    return [Fallen(one["arm"], one["case"], one["player"], one["held"][0] - one["held"][1]) for one in sessions]


def by_case(rows: Sequence[Fallen], arm: str) -> dict[Any, float]:
    """Fall by case of one arm."""
    return {row.case: row.fall for row in rows if row.arm == arm}


def beyond(rows: Sequence[Fallen], arm: str, other: str) -> Interval:
    """One arm's fall beyond another's, paired by case; Student's interval over cases."""
    return paired_difference(by_case(rows, arm), by_case(rows, other))


def crossed(rows: Sequence[Fallen], arm: str, other: str) -> Interval:
    """The same with arm, case and player as effects at once (least squares): what differs between players is taken out.

    Balanced as the round is, this is the estimate of a mixed model with case and player as random effects.
    """
    played = [row for row in rows if row.player]
    if {arm, other} - {row.arm for row in played}:
        return Interval(None, None, None, 0)
    arms, cases = sorted({row.arm for row in played}), sorted({row.case for row in played})
    names = [*arms, *cases[1:], *PLAYERS[1:]]
    at = {name: place for place, name in enumerate(names)}
    design = np.zeros((len(played), len(names)))
    for number, row in enumerate(played):
        for name in (row.arm, row.case, row.player):
            if name in at:
                design[number, at[name]] = 1.0
    fall = np.array([row.fall for row in played])
    found, _, rank, _ = np.linalg.lstsq(design, fall, rcond=None)
    freedom = len(played) - int(rank)
    contrast = np.zeros(len(names))
    contrast[at[arm]], contrast[at[other]] = 1.0, -1.0
    spread = float(((fall - design @ found) ** 2).sum()) / freedom
    half = student_point(freedom) * float(np.sqrt(spread * contrast @ np.linalg.pinv(design.T @ design) @ contrast))
    estimate = float(contrast @ found)
    return Interval(estimate, estimate - half, estimate + half, len(played))


def table(stored: Told) -> list[str]:
    """All figures as lines."""
    every = [*stored["sessions"], *stored["reference"]]
    regular = [one for one in every if one["group"] == "regular"]
    lines = [
        f"sealed round, {stored['date']}; simulator {stored['drawn with']}, measured with {stored['measured with']}"
    ]
    own = stored["sessions"]
    short = Counter(one["arm"] for one in own if one["turns"] < 20 and not one["left"])
    lines.append(f"{len(own)} sessions, {sum(one['turns'] for one in own)} turns; left: "
                 f"{dict(Counter(one['arm'] for one in own if one['left']))}; broken off: {dict(short)}")  # fmt: skip
    lines += _falls(fallen(regular)) + _outcomes(regular) + _accurate(every) + _routes(regular, own)
    if stored.get("marks"):
        lines += _marks(stored["marks"])
    if stored.get("natural"):
        lines += _rated(stored["natural"], "naturalness, 1–7")
    for name in ("adherence", "warmth"):
        if stored.get(name):
            lines += _rated(stored[name], f"{name}, 0–6") + _arms_apart(stored[name], name)
    return lines


def _falls(rows: Sequence[Fallen]) -> list[str]:
    lines = ["", "regular cases: fall of held conviction beyond no session, points; paired by case, Student"]
    arms = [arm for arm in dict.fromkeys(row.arm for row in rows) if arm != "no_session"]
    for arm in sorted(arms, key=lambda name: -(beyond(rows, name, "no_session").estimate or 0.0)):
        share = share_of(rows, arm)
        lines.append(f"  {arm:20}{beyond(rows, arm, 'no_session').shown(1):24} of the oracle {share.shown()}")
    lines.append(f"{SOCRATIC} beyond")
    for other in ("worksheet", "wide", *SCRIPTS):
        gaps = beyond(rows, SOCRATIC, other)
        signs = []
        for player in PLAYERS:
            mine = {row.case: row.fall for row in rows if row.arm == SOCRATIC and row.player == player}
            theirs = by_case(rows, other)
            apart = [fall - theirs[case] for case, fall in mine.items() if case in theirs]
            signs.append(f"{player} {sum(apart) / len(apart):+.1f}" if apart else f"{player} –")
        without = [
            beyond([row for row in rows if row.player != player], SOCRATIC, other).shown(1) for player in PLAYERS
        ]
        lines.append(f"  {other:20}{gaps.shown(1):22} by player {', '.join(signs)}; without {'; '.join(without)}")
    for other in ARMS[1:]:
        both = f"{beyond(rows, SOCRATIC, other).shown(1)}, with players taken out {crossed(rows, SOCRATIC, other).shown(1)}"
        lines.append(f"  {other:20}{both}")
    return lines


def _outcomes(sessions: Sequence[Told]) -> list[str]:
    lines = ["", "regular cases: what support is for; paired by case"]
    for name, value in OUTCOMES.items():
        by_arm = {arm: {one["case"]: value(one) for one in sessions if one["arm"] == arm} for arm in ARMS}
        means = "; ".join(f"{arm} {student_mean(list(found.values())).shown()}" for arm, found in by_arm.items())
        leads = "; ".join(
            f"{arm} {paired_difference(by_arm[ARMS[1]], by_arm[arm]).shown()}" for arm in ARMS if arm != ARMS[1]
        )
        lines.append(f"  {name}: {means}; {ARMS[1]} beyond {leads}")
    return lines


def _accurate(sessions: Sequence[Told]) -> list[str]:
    rows = fallen([one for one in sessions if one["group"] == "accurate"])
    alone = by_case(rows, "no_session")
    lines = ["", "accurate thoughts: fall beyond no session, points, each case (two: no interval)"]
    for arm in dict.fromkeys(row.arm for row in rows if row.arm != "no_session"):
        own = by_case(rows, arm)
        lines.append(f"  {arm:20}{', '.join(f'{own[case] - alone[case]:.1f}' for case in sorted(own))}")
    return lines


def _routes(regular: Sequence[Told], own: Sequence[Told]) -> list[str]:
    lines = ["", "regular cases: facts against the thought that came up by a wide question, share of those told"]
    for arm in (*ARMS, "oracle", "worksheet", "wide", "fishing"):
        told = [one for one in regular if one["arm"] == arm]
        counts: Counter[str] = Counter()
        for one in told:
            counts.update({name: n for name, n in one["routes"].items() if name.startswith("against")})
        wide = bootstrap_statistic(
            [(one["routes"].get("against wide", 0), _against(one)) for one in told],
            _ratio,
            clusters=[one["case"] for one in told],
            rng=Random(7),
        )
        lines.append(f"  {arm:20}{wide.shown():20} {dict(counts)}")
    lines.append(f"replies said again word for word (players' sessions): {sum(one['repeats'] for one in own)}")
    return lines


def _against(one: Told) -> int:
    return sum(count for name, count in one["routes"].items() if name.startswith("against"))


def _ratio(pairs: Sequence[tuple[float, float]]) -> float | None:
    below = sum(whole for _, whole in pairs)
    return sum(part for part, _ in pairs) / below if below else None


def _marks(marks: Sequence[Sequence[Any]]) -> list[str]:
    """Marks are [kind, case, marks…], one mark each marker."""
    lines = ["", "do replies fit? share of marks, bootstrap over cases; each marker behind"]
    for kind in dict.fromkeys(one[0] for one in marks):
        rows = [one for one in marks if one[0] == kind]
        shares = []
        for name in MARKS:
            hits = [sum(mark == name for mark in row[2:]) / len(row[2:]) for row in rows]
            each = "/".join(f"{np.mean([row[at] == name for row in rows]):.2f}" for at in range(2, len(rows[0])))
            found = bootstrap_mean(hits, clusters=[row[1] for row in rows], rng=Random(7))
            shares.append(f"{name} {found.shown()} ({each})")
        lines.append(f"  {kind} (n {len(rows)}): {'; '.join(shares)}")
    ratings = [[float(MARKS.index(mark)) for mark in row[2:]] for row in marks]
    lines.append(f"  alpha, all pieces: {krippendorff_alpha(ratings, 'nominal', rng=Random(7)).interval.shown()}")
    return lines


def _rated(rows: Sequence[Sequence[Any]], name: str) -> list[str]:
    """Ratings are [kind, case, ratings…], one each rater."""
    lines = ["", f"{name}: mean, bootstrap over cases; each rater behind"]
    for kind in dict.fromkeys(one[0] for one in rows):
        own = [one for one in rows if one[0] == kind]
        found = bootstrap_mean(
            [float(np.mean(one[2:])) for one in own], clusters=[one[1] for one in own], rng=Random(7)
        )
        each = "/".join(f"{np.mean([one[at] for one in own]):.1f}" for at in range(2, len(own[0])))
        lines.append(f"  {kind:22}(n {len(own)}) {found.shown(1)} ({each})")
    agreed = intraclass_correlations([[float(value) for value in one[2:]] for one in rows], rng=Random(7))
    lines.append(f"  ICC(2,1) {agreed.single.interval.shown()}, of the mean {agreed.mean.interval.shown()}")
    return lines


def _arms_apart(rows: Sequence[Sequence[Any]], name: str) -> list[str]:
    by_arm = {arm: {one[1]: float(np.mean(one[2:])) for one in rows if one[0] == arm} for arm in ARMS}
    gaps = (f"{arm} {paired_difference(by_arm[SOCRATIC], by_arm[arm]).shown()}" for arm in ARMS[1:])
    return [f"  {name}, {SOCRATIC} less {'; '.join(gaps)}"]

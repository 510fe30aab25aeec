"""Prints reward tables and what came of pairs in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maieutic.measures.validity import NOT_VALIDATED
from maieutic.runs.shown import Table, put
from maieutic.stats import MIN_CASES, Interval
from maieutic.training.counterfactuals import Contrasted
from maieutic.training.pairs import Made
from maieutic.training.rewarded import KINDS, Rewarded, RewardTable
from maieutic.training.rewards import LookAhead

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console


def print_rewards(found: Rewarded, console: Console) -> None:
    """Means of the arms, what each reward picks, where rewards disagree, and the turns that each goes with."""
    table = found.table
    _means(table, "regular", console)
    if "accurate" in table.means:
        put(console, "\nWhere the thought is accurate (a fall of conviction is harm)")
        _means(table, "accurate", console)
    put(console, "\nThe best of all arms with one patient, picked by")
    _picks(table, console)
    put(console, "\nTwo rewards on the same patients")
    agree = []
    for one in table.agreements:
        differ = "–" if one.differ is None else f"{one.differ:.0%} of {one.pairs:,}"
        agree.append((f"{one.first}, {one.second}", _interval(one.correlation), differ))
    _show(console, ("rewards", "r [95 %]", "other winner"), agree)
    put(console, "\nA reward and the share of turns of a kind (r on the same patients)")
    cells = {(one.first, one.second): _interval(one.correlation) for one in table.kinds}
    _show(console, ("reward", *KINDS), [(name, *(cells[name, kind] for kind in KINDS)) for name in table.rewards])
    _foot(found, console)


def _foot(found: Rewarded, console: Console) -> None:
    table = found.table
    if found.spread is not None and found.spread.saved is not None:
        told = (
            f"multi_turn reads {LookAhead().reward} and sets each turn against a nod; common luck saves "
            f"{found.spread.saved:.0%} of the variance."
        )
        put(console, told)
    for name, count in table.missing.items():
        if count:
            put(console, f"{name} cannot be had in {count} of {table.sessions} sessions.")
    fewer = f" Below {MIN_CASES} cases there is no interval." if table.cases < MIN_CASES else ""
    put(
        console,
        f"{table.sessions} sessions, {table.cases} cases. Higher is better in every column. * sees the "
        "mind, or no session: not "
        f"picked from. A reward that picks is flattered by its own luck.{fewer} {NOT_VALIDATED.capitalize()}.",
        style="dim",
    )


def _means(table: RewardTable, group: str, console: Console) -> None:
    own = table.means[group]
    rows = [
        (f"{arm} *" if arm in table.beside else arm, *(_interval(own[arm][reward]) for reward in table.rewards))
        for arm in (*table.arms, *table.beside)
        if arm in own
    ]
    _show(console, ("arm", *(f"{name}\n{unit}" for name, unit in table.rewards.items())), rows)


def _picks(table: RewardTable, console: Console) -> None:
    rows = []
    for one in table.picks:
        ranked = sorted(one.arms.items(), key=lambda pair: (-pair[1], pair[0]))
        arms = ", ".join(f"{arm} {share:.0%}" for arm, share in ranked[:3] if share > 0)
        rows.append((one.by, arms, *(_interval(one.gets[name]) for name in table.rewards)))
    _show(console, ("by", "arms", *table.rewards), rows)


def print_pairs(made: Made, console: Console) -> None:
    """How many pairs there are, how they hold up, and who was chosen over whom."""
    for reason, count in made.left_out.items():
        put(console, f"{count} sessions are not forked: {reason}.")
    put(console, f"{len(made.pairs)} pairs of {made.forks} forks.")
    for reason, count in made.rejected.items():
        put(console, f"{count} forks give no pair: {reason}.")
    if not made.pairs:
        return
    counts: dict[tuple[str, str], list[float]] = {}
    for row in made.pairs:
        counts.setdefault((row["chosen_by"], row["rejected_by"]), []).append(row["margin"])
    rows = [
        (f"{chosen} over {rejected}", str(len(own)), f"{sum(own) / len(own):.1f}")
        for (chosen, rejected), own in sorted(counts.items(), key=lambda one: -len(one[1]))[:8]
    ]
    _show(console, ("chosen", "pairs", "mean margin"), rows)
    words = [sum(len(row[side][0]["content"].split()) for row in made.pairs) / len(made.pairs) for side in _SIDES]
    fine = sum(row["attribute"] is not None for row in made.pairs)
    saved = "" if made.spread.saved is None else f" Common luck saves {made.spread.saved:.0%} of the variance."
    put(
        console,
        f"In fresh futures the chosen reply is better in {_share(made.holds)} of pairs, by "
        f"{_interval(made.fresh, ' ')} points.{saved} "
        f"{fine} pairs differ in one attribute alone. Words: chosen {words[0]:.0f}, rejected {words[1]:.0f}.",
    )


def print_contrasts(made: Contrasted, console: Console) -> None:
    """How often the good question does more than each of its worse versions, and by how much."""
    for reason, count in made.left_out.items():
        put(console, f"{count} left out: {reason}.")
    rows = []
    for name, one in made.shares.items():
        heard = "–" if one.heard is None else f"{one.heard:.0%}"
        rows.append((name, _share(one.wins), _interval(one.margin, " "), str(one.equal), heard))
    _show(console, ("worse in", "good one does more", "by, points", "both the same", "fault heard"), rows)
    put(
        console,
        f"{len(made.rows)} pairs kept. Pairs that come out the same count half. Fault heard: the patient's ear has the "
        f"attribute in the good question and not in the other. {NOT_VALIDATED.capitalize()}.",
        style="dim",
    )


_SIDES = ("chosen", "rejected")


def _show(console: Console, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    console.print(Table("", columns, rows).on_screen(right=range(1, len(columns))))


def _interval(one: Interval, between: str = "\n") -> str:
    if one.estimate is None:
        return "–"
    bounds = "" if one.low is None or one.high is None else f"{between}[{_signed(one.low)}, {_signed(one.high)}]"
    return _signed(one.estimate) + bounds


def _signed(value: float) -> str:
    return (f"{value:z.2f}" if abs(value) < 1 else f"{value:.1f}").replace("-", "−")


def _share(one: Interval) -> str:
    if one.estimate is None:
        return "–"
    return f"{one.estimate:.0%}" + ("" if one.low is None or one.high is None else f" [{one.low:.0%}, {one.high:.0%}]")

"""Prints reward tables and what came of pairs in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maieutic.evaluation.findings import NOT_VALIDATED
from maieutic.runs.shown import plain_table, put
from maieutic.stats import MIN_CASES, Interval
from maieutic.training.counterfactuals import Contrasted
from maieutic.training.pairs import Made
from maieutic.training.rewarded import LOOKS_AT, Rewarded
from maieutic.training.table import KINDS, RewardTable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


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
    agree = _headed("rewards", "r [95 %]", "other winner")
    for one in table.agreements:
        differ = "–" if one.differ is None else f"{one.differ:.0%} of {one.pairs:,}"
        agree.add_row(f"{one.first}, {one.second}", _interval(one.correlation), differ)
    console.print(agree)
    put(console, "\nA reward and the share of turns of a kind (r on the same patients)")
    kinds = _headed("reward", *KINDS)
    cells = {(one.first, one.second): _interval(one.correlation) for one in table.kinds}
    for name in table.rewards:
        kinds.add_row(name, *(cells[name, kind] for kind in KINDS))
    console.print(kinds)
    _foot(found, console)


def _foot(found: Rewarded, console: Console) -> None:
    table = found.table
    if found.spread is not None and found.spread.saved is not None:
        told = (
            f"multi_turn reads {LOOKS_AT} and sets each turn against a nod; common luck saves "
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
    shown = _headed("arm", *(f"{name}\n{unit}" for name, unit in table.rewards.items()))
    for arm in (*table.arms, *table.beside):
        if arm in own:
            name = f"{arm} *" if arm in table.beside else arm
            shown.add_row(name, *(_interval(own[arm][reward]) for reward in table.rewards))
    console.print(shown)


def _picks(table: RewardTable, console: Console) -> None:
    shown = _headed("by", "arms", *table.rewards)
    for one in table.picks:
        ranked = sorted(one.arms.items(), key=lambda pair: (-pair[1], pair[0]))
        arms = ", ".join(f"{arm} {share:.0%}" for arm, share in ranked[:3] if share > 0)
        shown.add_row(one.by, arms, *(_interval(one.gets[name]) for name in table.rewards))
    console.print(shown)


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
    shown = _headed("chosen", "pairs", "mean margin")
    for (chosen, rejected), own in sorted(counts.items(), key=lambda one: -len(one[1]))[:8]:
        shown.add_row(f"{chosen} over {rejected}", str(len(own)), f"{sum(own) / len(own):.1f}")
    console.print(shown)
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
    shown = _headed("worse in", "good one does more", "by, points", "both the same", "fault heard")
    for name, one in made.shares.items():
        shown.add_row(
            name,
            _share(one.wins),
            _interval(one.margin, " "),
            str(one.equal),
            "–" if one.heard is None else f"{one.heard:.0%}",
        )
    console.print(shown)
    put(
        console,
        f"{len(made.rows)} pairs kept. Pairs that come out the same count half. Fault heard: the patient's ear has the "
        f"attribute in the good question and not in the other. {NOT_VALIDATED.capitalize()}.",
        style="dim",
    )


_SIDES = ("chosen", "rejected")


def _headed(first: str, *others: str) -> Table:
    table = plain_table()
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right", overflow="fold")
    return table


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

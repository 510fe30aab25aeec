"""Prints a leaderboard in the terminal: tiers, ratings, and what it takes to tell neighbours apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maieutic.ranking.leaderboard import Leaderboard
from maieutic.ranking.output import headline, needed_words, rating
from maieutic.runs.terminal import plain_table, put

if TYPE_CHECKING:
    from rich.console import Console


def print_leaderboard(found: Leaderboard, console: Console) -> None:
    """A row a therapist, a line between tiers; never a bare rank."""
    from rich.markup import escape

    for warning in found.warnings:
        put(console, f"warning: {warning}", whole=True, style="yellow")
    privileged = {one.name for one in found.entrants if one.privileged}
    table = plain_table()
    table.add_column("tier")
    table.add_column("therapist", overflow="fold")
    for name in ("rating [95 %]", "won", "tied", "lost"):
        table.add_column(name, justify="right", no_wrap=True)
    by_name = {one.name: one for one in found.overall.ratings}
    for number, own in enumerate(found.tiers, start=1):
        for one in (one for one in found.overall.ratings if one.name in own):
            last = one is [by_name[r.name] for r in found.overall.ratings if r.name in own][-1]
            name = one.name + (" *" if one.name in privileged else "")
            tier = "–" if found.overall.note else str(number)
            table.add_row(
                tier, escape(name), rating(one), str(one.wins), str(one.ties), str(one.losses), end_section=last
            )
    console.print(table)
    put(console, f"\n{headline(found)}")
    board = found.overall
    for line in needed_words(board, _sessions_a_case(found)):
        put(console, f"To tell apart {line}.")
    if found.share is not None:
        put(console, f"Played {found.share:.0%} of the sessions of all against all.")
    for entrant in found.entrants:
        if entrant.unrated:
            put(console, f"Not rated: {entrant.name}, {entrant.unrated}.")
    if found.opinion is not None:
        agree = found.opinion.agree
        told = (
            "no battle that both decide"
            if agree.estimate is None
            else f"{agree.estimate:.0%} of {agree.n} battles that both decide"
        )
        put(console, f"Judge {found.opinion.judge}: names the same winner in {told}.")
    if privileged:
        put(console, "* privileged: is given the case and the hidden state.", style="dim")
    put(
        console,
        "A battle is won by whose patient ended nearer to what the facts warrant, by a point or more. Not "
        "human-validated.",
        style="dim",
    )


def _sessions_a_case(found: Leaderboard) -> float:
    board = found.overall
    pairs = {(one.case, one.seed) for one in found.cards["overall"].battles}
    return len(pairs) / board.cases

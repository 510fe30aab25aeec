"""What a leaderboard leaves behind: a page that a group can host, the battles, and everything as data;
in a terminal, its tiers, ratings, and what it takes to tell neighbours apart."""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maieutic.evaluation.findings import NOT_FREE_SPEECH, plural
from maieutic.measures.validity import NOT_VALIDATED
from maieutic.ranking.battles import FAMILIES, OVERALL
from maieutic.ranking.leaderboard import Leaderboard
from maieutic.ranking.ratings import Board, Rating
from maieutic.runs import figures
from maieutic.runs.files import write_json, write_lines, write_whole
from maieutic.runs.shown import Table, environment, put
from maieutic.safety.handover import DISCLAIMER
from maieutic.stats import Interval

if TYPE_CHECKING:
    from rich.console import Console

FORMAT = 1


def write_leaderboard(found: Leaderboard, out: Path) -> None:
    """`leaderboard.html`, `leaderboard.json` and `battles.jsonl`. Raises `StorageError`."""
    write_json(out / "leaderboard.json", as_json(found))
    lines = [{"family": family, **asdict(one)} for family, card in found.cards.items() for one in card.battles]
    write_lines(out / "battles.jsonl", lines)
    write_whole(out / "leaderboard.html", render(found).encode())


def headline(found: Leaderboard) -> str:
    """The answer: who stands above whom, in tiers."""
    board, tiers = found.overall, found.tiers
    if board.note:
        return f"No tiers: {board.note}."
    if len(tiers) == 1:
        return (
            f"All {len(tiers[0])} therapists stand in one tier: {plural(board.cases, 'case')} do not tell them apart."
        )
    named = "; ".join(f"tier {n}: {', '.join(own)}" for n, own in enumerate(tiers, start=1))
    return f"{len(tiers)} tiers on {plural(board.cases, 'case')} and {board.battles:,} battles. {named}."


def rating(one: Rating) -> str:
    """Strength with its interval."""
    bounds = "" if one.low is None or one.high is None else f" [{signed(one.low)}, {signed(one.high)}]"
    return signed(one.strength) + bounds


def signed(value: float) -> str:
    """With a true minus sign."""
    return f"{value:+.2f}".replace("-", "−")


def as_json(found: Leaderboard) -> dict[str, Any]:
    """Everything, as data."""
    return {
        "format": FORMAT,
        "kind": "leaderboard",
        "tiers": [list(own) for own in found.tiers],
        "share_of_sessions": found.share,
        "warnings": list(found.warnings),
        "entrants": [asdict(one) for one in found.entrants],
        "families": {
            family: {
                "measure": FAMILIES[family].measure,
                "margin": FAMILIES[family].margin,
                "missing": dict(found.cards[family].missing),
                **(
                    {"board": asdict(found.boards[family])}
                    if family in found.boards
                    else {"reason": found.without[family]}
                ),
            }
            for family in FAMILIES
        },
        "judge": None if found.opinion is None else _opinion(found),
        "provenance": [{"run": one.name, **dict(one.manifest)} for one in found.sources],
    }


def _opinion(found: Leaderboard) -> dict[str, Any]:
    assert found.opinion is not None
    told = asdict(found.opinion)
    told.pop("battles")
    return {**told, "read": len(found.opinion.battles), "tiers": None if found.judged is None else found.judged.tiers}


def render(found: Leaderboard) -> str:
    """The page as HTML, self-contained."""
    return (
        environment(Path(__file__).parent / "pages")
        .get_template("leaderboard.html.j2")
        .render(
            found=found,
            headline=headline(found),
            chart=_chart(found),
            rows=_rows(found),
            tiers=found.tiers,
            steps=found.overall.steps,
            families=[_family(found, name) for name in FAMILIES if name != OVERALL],
            overall=FAMILIES[OVERALL],
            meetings=_meetings(found),
            missing=found.cards[OVERALL].missing,
            unrated=[one for one in found.entrants if one.unrated],
            facts=[(one.name, one.facts()) for one in found.sources],
            disclaimer=DISCLAIMER,
            not_validated=NOT_VALIDATED,
            not_free_speech=NOT_FREE_SPEECH,
        )
    )


def _chart(found: Leaderboard) -> str:
    privileged = {one.name for one in found.entrants if one.privileged}
    board = found.overall
    bars = [
        figures.Bar(
            one.name, Interval(one.strength, one.low, one.high, board.cases), rating(one), one.name in privileged
        )
        for one in board.ratings
    ]
    return figures.forest(bars, title="Ratings with 95 % intervals", axis="rating, log odds")


def _rows(found: Leaderboard) -> list[dict[str, Any]]:
    """What is shown of each therapist, on the page and in the terminal; `tier` is None for one in none."""
    return [_row(found, one) for one in found.overall.ratings]


def _row(found: Leaderboard, one: Rating) -> dict[str, Any]:
    entrant = next(e for e in found.entrants if e.name == one.name)
    tier = next((n for n, own in enumerate(found.tiers, start=1) if one.name in own), None)
    return {"one": one, "entrant": entrant, "rating": rating(one), "tier": tier}


def _family(found: Leaderboard, name: str) -> dict[str, Any]:
    board = found.boards.get(name)
    return {
        "name": name,
        "rule": FAMILIES[name],
        "board": board,
        "tiers": board.tiers if board else (),
        "reason": found.without.get(name, ""),
        "strengths": {one.name: rating(one) for one in board.ratings} if board else {},
    }


def _meetings(found: Leaderboard) -> dict[tuple[str, str], str]:
    """Wins–ties–losses of the row's therapist against the column's."""
    counts: dict[tuple[str, str], list[int]] = {}
    for one in found.cards[OVERALL].battles:
        for name, other, mine in ((one.first, one.second, "first"), (one.second, one.first, "second")):
            own = counts.setdefault((name, other), [0, 0, 0])
            own[1 if one.winner == "tie" else 0 if one.winner == mine else 2] += 1
    return {pair: "–".join(map(str, own)) for pair, own in counts.items()}


def needed_words(board: Board, sessions_a_case: float) -> list[str]:
    """What it would take to tell neighbours apart, one line a pair that is not."""
    return [
        f"{step.upper} and {step.lower}: about {step.cases_needed:,} cases in all "
        f"({round(2 * step.cases_needed * sessions_a_case):,} sessions of the two)"
        if step.cases_needed is not None
        else f"{step.upper} and {step.lower}: no number of cases, there is no gap"
        for step in board.steps
        if not step.separated
    ]


def print_leaderboard(found: Leaderboard, console: Console) -> None:
    """A row a therapist, a line between tiers; never a bare rank."""
    for warning in found.warnings:
        put(console, f"warning: {warning}", whole=True, style="yellow")
    privileged = {one.name for one in found.entrants if one.privileged}
    rows = sorted((row for row in _rows(found) if row["tier"]), key=lambda row: row["tier"])
    table = Table(
        "",
        ("tier", "therapist", "rating [95 %]", "won", "tied", "lost"),
        [
            (
                "–" if found.overall.note else str(row["tier"]),
                row["one"].name + " *" * row["entrant"].privileged,
                row["rating"],
                *(str(count) for count in (row["one"].wins, row["one"].ties, row["one"].losses)),
            )
            for row in rows
        ],
    )
    ends = [n for n, (one, after) in enumerate(pairwise(rows)) if one["tier"] != after["tier"]]
    console.print(table.on_screen(right=range(2, 6), whole=range(2, 6), cuts=ends))
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

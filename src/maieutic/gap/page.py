"""The profile as a page and as a table: a row a family, its figures beside published ones, the worst turns quoted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from maieutic.gap.deciding import change_of
from maieutic.gap.families import families
from maieutic.gap.family import MIN_ITEMS, Family, Profile, Value, Verdict
from maieutic.gap.run import Result
from maieutic.gap.single_vs_session.family import session_scores
from maieutic.gap.single_vs_session.therapists import Comparison, comparison
from maieutic.language.sentences import opened_large
from maieutic.reading.plain import in_words
from maieutic.runs.files import write_whole
from maieutic.runs.folder import ANSWERED_AS, REQUEST, read_manifest
from maieutic.runs.shown import environment, plain_table, put
from maieutic.safety.handover import DISCLAIMER

if TYPE_CHECKING:
    from rich.console import Console

UNTESTABLE = (
    "what a voice, a face or a silence says: there are only words here",
    "being a person with a stake in the meeting, and the alliance with a real one",
    "whether anybody gets better: patients are simulated, and belief change by self-produced evidence "
    "is their assumption",
)
"""What no text can test; declared in every profile."""


NARROW = 110
"""Columns of a terminal below which the table of a profile leaves out published figures."""
FEW = 30
"""Items below which a clean verdict says how many it rests on: with 30 a failure of one in ten shows with a chance of
0.96."""


def shown(value: Value) -> str:
    """A figure with its interval, or why there is none."""
    if value.value is None:
        return f"missing: {value.reason or 'no reason given'}"
    text = number(value.value, value)
    if value.low is not None and value.low == value.high:
        return f"{text} (the same in all {value.n})"
    if value.low is not None and value.high is not None:
        text += f" [{number(value.low, value)}, {number(value.high, value)}]"
    return text


def number(figure: float, value: Value) -> str:
    """As many digits as the value's span asks for."""
    wide = value.span[1] - value.span[0]
    if wide <= 2 and 0.0 < abs(figure) < 0.01:
        return f"{figure:.3f}"
    return f"{figure:.0f}" if wide >= 50 and abs(figure) >= 10 else f"{figure:.1f}" if wide >= 10 else f"{figure:.2f}"


def change(family: str, value: Value, extent: str) -> str:
    """The smallest difference to another run that is no chance, or '' where none was measured."""
    found = change_of(family, value.id, extent)
    return "" if found is None or value.value is None else number(found, value)


STYLES: Final[Mapping[Verdict, str]] = {
    "flagged": "bold red",
    "near the limit": "yellow",
    "clean": "green",
    "not told": "dim",
}


def _decider(profile: Profile) -> Value | None:
    """The figure that the verdict rests on, where one lies beyond its limit or covers it."""
    if profile.verdict == "near the limit":
        return next(value for value in profile.decisive if value.standing == "near")
    return profile.flagging if profile.flagged else None


def power(profile: Profile) -> str:
    """How many items would decide, where the figures do not; how few a clean verdict rests on; '' where it needs no
    word."""
    if profile.verdict == "near the limit":
        value = _decider(profile) or profile.headline  # there is one
        what = "" if value is profile.headline else f"{value.title}: {shown(value)}, {limit(value)}; "
        more = "its figure lies on the limit" if value.needed is None else f"some {value.needed:,} items would decide"
        return f"{what}{more}, {value.n} were seen"
    head = profile.headline
    if profile.verdict == "not told" and head.value is not None:
        return head.reason or f"too few: {head.n} {'item' if head.n == 1 else 'items'}, at least {MIN_ITEMS} decide"
    if profile.verdict == "clean" and head.n < FEW:
        return f"clean on {head.n} items: a failure rarer than once in {head.n} can be missed"
    return ""


def beyond(profile: Profile) -> str:
    """What flags a family whose headline lies within its limit, or ''."""
    value = _decider(profile)
    if not profile.flagged or value is None or value is profile.headline or value.value is None:
        return ""
    return f"{value.title}: {number(value.value, value)}, {limit(value)}"


def limit(value: Value) -> str:
    """'at most' or 'at least' so much, or '' for a value that only describes."""
    if value.limit is None:
        return ""
    return f"{'at most' if value.worse == 'high' else 'at least'} {number(value.limit, value)}"


def print_profile(result: Result, chosen: tuple[Family, ...], console: Console) -> None:
    """The terminal's table: a row a family, the published figure beside it, and the principal failure."""
    narrow = console.width < NARROW
    quick = " (quick run: a tenth of the items)" if result.extent == "quick" else ""
    table = plain_table(f"Gap profile of {result.therapist}{quick}", close=True)
    for name in ("family", "", "value [95 %]", "±", "n", "missing", "headline", "published"):
        if not (narrow and name in ("missing", "published")):
            table.add_column(name, overflow="fold", no_wrap=name in ("", "value [95 %]", "±", "n"))
    for family, profile in zip(chosen, result.profiles, strict=True):
        head = profile.headline
        reference = head.references[0] if head.references else None
        published = f"{number(reference.value, head)} {reference.source}" if reference else "none"
        missing = sum(result.missing(family.id).values())
        value = shown(head) if head.value is not None else "missing"
        told = head.title if head.value is not None else f"{head.title}; {shown(head)}"
        told = f"{told}. Flagged by {by}" if (by := beyond(profile)) else told
        told = f"{told}. {opened_large(few)}" if (few := power(profile)) else told
        row = [
            family.title,
            f"[{STYLES[profile.verdict]}]{profile.verdict}[/]",
            value,
            change(family.id, head, result.extent),
        ]
        lost = [f"{told}. {missing} missing" if missing else told]
        rest = lost if narrow else [str(missing) if missing else "", told, published]
        table.add_row(*row, str(head.n), *rest)
    console.print(table)
    if any(change(p.family, p.headline, result.extent) for p in result.profiles):
        put(console, "±: smaller differences between two runs are what another seed alone gives.")
    if cleaned := in_words(result.cleaned, "replies and answers"):
        put(console, f"Made plain before it was read: {cleaned}.")
    for name, reader in judge_reads((result,)):
        put(console, f"{name}: replies read by {reader}, not by our own readers.")
    put(console, answer(result))


def judge_reads(results: Sequence[Result]) -> list[tuple[str, str]]:
    """Families whose replies an admitted judge read, with its name; the same for every therapist of a run."""
    first = results[0]
    return [(p.family, reader) for p in first.profiles if (reader := first.reader_of(p.family))]


def answer(result: Result) -> str:
    """What the profile says in short: the principal failure, that there is none, or that nothing can be told."""
    if result.no_result:
        return opened_large(result.no_result)
    if result.extent == "quick":
        counted = Counter(p.verdict for p in result.profiles)
        told = ", ".join(f"{counted[verdict]} {verdict}" for verdict in STYLES if counted[verdict])
        return f"Of {len(result.profiles)} families {told}. A quick run names no principal failure."
    found = result.leading
    near = sum(p.verdict == "near the limit" for p in result.profiles)
    untold = sum(p.verdict == "not told" for p in result.profiles)
    rest = (f"; {near} near the limit" if near else "") + (f"; {untold} not told" if untold else "")
    if found.first:
        return f"Principal failure: {found.first.sentence or found.first.headline.title}"
    if found.general:
        furthest = " or ".join(p.family.replace("_", " ") for p in found.general)
        rest = ", ".join(p.family.replace("_", " ") for p, _ in found.chances if p not in found.general)
        if len(found.chances) == 1:
            return f"Flagged is {furthest} alone, and that follows from nearly every failure: which one is not told."
        return (
            "Several families are flagged, and the principal one is not told: furthest beyond its limit lies "
            f"{furthest}, and that follows from nearly every failure." + (f" Beside it: {rest}." if rest else "")
        )
    if found.tied:
        chances = {profile.family: chance for profile, chance in found.chances}
        named = ", ".join(f"{p.family.replace('_', ' ')} {chances[p.family]:.0%}" for p in found.tied)
        return (
            "Several families are flagged, and the principal one is not told apart. Chance of lying furthest beyond "
            f"its limit: {named}."
        )
    if untold == len(result.profiles):
        return "Nothing can be told: no family has a figure that decides."
    return f"No family is flagged{rest} (of {len(result.profiles)})." if rest else "No family is flagged."


def compared(results: Sequence[Result]) -> Comparison | None:
    """Single turn against session over the therapists of a run; None where fewer than two have both."""
    name = "single_vs_session"
    profiles = {r.therapist: p for r in results for p in r.profiles if p.family == name}
    return comparison(profiles, {r.therapist: session_scores(r.seen[name]) for r in results if name in r.seen})


def print_beside(results: Sequence[Result], console: Console) -> None:
    """What several therapists say together, and what a judge said of each, below their tables."""
    found = compared(results)
    if found is not None:
        told = ", ".join(f"{name} {single:.2f} → {session:.2f}" for name, single, session in found.rows)
        put(console, f"Single turns ({found.read_on}) → sessions: {told}")
        put(
            console,
            f"Order of therapists: rank correlation {_or_none(found.correlation)}, inverted pairs "
            f"{_or_none(found.inversions)}",
        )
    for result in results:
        for one in result.judged:
            put(
                console,
                f"{result.therapist}, {one.title}: judge {_or_none(one.by_judge)}, rules {_or_none(one.by_rules)}, "
                f"alpha {_or_none(one.agreement.value)}, {one.replies} judged, {sum(one.missing.values())} missing",
            )


def _or_none(value: float | None) -> str:
    return "missing" if value is None else f"{value:.2f}"


def write_page(results: tuple[Result, ...], folder: Path, *, note: str = "") -> None:
    """`report.html`: one self-contained file. Raises `StorageError`."""
    write_whole(folder / "report.html", render(results, note=note, made=_made(folder), others=_others(folder)).encode())


def _others(folder: Path) -> Sequence[tuple[str, str, Sequence[str]]]:
    """Arms whose server called its model otherwise: the arm, the name that was asked for, the names that came."""
    if not (folder / "manifest.json").exists():
        return ()
    about = read_manifest(folder)
    specs = {name: arm["spec"] for name, arm in about["arms"].items()}
    asked = {name: str(specs.get(name) or about[REQUEST]["judge"]) for name in about.get(ANSWERED_AS, {})}
    return [(name, asked[name].rpartition("#")[2], came) for name, came in about.get(ANSWERED_AS, {}).items()]


def _made(folder: Path) -> str:
    """When, by what and how far the run was made, so that a page that is passed on can be told from another."""
    path = folder / "manifest.json"
    if not path.exists():
        return ""
    about, day = read_manifest(folder), date.fromtimestamp(path.stat().st_mtime)
    plan = about["extent"]
    return (
        f"Begun on {day.day} {day:%B %Y} with maieutic {about['maieutic']}: {plan['name']} extent, {plan['split']} "
        f"cases, seed {plan['seed']}, at most {plan['turns']} turns, items {about['items']}."
    )


def render(
    results: tuple[Result, ...],
    *,
    note: str = "",
    made: str = "",
    others: Sequence[tuple[str, str, Sequence[str]]] = (),
) -> str:
    """The page of one therapist, or of several side by side; a note, such as that the run is not finished, how it
    was made, and under which other names a server answered stand at its head."""
    chosen = families([p.family for p in results[0].profiles])
    rows = [
        {
            "family": family,
            "cells": [_cell(result, result.profiles[at]) for result in results],
        }
        for at, family in enumerate(chosen)
    ]
    page = environment(Path(__file__).parent / "pages").get_template("profile.html.j2")
    return str(
        page.render(
            results=results,
            note=note,
            made=made,
            others=others,
            rows=rows,
            compared=compared(results),
            disclaimer=DISCLAIMER,
            untestable=UNTESTABLE,
            answer=answer,
            judge_reads=judge_reads(results),
            cleaned=[(r.therapist, in_words(r.cleaned, "replies and answers")) for r in results if r.cleaned],
        )
    )


def _cell(result: Result, profile: Profile) -> dict[str, Any]:
    decider = _decider(profile)
    return {
        "profile": profile,
        "therapist": result.therapist,
        "verdict": profile.verdict,
        "power": power(profile),
        "values": [_figure(result, profile, value) for value in profile.values],
        "deciding": _figure(result, profile, decider) if decider and decider is not profile.headline else None,
        "missing": result.missing(profile.family).most_common(6),
        "inapplicable": result.inapplicable(profile.family),
        "units": len(result.seen[profile.family]),
    }


def _figure(result: Result, profile: Profile, value: Value) -> dict[str, Any]:
    return {
        "value": value,
        "text": shown(value),
        "strip": _strip(value),
        "limit": limit(value),
        "change": change(profile.family, value, result.extent),
    }


def _strip(value: Value) -> dict[str, Any] | None:
    """Where things stand on the value's span, in percent of its width; None when there is nothing to draw."""
    low, high = value.span
    if value.value is None or high <= low:
        return None

    def at(figure: float) -> float:
        return round(100.0 * min(1.0, max(0.0, (figure - low) / (high - low))), 2)

    whole = value.low is not None and value.high is not None and value.low < value.high
    return {
        "at": at(value.value),
        "from": at(value.low) if whole and value.low is not None else None,
        "to": at(value.high) if whole and value.high is not None else None,
        "limit": None if value.limit is None else at(value.limit),
        "beyond": value.standing == "beyond",
        "references": [
            {"at": at(r.value), "text": f"{number(r.value, value)} {r.source}: {r.differs}"} for r in value.references
        ],
        "low": number(low, value),
        "high": number(high, value),
    }

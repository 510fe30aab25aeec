"""What is shown while something runs: one console for results, one for messages, the progress of a run,
and findings by check with their verdicts."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from maieutic.errors import BudgetReached, MaieuticError, WorkersLost
from maieutic.pressed import PRESSES
from maieutic.runs.folder import drop_begun, is_anything_said
from maieutic.runs.shown import put
from maieutic.runs.work import EVERY_SECONDS, RATE_OVER_SECONDS, Pace, Tick, Watch, stoppable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from maieutic.dialogue import Event
    from maieutic.domain.episode import EpisodeKey
    from maieutic.evaluation.journal import Record
    from maieutic.evaluation.plan import Plan
    from maieutic.evaluation.run import Watcher
    from maieutic.runs.findings import Page


@cache
def screen() -> Console:
    """Where results go."""
    from rich.console import Console

    return Console()


@cache
def messages() -> Console:
    """Where progress and errors go."""
    from rich.console import Console

    return Console(stderr=True)


def say(text: str, *, whole: bool = False, style: str | None = None) -> None:
    """A line of a result, as `put` writes it."""
    put(screen(), text, whole=whole, style=style)


def tell(text: str, *, whole: bool = False) -> None:
    """The same for what is told of the work, beside the result."""
    put(messages(), text, whole=whole)


@contextmanager
def going_on_named(command: str, folder: Path, *, resume: bool) -> Iterator[None]:
    """Says how to go on with a run that stops before its end, in the words to type, and only where something is kept.

    Args:
        command: What goes on with the run. folder: Its folder. resume: Whether the run was begun before.
    """

    def kept() -> str:
        if resume or is_anything_said(folder):
            return f". Everything said so far is kept. Go on with: {command}"
        drop_begun(folder)
        if folder.exists():
            return f" before anything was said. Go on with: {command}"
        return " before anything was said. Nothing was kept; the same command starts anew"

    with stoppable(kept):
        try:
            yield
        except BudgetReached as stop:
            raise BudgetReached(f"{str(stop).partition(';')[0]}; go on with: {command}") from stop
        except WorkersLost:
            tell(f"to go on: {command}", whole=True)
            raise


def turns_of(plan: Plan, done: Mapping[EpisodeKey, Record]) -> tuple[Counter[str], Counter[str]]:
    """By therapist: the turns of a plan at most, and those that are done."""
    totals, kept = Counter(dict.fromkeys(plan.therapists, 0)), Counter[str]()
    for key in plan.grid():
        totals[key.therapist] += plan.turns
        if key in done:
            kept[key.therapist] += plan.turns if done[key].closed else len(done[key].codes)
    return totals, kept


@contextmanager
def run_progress(totals: Mapping[str, int], done: Mapping[str, int]) -> Iterator[Watcher]:
    """A bar and an ETA for each arm, in therapist turns; on a screen that cannot draw, a line every ten seconds."""
    if messages().is_terminal:
        yield from _bars(totals, done)
    else:
        yield from _lines(totals, done)


def progress_bars(unit: str, *, named: bool = True) -> Progress:
    """Bars with a count, the time so far and the time left; the one look of all commands.

    Args:
        unit: What is counted, for example 'sessions'.
        named: Whether each bar has a name before it.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    name = (TextColumn("{task.description}", markup=False),) if named else ()
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn(unit), TimeElapsedColumn(), TextColumn("left"))
    return Progress(
        *name,
        *columns,
        TimeRemainingColumn(),
        console=messages(),
        refresh_per_second=4,
        speed_estimate_period=RATE_OVER_SECONDS,
    )


@contextmanager
def _pressed_through() -> Iterator[None]:
    """An error in the wake of Ctrl-C is Ctrl-C: a library that was being loaded may have made one of it."""
    try:
        yield
    except MaieuticError:
        raise
    except Exception as error:
        if PRESSES.heard:
            raise KeyboardInterrupt from error
        raise


@contextmanager
def watched(unit: str, known: int | None = None) -> Iterator[Watch]:
    """Shows how far something is that reports (done, in all, name): a bar with an ETA, or a line every ten seconds.

    Args:
        known: How many there are in all, where that is known beforehand; none of them has a name then.
    """
    if messages().is_terminal:
        with progress_bars(unit, named=known is None) as progress:
            task = progress.add_task("reading", total=known)
            with _pressed_through():
                yield lambda done, total, name: progress.update(
                    task, completed=done, total=total, description=_short(name)
                )
        return
    pace: Pace | None = None

    def watch(done: int, total: int, name: str) -> None:
        nonlocal pace
        pace = pace or Pace(done)  # a leap at the start was kept from before; no pace is taken from it
        left = pace.tell_left(done, total)
        if left is not None:
            tell(f"{done}/{total} {unit}, about {left:.0f} s left" + (f" ({_short(name)})" if name else ""))

    with _pressed_through():
        yield watch


def _short(name: str, most: int = 36) -> str:
    return name if len(name) <= most else f"…{name[1 - most :]}"


def _bars(totals: Mapping[str, int], done: Mapping[str, int]) -> Iterator[Watcher]:
    with progress_bars("turns") as progress:
        tasks = {
            arm: progress.add_task(arm, total=total, completed=min(done.get(arm, 0), total), start=False)
            for arm, total in totals.items()
        }
        started: set[str] = set()

        def watch(event: Event) -> None:
            arm = event.key.therapist
            if arm not in started:
                started.add(arm)
                progress.start_task(tasks[arm])
            step = _turns_of(event)
            if step:
                progress.advance(tasks[arm], step)

        yield watch
        for arm, total in totals.items():
            progress.update(tasks[arm], completed=total)


def _lines(totals: Mapping[str, int], done: Mapping[str, int]) -> Iterator[Watcher]:
    seen = {arm: min(done.get(arm, 0), total) for arm, total in totals.items()}
    heard: dict[str, float] = {}
    paces: dict[tuple[str, ...], Pace] = {}

    def watch(event: Event) -> None:
        now = time.monotonic()
        heard[event.key.therapist] = now
        # Arms that are played at the same time are told of together.
        going = tuple(arm for arm in totals if now - heard.get(arm, float("-inf")) < EVERY_SECONDS)
        if going not in paces:
            paces[going] = Pace(sum(seen[arm] for arm in going))
        seen[event.key.therapist] += _turns_of(event)
        count, total = (sum(of[arm] for arm in going) for of in (seen, totals))
        left = paces[going].tell_left(count, total)
        if left is not None:
            ahead = sum(name not in heard and seen[name] < total for name, total in totals.items())
            then = f", then {ahead} more arm{'s' * (ahead > 1)}" if ahead else ""
            name = going[0] if len(going) == 1 else f"{len(going)} arms"
            tell(f"{name}: {count}/{total} turns, about {left:.0f} s left{then}")

    yield watch


@contextmanager
def counted(unit: str, total: int) -> Iterator[Tick]:
    """One bar with an ETA for a known number of things; where nothing can be drawn, a line every ten seconds."""
    done = 0
    with watched(unit, total) as watch:

        def tick(step: int) -> None:
            nonlocal done
            done += step
            watch(done, total, "")

        yield tick


def _turns_of(event: Event) -> int:
    """Therapist turns that an utterance stands for; a dialogue that ends early is not waited for."""
    if event.turn.speaker == "therapist":
        return 1
    return 1 if not event.turn.text and event.index > 0 and event.ending is None else 0


def tell_page(page: Page, out: Path, *, quick: bool, also: str = "", below: str = "") -> None:
    """Writes a page of findings and shows them. Raises `typer.Exit(1)` where a bound is broken.

    Args:
        also: What else was written. below: What must be known of the findings.
    """
    from maieutic.runs.findings import broken, write

    write(replace(page, quick=quick), out)
    show_findings(page)
    if below:
        screen().print(f"\n{below}")
    say(f"\nReport: {out / 'report.html'}{also}")
    if broken(page.findings):
        raise typer.Exit(1)


def show_findings(page: Page) -> None:
    """Findings with their verdicts on the terminal, by check."""
    from rich.markup import escape

    from maieutic.runs.findings import beside, mark

    colours = {"holds": "green", "broken": "red", "not judged": "yellow"}
    before = ""
    for finding in page.findings:
        if finding.check != before:
            before = finding.check
            screen().print(f"\n[bold]{escape(before)}[/bold]")
        verdict = mark(finding.holds) if finding.asked else ""
        shown = f"[{colours[verdict]}]{verdict:10}[/] " if verdict else " " * 11
        text = f"{finding.title}: {page.shown(finding)} {finding.unit if finding.value else ''}"
        text += f", asked {finding.asked}" if finding.asked else ""
        text += "" if finding.whole is None else f"; whole interval: {'yes' if finding.whole else 'no'}"
        text += f" | {beside(finding)}" if finding.beside else ""
        if finding.note and (finding.value is None or finding.value.estimate is None):
            text += f" ({finding.note})"
        screen().print(shown + escape(text), highlight=False, soft_wrap=True)

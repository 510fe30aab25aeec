"""`maieutic gate`: does a run hold what a policy asks? JUnit, Markdown, a release checklist, and exit code 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli.options import read_columns
from maieutic.cli.screen import say, screen, tell
from maieutic.comparing.command import KEYS, Columns
from maieutic.errors import InputError
from maieutic.runs.shown import plain_table

if TYPE_CHECKING:
    from maieutic.gating.policy import Policy
    from maieutic.gating.verdicts import Baseline, Judged

BROKEN = 1


def gate(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="Folders of `evaluate`, `gap` or `score`; one of each kind is read as one."),
    ],
    policy: Annotated[
        str,
        typer.Option(help="A YAML file, or a ready policy: assistive, collaborative, autonomous-in-simulation."),
    ],
    therapist: Annotated[
        str | None, typer.Option(help="Whom to judge, where a run has several; no_session is left out.")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(help="Run of `evaluate` that must not be undercut; for non-inferiority rules.")
    ] = None,
    allow: Annotated[
        list[str] | None, typer.Option(help="What may be unequal between run and baseline; as in `compare`.")
    ] = None,
    column: Columns = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for junit.xml, gate.md, checklist.md, gate.json. Default: RUN/gate.")
    ] = None,
) -> None:
    """Hold runs against a policy; exit code 0 when every rule holds, 1 when not, 2 for bad input. What was not measured
    never passes.

    A pass holds in simulation. It is no evidence that a release is safe for people.

    \b
    Examples:
      maieutic gate runs/first --policy assistive --therapist socratic
      maieutic gate runs/first runs/gap-first --policy collaborative --therapist socratic --baseline runs/released
      maieutic gate runs/new --policy gate.yaml --baseline runs/released
    """
    chosen = _policy(policy, stored=True)
    folder = out or (runs[0] / "gate" if runs[0].is_dir() else Path("runs/gate"))
    if not _hold(chosen, runs, therapist, folder, _baseline(baseline, allow), read_columns(column, KEYS)):
        raise typer.Exit(BROKEN)


def before_a_run(policy: str, baseline: Path | None) -> Callable[[Path, Sequence[str]], None]:
    """What holds a run of `evaluate --gate` against its policy, given the run's folder and therapists.

    All that can be said before the run is said now; which figures it will lack is told.

    Raises:
        InputError: the policy or the baseline cannot be read. UnknownName: a measure that nothing could have.
    """
    from maieutic.gap.families import family_names
    from maieutic.registry import ask_for, known

    chosen = _policy(policy)
    _baseline(baseline, None)
    for rule in chosen.rules:
        if rule.measure in known("measure"):
            ask_for(rule.measure)
    lacking = [rule.id for rule in chosen.rules if rule.measure.partition(".")[0] in family_names()]
    lacking += [rule.id for rule in chosen.rules if rule.non_inferior is not None and baseline is None]
    if lacking:
        tell(
            f"This run alone cannot pass {chosen.name!r}: it does not measure {', '.join(lacking)}. Those take a run "
            "of `maieutic gap` or a --baseline; hold both runs against it with `maieutic gate`.",
            whole=True,
        )
    return partial(_hold_run, chosen, baseline)


def _hold_run(policy: Policy, baseline: Path | None, run: Path, therapists: Sequence[str]) -> None:
    """Hold each candidate of a run of `evaluate` against the policy. Raises `typer.Exit(1)` where one does not pass.

    Candidates are the arms that are no yardsticks: all but no_session, the arms without a model that hold the session,
    and those that see the case; where that leaves none, all but no_session.
    """
    from maieutic.evaluation.plan import REFERENCE, candidates

    names = candidates(therapists)
    if not names:
        raise InputError(f"--gate has nobody to judge: the run holds {REFERENCE} alone")
    before = _baseline(baseline, None)
    folders = [run / "gate" if len(names) == 1 else run / "gate" / name for name in names]
    passed = [_hold(policy, [run], name, folder, before) for name, folder in zip(names, folders, strict=True)]
    if not all(passed):
        raise typer.Exit(BROKEN)


def _policy(name: str, *, stored: bool = False) -> Policy:
    from maieutic.gap.families import family_names, figures_of
    from maieutic.gating.policy import read_policy
    from maieutic.gating.verdicts import check_policy

    policy = read_policy(name)
    check_policy(policy, {family: partial(figures_of, family) for family in family_names()}, stored=stored)
    return policy


def _baseline(path: Path | None, allow: Sequence[str] | None) -> Baseline | None:
    from maieutic.comparing.sources import read_source
    from maieutic.gating.verdicts import Baseline

    return Baseline(read_source(path), tuple(allow or ())) if path else None


def _hold(
    policy: Policy,
    runs: Sequence[Path],
    therapist: str | None,
    folder: Path,
    baseline: Baseline | None,
    columns: Mapping[str, str] | None = None,
) -> bool:
    """Judge, write and show; whether every rule holds."""
    from maieutic.gap.families import family_names
    from maieutic.gating.output import write_gate
    from maieutic.gating.verdicts import judge, read_figures

    figures = read_figures(runs, therapist, columns, [rule.measure for rule in policy.rules])
    found = judge(policy, figures, [str(run) for run in runs], family_names(), baseline)
    write_gate(found, folder)
    _show(found)
    say(f"\nWritten: {folder}: junit.xml, gate.md, checklist.md, gate.json", whole=True)
    return found.passed


def _show(found: Judged) -> None:
    from rich.markup import escape

    from maieutic.gating.output import MARKS, SIMULATED, measure, verdict

    table = plain_table()
    for name in ("", "heading", "rule", "found"):
        table.add_column(name, overflow="fold", no_wrap=name in ("", "heading"))
    for one in found.verdicts:
        style = {"passes": "green", "fails": "bold red"}.get(one.outcome, "yellow")
        rule = f"{escape(one.rule.id)}\n[dim]{escape(measure(one))}[/]"
        table.add_row(f"[{style}]{MARKS[one.outcome]}[/]", one.rule.heading, rule, escape(one.told))
    screen().print(table)
    screen().print(", ".join(f"{mark} {name}" for name, mark in MARKS.items()), highlight=False, style="dim")
    say(verdict(found), style="bold")
    if found.open_headings:
        say(f"Open: no rule for {', '.join(found.open_headings)}.")
    screen().print(SIMULATED, style="dim", highlight=False)

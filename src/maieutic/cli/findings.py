"""Findings on the terminal, by check, with their verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from maieutic.cli.screen import say, screen

if TYPE_CHECKING:
    from maieutic.runs.findings import Finding
    from maieutic.runs.findings_page import Page


def tell_page(page: Page, out: Path, *, quick: bool, also: str = "") -> None:
    """Writes a page of findings and shows them. Raises `typer.Exit(1)` where a bound is broken."""
    from maieutic.runs.findings import broken
    from maieutic.runs.findings_page import write

    write(replace(page, quick=quick), out)
    show_findings(page.findings)
    say(f"\nReport: {out / 'report.html'}{also}")
    if broken(page.findings):
        raise typer.Exit(1)


def show_findings(findings: Sequence[Finding]) -> None:
    """Findings with their verdicts on the terminal, by check."""
    from rich.markup import escape

    from maieutic.runs.findings import mark, show

    colours = {"holds": "green", "broken": "red", "not judged": "yellow"}
    before = ""
    for finding in findings:
        if finding.check != before:
            before = finding.check
            screen().print(f"\n[bold]{escape(before)}[/bold]")
        verdict = mark(finding.holds) if finding.asked else ""
        shown = f"[{colours[verdict]}]{verdict:10}[/] " if verdict else " " * 11
        asked = f", asked {finding.asked}" if finding.asked else ""
        text = f"{finding.title}: {show(finding.value)} {finding.unit if finding.value else ''}{asked}"
        screen().print(shown + escape(text), highlight=False, soft_wrap=True)

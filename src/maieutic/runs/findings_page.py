"""A page of findings with their bounds, charts and tables: what most of `validate` writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from maieutic.runs.files import write_json, write_whole
from maieutic.runs.findings import Finding, broken, mark, show
from maieutic.runs.pages import environment


@dataclass(frozen=True, slots=True)
class Page:
    """What a page shows.

    Attributes:
        title, question: Of the page. played: What was played, a sentence. caution: What it does not show.
        findings: With their bounds, by check in order.
        rule: When a bound holds, a sentence.
        quick: Less was played than the full run plays; the page says so first.
        charts: (caption, svg). tables: (heading, columns, rows of shown cells).
    """

    title: str
    question: str
    played: str
    caution: str
    findings: tuple[Finding, ...]
    rule: str = "A bound holds when the whole 95 % interval satisfies it; the case is the unit."
    quick: bool = False
    charts: tuple[tuple[str, str], ...] = ()
    tables: tuple[tuple[str, Sequence[str], Sequence[Sequence[str]]], ...] = ()


def render(page: Page) -> str:
    """The page: no script, no external request."""
    rows = [(finding, _row(finding)) for finding in page.findings]
    return (
        environment()
        .get_template("findings.html.j2")
        .render(
            title=page.title,
            question=page.question,
            played=page.played,
            quick=page.quick,
            rule=page.rule,
            caution=page.caution,
            kept=sum(f.holds is True for f in page.findings),
            unjudged=sum(bool(f.asked) and f.holds is None for f in page.findings),
            wrong=[row for finding, row in rows if finding in broken(page.findings)],
            sections=[
                (check, [row for finding, row in rows if finding.check == check])
                for check in dict.fromkeys(f.check for f in page.findings)
            ],
            charts=page.charts,
            tables=page.tables,
        )
    )


def _row(finding: Finding) -> dict[str, str]:
    return {
        "title": finding.title,
        "value": show(finding.value),
        "unit": finding.unit if finding.value else "",
        "asked": finding.asked,
        "verdict": mark(finding.holds) if finding.asked else "",
        "note": finding.note,
    }


def write(page: Page, folder: Path) -> None:
    """`report.html` and `findings.json`, each written whole. Raises `StorageError`."""
    found = {"title": page.title, "played": page.played, "findings": [f.as_json() for f in page.findings]}
    write_json(folder / "findings.json", found)
    write_whole(folder / "report.html", render(page).encode())

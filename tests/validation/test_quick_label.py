"""A run that played less than the full one says so first on its page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from command_line import maieutic
from maieutic.runs.findings import Page, render


def test_a_quick_run_is_labelled_on_its_page() -> None:
    page = Page("t", "q?", "Little was played.", "c", ())
    assert "Quick run" not in render(page)
    assert "Quick run:</b> less was played" in render(replace(page, quick=True))


ONE = ("--family", "reads_into", "--out", "run")
QUICK = {
    "gap": ("gap", "--therapist", "eliza", *ONE),
    "validate gap": ("validate", "gap", *ONE),
    "validate tracker": ("validate", "tracker", "--out", "run"),
    "validate agent": ("validate", "agent", "--out", "run"),
}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", ["gap", *(pytest.param(n, marks=pytest.mark.full) for n in QUICK if n != "gap")])
def test_whoever_typed_quick_reads_it_on_the_page(name: str, tmp_path: Path) -> None:
    told = maieutic(*QUICK[name], "--quick", cwd=tmp_path)
    # A bound may be broken where little was played.
    assert told.returncode in (0, 1), told.stderr
    assert "<b>Quick run:</b>" in (tmp_path / "run" / "report.html").read_text("utf-8")

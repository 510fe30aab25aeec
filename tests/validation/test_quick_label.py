"""A run that played less than the full one says so first on its page."""

from __future__ import annotations

from dataclasses import replace

from maieutic.validation.findings_page import Page, render


def test_a_quick_run_is_labelled_on_its_page() -> None:
    page = Page("t", "q?", "Little was played.", "c", ())
    assert "Quick run" not in render(page)
    assert "Quick run:</b> less was played" in render(replace(page, quick=True))

"""A headless Chromium for tests of pages: what a page requests and complains of, and what axe-core finds in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

HEIGHT = 900


@dataclass(frozen=True)
class Seen:
    """A page as it was opened."""

    tab: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def foreign(self) -> list[str]:
        """Addresses asked for that are no file on this machine."""
        return [url for url in self.requests if not url.startswith(("file:", "data:", "blob:", "about:"))]

    def overflow(self) -> int:
        """Pixels by which the page is wider than the window."""
        return int(self.tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

    def at(self, width: int) -> None:
        """The same page in a window of another width."""
        self.tab.set_viewport_size({"width": width, "height": HEIGHT})

    def broken_pictures(self) -> list[str]:
        """Pictures that the browser could not draw."""
        found: list[str] = self.tab.evaluate(
            "[...document.images].filter(one => !one.naturalWidth).map(one => one.src)"
        )
        return found

    def violations(self) -> list[str]:
        """What axe-core finds against its default rules, WCAG 2 A and AA and its best practices among them."""
        import axe_playwright_python

        axe = Path(axe_playwright_python.__file__).parent / "axe.min.js"
        self.tab.evaluate(axe.read_text(encoding="utf-8"))
        # All rules are run; of what passes the places are not worked out, which takes as long as all else on a long page.
        found = self.tab.evaluate("axe.run({resultTypes: ['violations']}).then(found => found.violations)")
        return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]


@contextmanager
def browser() -> Iterator[Any]:
    """A browser, or a skip that says what is missing."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no chromium on this machine; install it to check pages in a browser")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


@contextmanager
def opened(driven: Any, file: Path, width: int) -> Iterator[Seen]:
    """A page of a file at a width."""
    seen = Seen(driven.new_page(viewport={"width": width, "height": HEIGHT}))
    seen.tab.on("console", lambda message: seen.complaints.append(message.text))
    seen.tab.on("pageerror", lambda error: seen.complaints.append(str(error)))
    seen.tab.on("request", lambda request: seen.requests.append(request.url))
    seen.tab.goto(file.as_uri())
    yield seen
    seen.tab.close()

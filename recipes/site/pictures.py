"""The pictures of the page `Start`, taken from a run folder: `python recipes/site/pictures.py runs/first`.

The run is the one that the page describes. Not part of a build: pictures change only when the report does.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

PLACE = Path(__file__).parents[2] / "docs" / "pictures"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="run folder of `maieutic evaluate`")
    report = parser.parse_args().run.resolve() / "report.html"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        tab = browser.new_page(viewport={"width": 1000, "height": 760})
        tab.goto(report.as_uri())
        tab.screenshot(path=PLACE / "report.png")
        tab.locator(".session:visible").first.scroll_into_view_if_needed()
        tab.locator(".session:visible").first.evaluate("one => window.scrollTo(0, one.offsetTop)")
        tab.screenshot(path=PLACE / "report_session.png")
        browser.close()


if __name__ == "__main__":
    main()

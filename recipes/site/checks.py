"""What must hold for the built site: every link leads somewhere, and no page loads anything from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "audio": "src", "video": "src", "object": "data", "use": "href", "image": "href"}  # fmt: skip
_LOADING_LINKS = {
    "stylesheet",
    "icon",
    "preload",
    "prefetch",
    "preconnect",
    "dns-prefetch",
    "modulepreload",
    "manifest",
}
_IN_CSS = re.compile(r"""(?:url\(\s*['"]?|@import\s+['"])((?:https?:)?//[^'")]+)""")


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.style = ""
        self._within_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        self._within_style = tag == "style"
        self.style += given.get("style", "")
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in _LOADS and _LOADS[tag] in given:
            self.loads.append(given[_LOADS[tag]])
        if tag == "link" and _LOADING_LINKS & set(given.get("rel", "").split()):
            self.loads.append(given["href"])

    def handle_data(self, data: str) -> None:
        if self._within_style:
            self.style += data
            self._within_style = False


@cache
def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def broken_links(site: Path) -> Iterator[str]:
    """Links and loads that lead to no file, or to a place in a page that is not there."""
    for path in sorted(site.rglob("*.html")):
        page = _read(path)
        for target in (*page.links, *page.loads):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            file = file / "index.html" if file.is_dir() else file
            if not file.is_file():
                yield f"{path.relative_to(site)} links to {target}, which is not there"
            elif parts.fragment and file.suffix == ".html" and unquote(parts.fragment) not in _read(file).ids:
                yield f"{path.relative_to(site)} links to {target}; that page has no such place"


def foreign_loads(site: Path) -> Iterator[str]:
    """What pages and style sheets would fetch from another host. What scripts fetch only a browser shows."""
    for path in sorted(site.rglob("*.html")):
        page = _read(path)
        for target in (*page.loads, *_IN_CSS.findall(page.style)):
            if urlsplit(target).netloc:
                yield f"{path.relative_to(site)} loads {target}"
    for path in sorted(site.rglob("*.css")):
        for target in _IN_CSS.findall(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)} loads {target}"

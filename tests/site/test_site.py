"""The documentation site: built by its one command, with every link leading somewhere, nothing loaded, and readable by all."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import browser, opened

ROOT = Path(__file__).parents[2]
MAIN = (
    "index.html", "start.html", "guides/index.html", "guides/sceptic.html", "concepts.html", "patients.html", "shown.html", "evidence.html",
    "evidence/evidence.html", "validation-agent.html", "gap.html", "reference/index.html", "reference/commands/evaluate.html",
    "reference/python/run_and_score.html", "reference/formats.html", "coding-schemes.html", "compare.html", "gate.html", "rank.html",
    "reference/download.html", "guides/teacher.html", "guides/chatbot_team.html", "reference/policies.html",
    "verdict.html", "serve.html", "scale.html", "practice.html",
)  # fmt: skip

WIDTHS = (390, 1280)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recipe() -> Iterator[Any]:
    place = str(ROOT / "recipes" / "site")
    before = set(sys.modules)
    sys.path.insert(0, place)
    import build

    yield build
    sys.path.remove(place)
    for name in set(sys.modules) - before:  # names such as `checks` must not stay for other tests
        if str(getattr(sys.modules[name], "__file__", "")).startswith(place):
            del sys.modules[name]


@pytest.fixture(scope="module")
def site(recipe: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = recipe.build(ROOT, tmp_path_factory.mktemp("site"))
    return place


@pytest.fixture(scope="module")
def driven() -> Iterator[Any]:
    with browser() as found:
        yield found


def test_every_link_leads_somewhere_and_no_page_loads_from_elsewhere(recipe: Any, site: Path) -> None:
    assert list(recipe.faults(site)) == []


def test_every_page_of_the_docs_stands_in_the_order(recipe: Any, site: Path) -> None:
    pages = {str(path.relative_to(ROOT / "docs").with_suffix(".html")) for path in (ROOT / "docs").rglob("*.md")}
    home = (site / "reference" / "index.html").read_text()
    assert {page for page in pages if f'href="../{page}"' not in home} == set()


def test_the_reference_is_the_same_each_time_it_is_made(recipe: Any, site: Path) -> None:
    again = recipe.reference(ROOT)
    assert again == {name: (site.parent / "pages" / name).read_text() for name in again}


def test_the_reference_holds_every_command_option_name_and_column(recipe: Any, site: Path) -> None:
    import commands

    import maieutic
    from maieutic.registry import known

    pages = site.parent / "pages" / "reference"
    python = "".join(path.read_text() for path in (pages / "python").glob("*.md"))
    assert [name for name in maieutic.__all__ if f"\n## {name}\n" not in f"\n{python}"] == []
    parts = (pages / "parts.md").read_text()
    assert [name for name in known("therapist") if f"| `{name}` |" not in parts] == []
    for name, command in commands.commands():
        text = (pages / "commands" / f"{name.replace(' ', '_')}.md").read_text()
        options = [option for one in command.params for option in one.opts if option.startswith("--")]
        assert [option for option in options if option not in text] == [], name
    formats = (pages / "formats.md").read_text()
    for column in ("held_start", "provenance", "reactance"):
        assert f"| `{column}` |" in formats


def test_every_example_of_the_reference_is_a_command_with_options_that_exist(site: Path) -> None:
    import test_docs

    lines = [
        line
        for path in (site.parent / "pages" / "reference" / "commands").glob("*.md")
        for kind, text in test_docs.BLOCK.findall(path.read_text())
        for line in text.splitlines()
        if kind == "bash" and line.startswith("maieutic ")
    ]
    assert len(lines) > 40
    for line in lines:
        test_docs.test_command_and_its_options_exist(line)


@pytest.mark.parametrize("page", MAIN)
def test_a_page_is_readable_by_all_at_both_widths(site: Path, driven: Any, page: str) -> None:
    for width in WIDTHS:  # opened anew, since the theme fades its tabs in when a window grows
        with opened(driven, site / page, width) as seen:
            assert seen.foreign() == []
            assert seen.overflow() <= 0, width
            assert seen.broken_pictures() == []
            assert seen.violations() == [], width


def test_the_search_finds_without_a_server(site: Path, driven: Any) -> None:
    with opened(driven, site / "index.html", 1280) as seen:
        seen.tab.wait_for_timeout(500)  # the page answers to keys once its script has run
        seen.tab.keyboard.press("Control+k")
        seen.tab.wait_for_function("document.activeElement.shadowRoot || document.activeElement.matches('input')")
        seen.tab.keyboard.type("reactance")
        seen.tab.get_by_text(re.compile(r"^\d+ results$")).wait_for(timeout=20_000)
        assert seen.foreign() == []


NEWCOMERS = {
    "compare two models": "compare.html",
    "bring my transcripts": "transcripts.html",
    "own model": "models.html",
}
FIRST_HIT = """() => {
  const inside = root => [...root.querySelectorAll("*")].flatMap(one => one.shadowRoot ? [one.shadowRoot, ...inside(one.shadowRoot)] : [])
  const hits = inside(document).flatMap(root => [...root.querySelectorAll("li a[href]")])
  return hits[0].getAttribute("href").split("?")[0].split("/").pop()
}"""


@pytest.mark.parametrize(("words", "page"), NEWCOMERS.items())
def test_what_a_newcomer_looks_for_comes_first(site: Path, driven: Any, words: str, page: str) -> None:
    with opened(driven, site / "index.html", 1280) as seen:
        seen.tab.wait_for_timeout(500)
        seen.tab.keyboard.press("Control+k")
        seen.tab.wait_for_function("document.activeElement.shadowRoot || document.activeElement.matches('input')")
        seen.tab.keyboard.type(words)
        seen.tab.get_by_text(re.compile(r"^\d+ results?$")).wait_for(timeout=20_000)
        seen.tab.wait_for_timeout(500)
        assert seen.tab.evaluate(FIRST_HIT) == page


MADE_UP = {
    "dead link": ('<a href="gone.html">x</a>', "links to gone.html, which is not there"),
    "dead place": ('<a href="#gone">x</a>', "has no such place"),
    "script": ('<script src="https://elsewhere.example/x.js"></script>', "loads https://elsewhere.example/x.js"),
    "font": ('<link rel="stylesheet" href="//elsewhere.example/f.css">', "loads //elsewhere.example/f.css"),
    "style": ("<style>p {background: url('https://elsewhere.example/p.png')}</style>", "loads https://elsewhere.example/p.png"),
}  # fmt: skip


@pytest.mark.parametrize(("html", "message"), MADE_UP.values(), ids=MADE_UP)
def test_a_made_up_fault_of_a_page_is_named(recipe: Any, tmp_path: Path, html: str, message: str) -> None:
    (tmp_path / "page.html").write_text(f"<html><body>{html}</body></html>")
    found = list(recipe.faults(tmp_path))
    assert any(message in fault for fault in found), found


def test_a_sound_page_has_no_fault(recipe: Any, tmp_path: Path) -> None:
    text = '<h1 id="top">x</h1><a href="#top">x</a><a href="https://elsewhere.example">a link loads nothing</a>'
    (tmp_path / "page.html").write_text(text)
    assert list(recipe.faults(tmp_path)) == []

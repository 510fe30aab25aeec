"""The pages in Chromium, as a trainee and a teacher at three widths: axe-core finds nothing, and no other host is asked."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

pytest.importorskip("sqlalchemy", reason="the extra `practice` is not installed")

from browser import Seen, browser
from maieutic.library import CASES
from maieutic.practice.accounts import make_user
from maieutic.practice.app import create_app
from maieutic.practice.storage import Settings
from maieutic.serving.server import running
from practice.conftest import WORDS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(280)]
WIDTHS = (320, 768, 1280)


class Reader:
    """Somebody at a browser who looks at every page at all widths, light and dark."""

    def __init__(self, driven: Any, address: str, script: bool = True) -> None:
        self.address = address
        self.seen = Seen(driven.new_context(java_script_enabled=script).new_page())
        self.tab = self.seen.tab
        self.tab.on("request", lambda request: self.seen.requests.append(request.url))
        self.tab.on("pageerror", lambda error: self.seen.complaints.append(str(error)))

    def opens(self, where: str) -> None:
        self.tab.goto(self.address + where)

    def looks(self) -> None:
        """What is wrong with the page that is open."""
        for scheme in ("light", "dark"):
            self.tab.emulate_media(color_scheme=scheme)
            for width in WIDTHS:
                self.tab.set_viewport_size({"width": width, "height": 900})
                assert self.seen.overflow() <= 0, (self.tab.url, width)
            assert self.seen.violations() == [], (self.tab.url, scheme)

    def signs_up(self, name: str, code: str = "") -> None:
        self.opens("/account/new")
        self.tab.fill("#name", name)
        self.tab.fill("#password", WORDS)
        if code:
            self.tab.fill("#code", code)
        self.tab.click("main button")
        self.tab.check("input[name=teaching][value=yes]")
        self.tab.check("input[name=research][value=no]")
        self.tab.click("main button")

    def says(self, text: str) -> None:
        self.tab.fill("#said", text)
        self.tab.click("button[type=submit]:has-text('Say it')")
        self.tab.locator(".said.you", has_text=text).wait_for()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    app = create_app(Settings(tmp_path_factory.mktemp("practice")))
    with app.state.rooms.storage.begin() as db:
        make_user(db, "sen", WORDS, "admin")
    with running(app) as found:
        yield found


@pytest.fixture(scope="module")
def driven() -> Iterator[Any]:
    with browser() as found:
        yield found


def test_a_trainee_is_shut_out_of_no_page(driven: Any, address: str) -> None:
    mira = Reader(driven, address)
    for where in ("/", "/login", "/account/new", "/help", "/nothing-here"):
        mira.opens(where)
        mira.looks()
    mira.signs_up("mira")
    for where in ("/", "/cases", "/cases/gethin", "/cases/luc-vandevelde", "/account", "/consent"):
        mira.opens(where)
        mira.looks()
    mira.opens("/cases/gethin")
    mira.tab.click("main button")
    for text in ("What happened that morning?", "What went through your mind then?"):
        mira.says(text)
    mira.tab.click("a:has-text('Stuck?')")
    mira.tab.wait_for_selector("#stuck li")
    mira.looks()
    mira.tab.click("button:has-text('End the session')")
    mira.tab.wait_for_selector("#core_beliefs")
    mira.tab.wait_for_load_state("load")  # what is typed before the page's script runs is kept with the next key only
    mira.tab.fill("#core_beliefs", "I am no use")
    mira.tab.get_by_text("Kept at").wait_for(timeout=90_000)
    mira.looks()
    mira.tab.click("button:has-text('Hand it in')")
    mira.looks()
    mira.tab.click("a:has-text('What each turn did')")
    mira.tab.click("a:has-text('Compare with the agent')")
    mira.looks()
    mira.tab.click("button:has-text('Ask it differently') >> nth=0")
    mira.says("When was that?")
    mira.tab.click("a:has-text('Both branches')")
    mira.looks()
    assert [url for url in mira.seen.requests if not url.startswith(address)] == []
    assert mira.seen.complaints == []


def test_a_teacher_is_shut_out_of_no_page(driven: Any, address: str) -> None:
    sen = Reader(driven, address)
    sen.opens("/login")
    sen.tab.fill("#name", "sen")
    sen.tab.fill("#password", WORDS)
    sen.tab.click("main button")
    sen.opens("/classes")
    sen.looks()
    sen.tab.fill("#name", "Counselling")
    sen.tab.fill("#contact", "Dr Sen, room 12")
    sen.tab.click("button:has-text('Make the class')")
    sen.tab.click("button:has-text('Set it')")
    sen.looks()
    sen.opens("/admin")
    sen.looks()
    assert [url for url in sen.seen.requests if not url.startswith(address)] == []


class Keys:
    """Somebody without a mouse: Tab to a thing by its name, then type, Space or Enter."""

    def __init__(self, driven: Any, address: str, width: int) -> None:
        self.tab = driven.new_context(viewport={"width": width, "height": 900}).new_page()
        self.tab.goto(address)

    def to(self, name: str) -> None:
        """Tab until the thing of that name has the focus, and see that this can be seen."""
        for _ in range(120):
            self.tab.keyboard.press("Tab")
            told, outlined = self.tab.evaluate(_FOCUSED)
            if name in told:
                assert outlined, f"nothing shows that {name!r} has the focus at {self.tab.url}"
                return
        raise AssertionError(f"{name!r} cannot be reached by Tab at {self.tab.url}")

    def types(self, name: str, text: str) -> None:
        self.to(name)
        self.tab.keyboard.type(text)

    def goes(self, name: str) -> None:
        self.to(name)
        self.enters()

    def enters(self) -> None:
        with self.tab.expect_navigation():
            self.tab.keyboard.press("Enter")


_FOCUSED = """() => {
  const one = document.activeElement, style = getComputedStyle(one);
  const label = one.labels && one.labels.length ? one.labels[0].innerText : '';
  const outlined = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none';
  return [[label, one.innerText || '', one.getAttribute('aria-label') || '', one.id || ''].join(' '), outlined];
}"""


@pytest.mark.parametrize("width", WIDTHS)
def test_a_trainee_gets_through_an_exercise_by_keyboard_alone(driven: Any, address: str, width: int) -> None:
    ida = Keys(driven, address + "/account/new", width)
    ida.types("name", f"ida {width}")
    ida.types("password", WORDS)
    ida.enters()
    for choice in ("teaching", "research"):
        ida.tab.keyboard.press("Tab")
        while ida.tab.evaluate("document.activeElement.name") != choice:
            ida.tab.keyboard.press("Tab")
        ida.tab.keyboard.press("Space")
    ida.enters()
    ida.tab.goto(address + "/cases/gethin")
    ida.goes("Begin")
    ida.tab.wait_for_selector("#said")
    assert ida.tab.evaluate("document.activeElement.id") == "said"
    ida.tab.keyboard.type("What happened that morning?")
    ida.tab.keyboard.press("Control+Enter")
    ida.tab.locator(".said.you", has_text="What happened that morning?").wait_for()
    ida.goes("End the session")
    ida.tab.wait_for_selector("#core_beliefs")
    ida.types("core_beliefs", "I am no use")
    ida.goes("Hand it in")
    ida.tab.get_by_text("Reference").first.wait_for()
    ida.goes("What each turn did")
    assert "What happened that morning?" in ida.tab.inner_text("main")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_teacher_keeps_a_class_by_keyboard_alone(driven: Any, address: str, width: int) -> None:
    ora = Keys(driven, address + "/login", width)
    ora.types("name", "sen")
    ora.types("password", WORDS)
    ora.enters()
    ora.goes("Teach")
    ora.types("name", f"Class {width}")
    ora.types("contact", "Dr Sen, room 12")
    ora.enters()
    where, code = ora.tab.url, ora.tab.inner_text(".code")
    ora.to("case")
    ora.tab.keyboard.press("ArrowDown")
    ora.goes("Set it")
    assert "15 turns" in ora.tab.inner_text("main")
    ora.to("Show the oracle")
    ora.tab.keyboard.press("Space")
    ora.goes("Keep")
    assert ora.tab.is_checked("[name=shows_oracle]")
    ora.to("file")
    ora.tab.set_input_files("#file", CASES / "gethin.yaml")  # the dialog itself is the system's and no part of the page
    ora.tab.keyboard.press("Tab")  # the field is labelled with the button's word, too
    assert ora.tab.evaluate("document.activeElement.tagName") == "BUTTON"
    ora.enters()
    assert ora.tab.locator("form:has(#file) p").first.inner_text() != ""

    trainee = Reader(driven, address)
    trainee.signs_up(f"ewa {width}", code)
    trainee.opens("/account")
    trainee.tab.check("input[name=may_read]")
    trainee.tab.click("form[action^='/account/leave'] button")
    trainee.opens("/cases/gethin")
    trainee.tab.click("main button")
    trainee.says("What happened that morning?")
    talk = trainee.tab.url

    ora.tab.goto(where)
    ora.to("CSV")
    with ora.tab.expect_download():
        ora.tab.keyboard.press("Enter")
    ora.tab.goto(where)
    ora.to("Who practised")  # the table scrolls by keyboard, and its text holds the day, too
    ora.goes(datetime.now(UTC).strftime("%d %b"))
    ora.types("Comment on turn 1", "A good beginning")
    ora.goes("Write it")
    assert "A good beginning" in ora.tab.inner_text("main")
    ora.tab.goto(where)
    ora.goes(f"Remove ewa {width} from the class")
    assert f"ewa {width}" not in ora.tab.inner_text("main")
    ora.to("Delete the class")
    ora.tab.keyboard.press("Enter")
    ora.goes("Delete it")
    assert f"Class {width}" not in ora.tab.inner_text("main")
    ora.goes("Admin")
    ora.goes(f"Make ewa {width} teacher")
    ora.goes(f"Delete everything of ewa {width}")
    assert f"ewa {width}" not in ora.tab.locator("[aria-label=Accounts]").inner_text()
    trainee.tab.goto(talk.partition("#")[0])  # to where one stands, with a fragment, a browser only scrolls
    assert trainee.tab.url == f"{address}/login"


@pytest.mark.parametrize("width", WIDTHS)
def test_a_stranger_sees_the_door_and_nothing_behind_it(driven: Any, address: str, width: int) -> None:
    eve = Reader(driven, address)
    eve.tab.set_viewport_size({"width": width, "height": 900})
    for where in (
        "/cases",
        "/classes",
        "/admin",
        "/talks/1",
        "/talks/1/feedback",
        "/growth",
        "/account",
        "/classes/1/export/csv",
    ):
        eve.opens(where)
        assert eve.tab.url == f"{address}/login", where
        assert eve.seen.overflow() <= 0, where
    eve.tab.fill("#name", "sen")
    eve.tab.fill("#password", "not the one it is")
    eve.tab.click("main button")
    assert eve.tab.get_by_role("alert").count() == 1
    assert eve.seen.violations() == []
    assert [url for url in eve.seen.requests if not url.startswith(address)] == []


def test_the_whole_way_works_without_a_script(driven: Any, address: str) -> None:
    noah = Reader(driven, address, script=False)
    noah.signs_up("noah")
    noah.opens("/cases/nilani")
    noah.tab.click("main button")
    noah.says("What happened?")
    noah.tab.click("a:has-text('Stuck?')")
    assert noah.tab.locator("#stuck li").count() == 3
    noah.tab.click("button:has-text('End the session')")
    noah.tab.fill("#situations", "Something")
    noah.tab.click("button:has-text('Hand it in')")
    assert "Reference" in noah.tab.inner_text("main")


def test_the_first_page_is_small(driven: Any, address: str) -> None:
    page = driven.new_context().new_page()
    sizes: list[int] = []
    page.on("response", lambda answer: sizes.append(len(answer.body())))
    page.goto(address, wait_until="networkidle")
    assert len(sizes) >= 4
    assert sum(sizes) <= 150_000


def test_the_first_page_can_be_used_within_a_second(driven: Any, address: str) -> None:
    """From an empty cache to a name typed at the door, the second of three visits by length."""
    taken: list[float] = []
    for _ in range(3):
        page = driven.new_context().new_page()
        started = time.perf_counter()
        page.goto(f"{address}/login", wait_until="commit")
        page.fill("#name", "mira")
        taken.append(time.perf_counter() - started)
        assert page.input_value("#name") == "mira"
    assert sorted(taken)[1] <= 1.0, taken

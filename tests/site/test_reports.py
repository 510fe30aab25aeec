"""The self-contained pages of evaluate, compare, leaderboard, score, gap, validate: axe-core finds nothing, and nothing is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from browser import browser, opened
from maieutic.cli.main import app

pytestmark = pytest.mark.slow
WIDTHS = (390, 1280)

_TALK = "session,speaker,text\n" + "1,therapist,What happened?\n1,client,I froze. I am no use to anybody.\n" * 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("reports")
    (place / "talk.csv").write_text(_TALK)
    arms = [word for arm in ("eliza", "advice", "worksheet", "no_session") for word in ("--therapist", arm)]
    cases = [word for case in ("gethin", "nilani", "hester") for word in ("--cases", case)]
    for words in (
        ["evaluate", *arms, *cases, "--seeds", "1", "--turns", "6", "--out", str(place / "run")],
        ["compare", str(place / "run"), "--arm", "eliza", "--arm", "worksheet", "--out", str(place / "compare")],
        ["leaderboard", str(place / "run"), "--out", str(place / "board")],
        ["score", str(place / "talk.csv"), "--out", str(place / "score")],
        ["evidence", "--out", str(place / "map")],
        ["gap", "--therapist", "eliza", "--therapist", "advice", "--quick", "--out", str(place / "gap")],
        ["validate", "retest", "--quick", "--family", "asks_first", "--out", str(place / "retest")],
    ):
        done = CliRunner().invoke(app, words)
        # A bound that so small a validation does not keep ends with 1.
        assert done.exit_code == 0 or (done.exit_code, words[0]) == (1, "validate"), done.output
    return place


@pytest.fixture(scope="module")
def driven() -> Iterator[Any]:
    with browser() as found:
        yield found


@pytest.mark.parametrize(
    "page",
    [
        "run/report.html",
        "compare/compare.html",
        "board/leaderboard.html",
        "score/report.html",
        "score/summary.html",
        "map/evidence.html",
        "gap/report.html",
        "retest/report.html",
    ],
)
def test_a_report_is_readable_by_all(folder: Path, driven: Any, page: str) -> None:
    with opened(driven, folder / page, WIDTHS[0]) as seen:
        for width in WIDTHS:
            seen.at(width)
            assert seen.violations() == [], width
            assert seen.foreign() == []
            assert seen.overflow() <= 0, width
            assert seen.complaints == []


def test_a_page_that_shuts_people_out_is_found(driven: Any, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<html><body><img src='x.png'><input></body></html>")
    with opened(driven, tmp_path / "page.html", 390) as seen:
        found = " ".join(seen.violations())
    assert "image-alt" in found
    assert "label" in found

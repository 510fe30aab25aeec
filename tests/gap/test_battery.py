"""The whole battery: its families in order, its budget, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from rich.console import Console

from command_line import maieutic
from maieutic.errors import InputError, UnknownName
from maieutic.gap.battery import ORDER, Request, families, profile, run, work_of
from maieutic.gap.family import QUICK, STANDARD, Profile, Value
from maieutic.gap.page import power, print_profile
from maieutic.gap.run import Ticker
from maieutic.registry import load_therapist
from styles import Styled

BUDGET = 4_000
FURTHER = 120
"""Replies that are asked for only where an interval is too wide."""


def test_all_families_keep_to_the_budget_together() -> None:
    work = work_of(Request(("socratic",), (), STANDARD))
    assert tuple(work.units) == ORDER == tuple(family.id for family in families())
    assert work.total <= BUDGET + FURTHER
    assert work.at_once.total <= BUDGET
    seen = dict.fromkeys(work.units, ())
    assert work.wanted(seen) == work.at_once, "what was not seen has no spread, so nothing follows"
    assert all(units for units in work.units.values())


def test_what_is_not_wanted_counts_no_longer_towards_the_end() -> None:
    told: list[tuple[int, int, str]] = []
    tick = Ticker(lambda *one: told.append(one), 9, "mine", 0)
    tick()
    tick.at_most(2)
    tick()
    assert told == [(0, 9, "mine"), (1, 9, "mine"), (2, 2, "mine")]


def test_an_unknown_family_and_a_privileged_therapist_are_refused(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UnknownName, match="safety"):
        families(["safty"])
    with pytest.raises(InputError, match="could be served"):
        run(Request(("oracle",), ("lost",), QUICK), tmp_path / "run", resume=False, watch=lambda *_: None)
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
async def test_a_therapist_has_the_same_profile_in_every_style() -> None:
    chosen = families(("asks_first", "presuppositions", "reads_into", "push_support"))
    bare = await profile(load_therapist("clause_question"), chosen, QUICK)
    for style in ("markdown", "html", "think", "list"):
        dressed = await profile(Styled(load_therapist("clause_question"), style), chosen, QUICK)
        assert [(p.flagged, p.headline.value) for p in dressed] == [(p.flagged, p.headline.value) for p in bare], style


def test_a_battery_tells_what_was_made_plain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        'from maieutic.domain.episode import Turn\n\n\nclass Bot:\n    name = "bot"\n\n    async def respond(self, session):\n'
        '        return Turn("therapist", "**What happened?**")\n',
        encoding="utf-8",
    )
    request = Request((f"{bot}:Bot",), ("presuppositions",), QUICK)
    (result,) = run(request, tmp_path / "run", resume=False, watch=lambda *_: None)
    count = result.cleaned["Markdown"]
    assert result.cleaned == {"Markdown": count} and count > 5
    print_profile(result, families(request.families), Console(width=200))
    assert f"Made plain before it was read: Markdown in {count} replies and answers." in capsys.readouterr().out
    assert f"Markdown in {count} replies and answers" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    (kept,) = orjson.loads((tmp_path / "run" / "profiles.json").read_bytes())
    assert kept["cleaned"] == {"Markdown": count}
    (again,) = run(request, tmp_path / "run", resume=True, watch=lambda *_: None)
    assert again.cleaned == result.cleaned and again.calls == 0


def test_a_stopped_battery_shows_what_is_there_and_a_clean_verdict_says_on_how_many_items_it_rests(
    tmp_path: Path,
) -> None:
    words = ["gap", "--therapist", "eliza", "--quick", "--family", "asks_first", "--out", "run"]
    stopped = maieutic(*words, "--max-calls", "9", cwd=tmp_path)
    assert stopped.returncode == 130, stopped.stderr
    told = maieutic("report", "run", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "Gap profile of eliza (quick run" in told.stdout
    assert "This run is not finished: 9 of " in told.stderr and "maieutic gap --resume run" in told.stderr
    assert "This run is not finished: 9 of " in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert not (tmp_path / "run" / "scores.json").exists(), "a gate must not take it for a whole run"
    done = maieutic("gap", "--resume", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    scores = orjson.loads((tmp_path / "run" / "scores.json").read_bytes())
    again = maieutic("report", "run", cwd=tmp_path)
    assert again.returncode == 0 and "not finished" not in again.stderr
    assert orjson.loads((tmp_path / "run" / "scores.json").read_bytes()) == scores
    assert " n " in again.stdout.splitlines()[1]


def test_a_clean_verdict_on_few_items_says_what_it_could_not_have_seen() -> None:
    few = Value("x", "x", "share", 0.0, 0.0, 0.1, n=8, limit=0.5, worse="high")
    assert power(Profile("f", (few,))) == "clean on 8 items: a failure rarer than once in 8 can be missed"
    assert power(Profile("f", (replace(few, n=60),))) == ""

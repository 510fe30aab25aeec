"""The page and the data of the evidence: every figure shown as it is, what is missing said, nothing fetched or run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from maieutic.errors import UnknownName
from maieutic.library import case_ids, get_case
from maieutic.runs.findings import Finding, broken, mark, show
from maieutic.runs.findings import render as rendered
from maieutic.runs.findings import write as written
from maieutic.stats import Interval
from maieutic.validation import patients, reading, sensitivity, sessions
from maieutic.validation.arms import ARMS, table
from maieutic.validation.arms import judged as arms_judged
from maieutic.validation.patients import (
    CHECKS,
    EXTENTS,
    Evidence,
    Plan,
    SamplePlan,
    gather,
    make_plan,
    spread,
)
from maieutic.validation.patients import page as page_of
from maieutic.validation.sensitivity import Shift
from maieutic.validation.sessions import Row, Task
from rows import make_row, near, rows_with

HELD = Finding("arms", "warm <b>bold</b>", Interval(1.25, 0.5, 2.0, 8), "points", "≤ 3", True)
BROKEN = Finding("leaks", "sessions with a leak", Interval(0.1234, 0.05, 0.2, 8), "share", "0", False, "three sessions")
OPEN = Finding("flip", "could not be had", None, "share", "0", None, "nobody was resistant")
PLAIN = Finding(
    "reality check", "gain of one over other", Interval(-0.0123, -0.02, 0.01, 8), "nats", note="not supported"
)


def render(found: Evidence) -> str:
    return rendered(page_of(found))


ROWS = rows_with({"no_session": 0.0, "oracle": 30.0, "warm": 0.0, "advice": -4.0})


def evidence(*findings: Finding, rows: Sequence[Row] = ROWS) -> Evidence:
    return Evidence(
        size="quick",
        cases=8,
        sessions=64,
        lines=tuple(table(rows)),
        accurate=(),
        risk=tuple(table([make_row("oracle", group="risk")], group="risk")),
        findings=findings or (HELD, BROKEN, OPEN, PLAIN),
        survives=(
            ("warmth leaves it alone", "standard", True, Interval(0.1, -1.0, 1.0, 8)),
            ("warmth leaves it alone", "any contact", False, Interval(5.0, 4.0, 6.0, 8)),
            ("the oracle is best", "standard", None, Interval(9.0, None, None, 1)),
        ),
        shifts=(Shift("noise × 0.5", {"oracle": Interval(31.0, 29.0, 33.0, 8)}, (("oracle", "wide"),)),),
        curves={arm: (80.0, 75.0) if arm in ("oracle", "no_session") else () for arm in ARMS},
    )


@pytest.fixture(scope="module")
def page() -> str:
    return render(evidence())


def words(page: str) -> str:
    """The words of the page without charts, styles and tags."""
    bare = re.sub(r"<(svg|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", bare).split())


def test_the_answer_counts_what_holds_what_is_broken_and_what_could_not_be_judged(page: str) -> None:
    text = words(page)
    assert "1 bound holds, 1 broken , 1 could not be judged" in text
    assert "64 sessions with 8 cases (quick run)" in text
    assert "broken leaks, sessions with a leak: 0.123 [0.050, 0.200] share, asked 0 three sessions" in text
    good = words(render(evidence(HELD)))
    assert "1 bound holds. 64 sessions" in good


def test_every_figure_stands_with_its_interval_and_its_verdict(page: str) -> None:
    text = words(page)
    assert "1.2 [0.5, 2.0] points ≤ 3 holds" in text
    assert "0.123 [0.050, 0.200] share 0 broken" in text
    assert "missing 0 not judged" in text
    assert "not supported -0.012 [-0.020, 0.010] nats" in text
    assert "30.0 [30.0, 30.0]" in text  # the oracle's line of the table
    assert "warmth leaves it alone survives 0.10 [-1.00, 1.00] falls 5.00 [4.00, 6.00]" in text
    assert "the oracle is best not judged 9.00 –" in text
    assert "noise × 0.5 31.00 [29.00, 33.00] oracle/wide" in text
    assert "Cases with risk" in text
    assert "Accurate thoughts" not in text  # none were played


def test_the_page_says_what_it_does_not_show(page: str) -> None:
    text = words(page)
    assert "What this does not show." in text
    assert "Conviction dynamics are not validated on humans" in text
    assert "it treats nobody" in text


def test_the_page_runs_nothing_and_fetches_nothing(page: str) -> None:
    assert "<script" not in page.lower()
    assert not re.search(r"\bon[a-z]+=", re.sub(r">[^<]*<", "><", page))
    assert {h[:1] for h in re.findall(r'(?<!xlink:)href="([^"]*)"', page)} <= {"#", "d"}
    assert "src=" not in page
    assert not re.findall(r"url\((?!#)|@import", page)
    assert set(re.findall(r"https?://[^\"' <]+", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    targets = set(re.findall(r'href="#([^"]+)"', page))
    assert targets <= set(re.findall(r'\bid="([^"]+)"', page))


def test_titles_are_text_and_never_markup(page: str) -> None:
    assert "warm &lt;b&gt;bold&lt;/b&gt;" in page
    assert "<b>bold" not in page


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Interval(1.234, 0.951, 1.515, 5), "1.23 [0.95, 1.51]"),
        (Interval(1.234, None, None, 1), "1.23"),
        (Interval(None, 60.0, 95.0, 5), "[60.00, 95.00]"),
        (Interval(0.0, 0.0, 0.0, 5), "0.00 [0.00, 0.00]"),
        (Interval(None, None, None, 0), "missing"),
        (None, "missing"),
    ],
)
def test_what_is_missing_is_said_and_never_a_zero(value: Interval | None, shown: str) -> None:
    assert show(value) == shown


def test_a_verdict_is_a_word() -> None:
    assert [mark(holds) for holds in (True, False, None)] == ["holds", "broken", "not judged"]


def test_the_files_are_written_and_the_data_are_the_findings(tmp_path: Path, page: str) -> None:
    folder = tmp_path / "new" / "folder"
    written(page_of(evidence()), folder)
    assert (folder / "report.html").read_text(encoding="utf-8") == page
    found = json.loads((folder / "findings.json").read_text(encoding="utf-8"))
    assert len(found["findings"]) == 4
    assert (found["size"], found["cases"], found["sessions"]) == ("quick", 8, 64)
    assert found["findings"][2] == {
        "check": "flip", "title": "could not be had", "value": None, "unit": "share", "asked": "0", "holds": None,
        "note": "nobody was resistant", "whole": None, "beside": {},
    }  # fmt: skip
    assert found["survives"][1] == {
        "conclusion": "warmth leaves it alone", "world": "any contact", "survives": False, "low": 4.0, "estimate": 5.0,
        "high": 6.0,
    }  # fmt: skip


def test_plans_hold_what_their_size_says() -> None:
    for size in ("quick", "default"):
        plan, extent = make_plan(size), EXTENTS[size]
        assert [t.case for t in plan.arms] == [name for name in case_ids("dev") if get_case(name).memory is not None]
        assert all(t.arms == tuple(ARMS) and len(t.seeds) == extent.seeds and t.keep_words for t in plan.arms)
        assert {(t.case, t.arms) for t in plan.again} <= {(t.case, t.arms) for t in plan.arms}
        assert all(get_case(t.case).special is None for t in (*plan.shifted, *plan.others, *plan.styles))
        assert plan.shifted[0].world == sessions.SimulatorConfig()
        assert len({t.style for t in plan.styles}) == 6
        assert plan.sessions == sum(t.sessions for t in plan.tasks)
    assert {t.case for t in make_plan("quick", "starter").arms} == set(case_ids("starter"))
    with pytest.raises(UnknownName, match="Did you mean 'test'"):
        make_plan("quick", "tset")


def test_cases_are_spread_over_the_list() -> None:
    names = [str(n) for n in range(10)]
    assert spread(names, 3) == ["0", "3", "6"]
    assert spread(names, 10) == spread(names, 99) == names


TINY = SamplePlan("dev", 1, 1, 1, ("plasticity",), 1, 1, 2, 1, 1)
FEW = ("gethin", "joel-salonga")


@pytest.fixture(scope="module")
def gathered() -> Evidence:
    """A whole run on two cases and few turns, in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(EXTENTS, "quick", TINY)
        patch.setattr(patients, "case_ids", lambda split: FEW)
        patch.setattr(patients, "play", partial(sessions.play, workers=1))
        patch.setattr(reading, "held_out", list)
        plan = make_plan("quick")
        short = Plan(*([replace(task, turns=3) for task in part] for part in _parts(plan)))  # type: ignore[arg-type]
        told: list[int] = []
        found = gather("quick", tick=told.append, plan=short)
        assert sum(told) == found.sessions == plan.sessions
        return found


def _parts(plan: Plan) -> tuple[tuple[Task, ...], ...]:
    return plan.arms, plan.again, plan.shifted, plan.others, plan.styles


@pytest.mark.slow
def test_a_run_gathers_every_check_and_every_check_has_its_place_on_the_page(gathered: Evidence) -> None:
    assert {f.check for f in gathered.findings} == set(CHECKS)
    assert [line.arm for line in gathered.lines] == list(ARMS)
    assert gathered.cases == 2
    assert {arm: len(values) for arm, values in gathered.curves.items()} == dict.fromkeys(ARMS, 4)
    assert len({round(values[0], 6) for values in gathered.curves.values()}) == 1  # all arms begin with the same minds
    assert [s.world for s in gathered.shifts] == ["plasticity × 0.5", "plasticity × 1.5"]
    assert {world for _, world, _, _ in gathered.survives} == {
        "standard",
        *(w.name for w in sensitivity.other_worlds()),
    }
    text = words(render(gathered))
    assert all(heading in text for heading, _ in CHECKS.values())


@pytest.mark.slow
def test_each_part_of_a_run_is_judged_on_its_own_sessions(gathered: Evidence) -> None:
    def first(check: str) -> Finding:
        return next(f for f in gathered.findings if f.check == check)

    assert first("repeatability").holds is True
    assert first("repeatability").value == Interval(1.0, near(0.8, 0.1), 1.0, len(ARMS))
    assert first("leaks").value is not None
    assert first("voices").note == "not played; give --voice MODEL"
    assert first("reality check").note.startswith("not run; give --data")
    assert first("comprehension").holds is None
    dose = [f for f in gathered.findings if f.check == "dose"]
    assert dose[0].value is not None
    assert dose[0].value.n == 2
    order = first("sensitivity").value
    assert order is not None
    assert order.n == 2


def test_curves_hold_where_a_patient_left() -> None:
    rows = [make_row("oracle", "a", held=(80.0, 70.0)), make_row("oracle", "b", held=(80.0, 78.0, 76.0))]
    other = make_row("oracle", "c", held=(0.0,) * 9, group="risk")
    curves: Callable[[Sequence[Row]], dict[str, tuple[float, ...]]] = patients._curves
    assert curves([*rows, other])["oracle"] == (80.0, 74.0, 73.0)
    assert curves(rows)["warm"] == ()


def test_what_is_broken_among_the_arms_reaches_the_page() -> None:
    rows = rows_with({"no_session": 0.0, "oracle": 30.0, "warm": 9.0, "eliza": 0.0})
    found = arms_judged(rows)
    assert "warm: fall beyond no session" in {f.title for f in broken(found)}
    assert "broken arms, warm: fall beyond no session: 9.0 [9.0, 9.0] points, asked ≤ 3" in words(
        render(evidence(*found, rows=rows))
    )

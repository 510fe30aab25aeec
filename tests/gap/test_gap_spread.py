"""The battery on two processes: the same profile, one cap, and no session played twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from maieutic.errors import BudgetReached
from maieutic.gap.battery import Request, run, work_of
from maieutic.gap.family import QUICK, Observation
from maieutic.gap.spread import in_order, on_workers, orders_of
from maieutic.runs.work import WorkersSpec

REQUEST = Request(("mine=eliza",), ("single_vs_session", "safety"), QUICK)
FILES = ("profiles.json", "scores.json", "report.html", "manifest.json")


def test_units_that_read_one_session_are_one_order_and_every_unit_is_in_one() -> None:
    work = work_of(Request(("eliza",), (), QUICK))
    orders = [order for group in orders_of(work) for order in group]
    names = [name for order in orders for name in order.units]
    assert sorted(names) == sorted((family, unit.key) for family, units in work.units.items() for unit in units)
    units = {(family, unit.key): unit for family, mine in work.units.items() for unit in mine}
    cases = [{spec.case for name in order.units for spec in units[name].specs} for order in orders]
    played = [case for mine in cases for case in mine]
    assert len(played) == len(set(played)) > 0


def test_a_unit_that_never_came_back_stops_the_run() -> None:
    work = work_of(Request(("eliza",), ("single_vs_session",), QUICK)).at_once
    found = {(name, unit.key): Observation(unit.key, {}) for name, units in work.units.items() for unit in units}
    assert [one.key for one in in_order(work, found)["single_vs_session"]] == [key for _, key in found]
    with pytest.raises(KeyError):
        in_order(work, dict([*found.items()][1:]))


@pytest.mark.slow
@pytest.mark.timeout(280)
def test_two_processes_find_the_profile_of_one_within_one_cap(tmp_path: Path) -> None:
    def watch(done: int, total: int, name: str) -> None:
        told.append(done)

    told: list[int] = []
    spread = on_workers(WorkersSpec(count=2), lambda line: None)
    run(REQUEST, tmp_path / "one", resume=False, watch=lambda *_: None)
    capped = Request(REQUEST.therapists, REQUEST.families, QUICK, most_calls=20)
    with pytest.raises(BudgetReached, match="--max-calls 20 is used up"):
        run(capped, tmp_path / "two", resume=False, watch=watch, spread=spread)
    kept = sum(path.read_bytes().count(b"\n") for path in (tmp_path / "two" / "journal").glob("*.jsonl"))
    assert 20 - 8 <= kept <= 20
    run(REQUEST, tmp_path / "two", resume=True, watch=watch, spread=spread)
    assert all((tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes() for name in FILES)
    assert told

"""When a family is flagged, near its limit or not told, how many items would decide, and which failure is the principal one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import reference_spread
from maieutic.gap import battery, deciding
from maieutic.gap.deciding import decided, leading
from maieutic.gap.family import MIN_ITEMS, STANDARD, Profile, Value
from maieutic.gap.known_groups import tasks
from maieutic.gap.page import answer
from maieutic.gap.run import Result

VALUE = Value("x", "X", "share", 0.6, 0.5, 0.7, 40, limit=0.33, worse="high")


def family(name: str, value: float, low: float, high: float, *, id: str = "x", n: int = 60) -> Profile:
    return Profile(name, (Value(id, id, "share", value, low, high, n, limit=0.33, worse="high"),))


@pytest.mark.parametrize(
    ("low", "high", "n", "verdict"),
    [
        (0.40, 0.80, 40, "flagged"),
        (0.34, 0.80, 40, "flagged"),
        (0.30, 0.80, 40, "near the limit"),
        (0.10, 0.33, 40, "clean"),
        (0.40, 0.80, MIN_ITEMS - 1, "not told"),
        (None, None, 40, "not told"),
    ],
)
def test_only_a_whole_interval_beyond_the_limit_flags(
    low: float | None, high: float | None, n: int, verdict: str
) -> None:
    found = Profile("f", (replace(VALUE, low=low, high=high, n=n),))
    assert found.verdict == verdict
    assert found.flagged is {"flagged": True, "not told": None}.get(verdict, False)


def test_the_lower_side_is_read_the_other_way_round() -> None:
    low = Value("x", "X", "share", 0.2, 0.1, 0.3, 40, limit=0.5, worse="low")
    assert Profile("f", (low,)).verdict == "flagged"
    assert Profile("f", (replace(low, high=0.6),)).verdict == "near the limit"
    assert Profile("f", (replace(low, value=0.8, low=0.6, high=0.9),)).verdict == "clean"


def test_a_second_figure_flags_and_one_on_its_limit_keeps_a_family_from_being_clean() -> None:
    clean = replace(VALUE, value=0.1, low=0.05, high=0.2)
    second = replace(VALUE, id="y")
    both = Profile("f", (clean, second), deciding=("x", "y"))
    assert both.verdict == "flagged" and both.flagging is second
    assert replace(both, deciding=("x",)).verdict == "clean"
    assert replace(both, values=(clean, replace(second, low=0.2))).verdict == "near the limit"


def test_the_items_that_would_decide_fall_with_the_square_of_the_distance() -> None:
    near = replace(VALUE, value=0.43, low=0.28, high=0.58)
    far = replace(near, value=0.38, low=0.23, high=0.53)
    assert near.needed is not None and far.needed is not None and near.needed > near.n
    assert far.needed == pytest.approx(4 * near.needed, rel=0.02)
    assert replace(near, value=0.33, low=0.18, high=0.48).needed is None
    assert VALUE.needed is None and replace(VALUE, n=3).needed == MIN_ITEMS


def test_few_items_widen_an_interval_and_unanimous_ones_get_wilsons() -> None:
    few = decided(Profile("f", (replace(VALUE, n=6),))).headline
    many = decided(Profile("f", (replace(VALUE, n=600),))).headline
    assert few.low is not None and many.low is not None
    assert few.low < 0.46 and many.low == pytest.approx(0.5, abs=0.001)
    none = decided(Profile("f", (replace(VALUE, value=0.0, low=0.0, high=0.0, n=10),))).headline
    assert none.low == 0.0 and none.high == pytest.approx(0.278, abs=0.001)
    alike = decided(Profile("f", (replace(VALUE, value=1 / 3, low=1 / 3, high=1 / 3, n=6),))).headline
    assert alike.low == pytest.approx(0.097, abs=0.001) and alike.high == pytest.approx(0.700, abs=0.001)
    wide = decided(Profile("f", (replace(VALUE, value=-0.5, low=-0.5, high=-0.5, n=6, span=(-1.0, 1.0)),))).headline
    assert wide.low == wide.high == -0.5


def test_the_principal_failure_is_named_only_where_it_is_told_apart() -> None:
    grave = family("presuppositions", 0.95, 0.85, 1.0, id="accommodates")
    mild = family("asks_first", 0.45, 0.36, 0.54, id="premature")
    found = leading([mild, grave])
    assert found.first is grave and found.tied == () and found.distances["presuppositions"] > 1
    two = (family("asks_first", 0.95, 0.85, 1.0, id="premature"), family("lost", 0.9, 0.75, 1.0, id="premature"))
    alike = leading(two)
    assert alike.first is None and len(alike.tied) == 2
    assert "Chance of lying furthest beyond its limit: " in answer(Result("x", two, {}, 1, "standard"))
    assert sum(chance for _, chance in alike.chances) == pytest.approx(1.0)
    assert leading([family("lost", 0.4, 0.2, 0.6)]).chances == ()


def test_what_nearly_every_failure_moves_is_never_principal() -> None:
    outcome = family("relationship", 4.73, 4.46, 4.8, id="bond_share")
    beside = family("asks_first", 0.5, 0.4, 0.6, id="premature")
    grave = family("presuppositions", 0.95, 0.85, 1.0, id="yields")
    hidden = leading([outcome, beside])
    assert hidden.first is None and hidden.general == (outcome,) and hidden.tied == ()
    assert "furthest beyond its limit lies relationship" in answer(Result("x", (outcome, beside), {}, 1, "standard"))
    assert leading([family("relationship", 1.45, 0.78, 2.12, id="bond_share", n=60), grave]).first is grave
    assert leading([outcome]).first is None and leading([outcome]).general == (outcome,)
    assert "Flagged is relationship alone" in answer(Result("x", (outcome,), {}, 1, "standard"))


def test_every_figure_that_can_flag_is_measured_on_nearly_all_reference_therapists() -> None:
    kept = Path(deciding.__file__).with_name("reference_spread.json").read_text(encoding="utf-8")
    stored = json.loads(kept)["spread"]
    unseen = [one.profile((), STANDARD) for one in battery.families(())]
    limited = {f"{one.family}.{value.id}" for one in unseen for value in one.values if value.limit is not None}
    decide = {f"{one.family}.{value.id}" for one in unseen for value in one.decisive}
    assert len(decide) >= len(unseen) == 11
    assert (
        decide | {"lost.ratio", "lost.premature"} <= stored.keys() <= limited
    )  # which one decides hangs on its answers
    for name, (spread, therapists) in stored.items():
        assert therapists >= 20 and spread > 0.01, name


def test_the_recipe_of_the_spread_takes_a_task_of_the_known_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    async def told(*_: object) -> tuple[Profile, ...]:
        return (Profile("asks_first", (VALUE, replace(VALUE, id="y", limit=None))),)

    monkeypatch.setattr(reference_spread.battery, "profile", told)
    task = tasks(quick=True, families=("asks_first",))[1]
    (row,) = reference_spread.rows_of(task)
    assert (row.failure, 1.0, row.implementation) == task.made_of and [one["id"] for one in row.values] == ["x"]
    assert row.profile.verdict == "flagged"


def test_two_that_nearly_every_failure_moves_share_the_lead() -> None:
    outcome = family("relationship", 3.28, 3.26, 3.30, id="bond_share")
    knows = family("knows_vs_does", 0.99, 0.987, 0.993, id="gap")
    beside = family("asks_first", 0.4, 0.397, 0.403, id="premature")
    shared = leading([outcome, knows, beside])
    assert max(chance for _, chance in shared.chances) < 0.95
    assert shared.first is None and set(shared.general) == {outcome, knows} and shared.tied == ()
    said = answer(Result("x", (outcome, knows, beside), {}, 1, "standard"))
    assert "and that follows from nearly every failure. Beside it: asks first." in said and "%" not in said
    alone = answer(Result("x", (outcome, knows), {}, 1, "standard"))
    assert alone.endswith("and that follows from nearly every failure.")

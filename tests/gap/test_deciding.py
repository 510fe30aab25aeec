"""When a family is flagged, near its limit or not told, how many items would decide, and which failure is the principal one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from maieutic.gap import battery, deciding
from maieutic.gap.deciding import decided, leading
from maieutic.gap.family import MIN_ITEMS, STANDARD, Profile, Value
from maieutic.gap.page import answer
from maieutic.gap.request import Result

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


BUILT = (
    ("presuppositions", {"presuppositions": 2.0, "asks_first": 0.5, "lost": -0.5, "safety": -1.0}),
    ("asks_first", {"presuppositions": -0.5, "asks_first": 2.0, "lost": 0.5, "safety": -1.0}),
)


def four(along: float, early: float, error: float = 0.05) -> list[Profile]:
    """A profile of four families: going along and concluding early by so much, the others within their limits."""
    told = {"presuppositions": along, "asks_first": early, "lost": 0.2, "safety": 0.05}
    ids = {"presuppositions": "accommodates", "asks_first": "premature", "lost": "ratio", "safety": "critical"}
    return [family(name, v, v - 2 * error, v + 2 * error, id=ids[name]) for name, v in told.items()]


def test_the_principal_failure_is_the_one_that_was_built_into_the_most_alike() -> None:
    for along, early, name in ((0.95, 0.5, "presuppositions"), (0.45, 0.9, "asks_first")):
        found = leading(four(along, early), BUILT)
        assert found.first is not None and found.first.family == name and found.tied == ()
        assert sum(chance for _, chance in found.chances) == pytest.approx(1.0)
    alike = leading(four(0.6, 0.85, error=0.12), BUILT)
    assert alike.first is None and {p.family for p in alike.tied} == {"presuppositions", "asks_first"}


def test_a_profile_like_none_of_them_and_one_of_two_families_names_nothing() -> None:
    against = [(name, {family: -far for family, far in pattern.items()}) for name, pattern in BUILT]
    assert leading(four(0.95, 0.9), against).first is None
    two = four(0.95, 0.9)[:2]
    assert leading(two).first is None and len(leading(two).tied) == 2
    told = answer(Result("x", tuple(two), {}, 1, "standard"))
    assert "the principal one is not told" in told and "Most like a failure that was built into a therapist: " in told


def test_what_is_flagged_alone_is_the_principal_failure_and_what_is_not_flagged_is_none() -> None:
    alone = family("relationship", 0.99, 0.95, 1.0, id="bond_gain")
    assert leading([alone, family("lost", 0.4, 0.2, 0.6)]).first is alone
    assert leading([family("lost", 0.4, 0.2, 0.6)]).chances == ()
    near = [family("presuppositions", 0.6, 0.3, 0.9, id="accommodates"), *four(0.0, 0.9)[1:3]]
    near.append(family("safety", 0.5, 0.4, 0.6, id="critical"))
    only = (("presuppositions", {"presuppositions": 1.0, "asks_first": 2.0, "lost": -0.5, "safety": 1.0}),)
    found = leading(near, only)
    assert found.chances == ((near[0], 1.0),) and found.first is None, "near its limit, so not told"


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

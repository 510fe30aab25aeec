"""A bound holds when the whole interval keeps it; each bound on the arms can hold and can break."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from maieutic.registry import known, load_therapist
from maieutic.runs.findings import (
    Bound,
    Finding,
    above,
    at_least,
    at_most,
    bounded,
    bounded_by_share,
    broken,
    within,
)
from maieutic.stats import Interval
from maieutic.validation.arms import ARMS, RIVALS, SHARES, VARIANTS, effect, judged, share_of, table
from maieutic.validation.sessions import Row
from rows import CASES, make_row, near, rows_with

USUAL: dict[str, float] = {
    "no_session": 0.0, "eliza": 0.0, "flattery": 0.5, "reassurance": -1.0, "keywords": 0.0, "why": 0.0,
    "expressive": 0.0, "warm": 0.0, "leaflet": 3.0, "worksheet": 8.0, "wide": 6.0, "fishing": 7.0, "advice": -4.0, "lecture": -5.0,
    "didactic": 1.0, "socratic": 15.0, "oracle": 30.0,
}  # fmt: skip


def around(low: float | None, high: float | None) -> Interval:
    return Interval(1.0, low, high, 5)


@pytest.mark.parametrize(
    ("value", "most", "least", "inside"),
    [
        (around(2.0, 3.0), True, True, True),
        (around(2.0, 3.1), False, True, False),
        (around(1.9, 3.0), True, False, False),
        (around(0.0, 9.0), False, False, False),
        (around(None, None), None, None, None),
    ],
)
def test_the_whole_interval_must_keep_a_bound(
    value: Interval, most: bool | None, least: bool | None, inside: bool | None
) -> None:
    assert at_most(value, 3.0) is most
    assert at_least(value, 2.0) is least
    assert within(value, 2.0, 3.0) is inside


@pytest.mark.parametrize(("low", "clear"), [(2.1, True), (2.0, False), (None, None)])
def test_an_interval_that_touches_a_bound_is_not_above_it(low: float | None, clear: bool | None) -> None:
    assert above(around(low, 9.0), 2.0) is clear


@pytest.mark.parametrize(
    ("bound", "shown", "judged"),
    [
        (Bound("≥", 0.6), "≥ 0.6", (True, False, True)),
        (Bound("≤", 0.6), "≤ 0.6", (False, True, True)),
        (Bound("above", 0.6), "above 0.6", (True, False, False)),
    ],
)
def test_a_bound_is_judged_as_it_is_shown(bound: Bound, shown: str, judged: tuple[bool, ...]) -> None:
    for value, holds in zip(
        (Interval(0.7, 0.61, 0.8, 5), Interval(0.5, 0.4, 0.59, 5), around(0.6, 0.6)), judged, strict=True
    ):
        found = bounded("c", "t", value, "share", bound)
        assert (found.asked, found.holds) == (shown, holds)
    across = Interval(0.6, 0.5, 0.7, 5)
    assert bound.holds(across) is False and bound.holds(around(None, None)) is None
    share = bounded_by_share("c", "t", across, "share", bound)
    assert (share.asked, share.holds) == (f"{shown} (the share)", judged[2])
    assert bounded_by_share("c", "t", Interval(None, None, None, 0), "share", bound).holds is None


def test_a_figure_without_a_bound_only_describes() -> None:
    for judge in (bounded, bounded_by_share):
        found = judge("c", "t", around(1, 2), "points", None)
        assert (found.asked, found.holds) == ("", None)


def test_broken_are_those_that_do_not_hold_and_not_those_that_cannot_be_judged() -> None:
    lines = [Finding("c", str(holds), around(1, 2), "points", "≤ 1", holds) for holds in (True, False, None)]
    assert [f.title for f in broken(lines)] == ["False"]
    assert len({*lines}) == 3
    assert lines[0].as_json() == {
        "check": "c", "title": "True", "unit": "points", "asked": "≤ 1", "holds": True, "note": "",
        "value": {"estimate": 1.0, "low": 1, "high": 2, "n": 5}, "whole": None, "beside": {},
    }  # fmt: skip


def test_every_arm_without_a_model_is_in_the_table_and_can_be_loaded() -> None:
    alone = {name for name, make in known("therapist").items() if not getattr(make, "needs_model", False)}
    assert alone == {*ARMS, *RIVALS, *VARIANTS, "second_world_oracle"}  # the ceiling of another world
    assert all(load_therapist(name).name == name for name in alone)
    assert set(SHARES) == {name for name, kind in ARMS.items() if kind == "partial"}


def test_an_effect_is_paired_by_case_and_seed() -> None:
    wild = rows_with({"no_session": 0.0, "warm": 2.0}, spread=lambda case: 10.0 * case)
    assert effect(wild, "warm") == Interval(near(2.0), near(2.0), near(2.0), len(CASES))
    surplus = [*wild, make_row("warm", "case-without-a-partner", 0, fall=50.0)]
    assert effect(surplus, "warm").estimate == pytest.approx(2.0)
    assert effect(wild, "warm", base="warm").estimate == 0.0
    assert effect([r for r in wild if r.arm == "warm"], "warm") == Interval(None, None, None, 0)


def test_the_case_is_the_unit() -> None:
    rows = [make_row(arm, "case-0", seed, fall=1.0 * seed) for arm in ("warm", "no_session") for seed in range(9)]
    assert effect(rows, "warm") == Interval(0.0, None, None, 1)


def test_a_line_of_the_table_is_the_mean_of_its_group() -> None:
    rows = [
        make_row("no_session", "a"),
        make_row("warm", "a", fall=1.0, distress=(80.0, 50.0), openness=(0.2, 0.6), disclosed=4, facts=2, left=True),
        make_row("no_session", "b"),
        make_row("warm", "b", fall=3.0, warranted=90.0, distress=(80.0, 70.0), openness=(0.2, 0.4), disclosed=2),
        make_row("warm", "c", fall=60.0, group="risk"),
    ]
    nothing, warm = table(rows)
    assert (nothing.arm, nothing.kind, warm.arm, warm.kind) == ("no_session", "inert", "warm", "warm")
    assert warm.effect.estimate == 2.0
    assert warm.off_warranted.estimate == pytest.approx((39.0 + 13.0) / 2)  # 79 against 40, 77 against 90
    assert warm.relief.estimate == 20.0
    assert warm.opened.estimate == pytest.approx(0.3)
    assert (warm.disclosed.estimate, warm.facts.estimate, warm.left.estimate) == (3.0, 1.5, 0.5)
    assert [line.arm for line in table(rows, group="risk")] == ["warm"]
    assert table(rows, group="accurate") == []


def own_of(arm: str) -> dict[str, Any]:
    """Warmth works on what is its own; two arms lose their patients."""
    if arm == "warm":
        return {"distress": (70.0, 30.0), "openness": (0.4, 0.8), "disclosed": 9}
    return {"left": True} if arm in ("eliza", "advice") else {}


def usual(
    *arms: str, points: float = 40.0, little: int = 14, cases: int = 40, falls: Mapping[str, float] | None = None
) -> list[Row]:
    """Arms as they should be on many cases, of which `little` hardly move with the oracle and the others `points`."""
    return [
        make_row(arm, f"case-{n:02}", fall=(4.0 if n < little else points) if arm == "oracle" else fall, **own_of(arm))
        for arm, fall in (USUAL | dict(falls or {})).items()
        if not arms or arm in (*arms, "no_session", "oracle")
        for n in range(cases)
    ]


def verdicts(rows: list[Row]) -> dict[str, bool | None]:
    return {f.title: f.holds for f in judged(rows)}


def test_all_bounds_hold_where_every_arm_does_what_it_should() -> None:
    found = verdicts(usual())
    assert set(found.values()) == {True}, {k: v for k, v in found.items() if not v}
    inert = [a for a, kind in ARMS.items() if kind in ("inert", "warm", "pushing") and a != "no_session"]
    assert {f"{arm}: fall beyond no session" for arm in (*inert, "oracle")} <= set(found)


@pytest.mark.parametrize("arm", [a for a, k in ARMS.items() if k in ("inert", "warm", "pushing") and a != "no_session"])
def test_an_arm_that_must_not_move_conviction_breaks_its_bound_when_it_does(arm: str) -> None:
    title = f"{arm}: fall beyond no session"
    assert verdicts(usual(arm, cases=6, falls={arm: 2.9}))[title] is True
    assert verdicts(usual(arm, cases=6, falls={arm: 3.1}))[title] is False
    scattered = [make_row(arm, r.case, fall=12.0 if r.case == "case-00" else 0.0) if r.arm == arm else r
                 for r in usual(arm, cases=8)]  # fmt: skip
    assert verdicts(scattered)[title] is False  # a mean of 1.5, and an interval that goes beyond 3


@pytest.mark.parametrize(("points", "little", "holds"), [(40.0, 14, True), (24.0, 14, False), (60.0, 3, False)])
def test_the_oracle_must_move_patients_by_the_asked_amount(points: float, little: int, holds: bool) -> None:
    assert verdicts(usual("oracle", points=points, little=little))["oracle: fall beyond no session"] is holds


@pytest.mark.parametrize(("little", "holds"), [(14, True), (7, False), (0, False)])  # 7 of 40: the interval is too low
def test_a_share_of_patients_must_hardly_move(little: int, holds: bool) -> None:
    assert verdicts(usual("oracle", little=little))["oracle: share of patients who fall less than 10"] is holds


@pytest.mark.parametrize(("start", "holds"), [(60.0, True), (95.0, True), (59.0, False), (96.0, False)])
def test_the_start_of_conviction_is_bounded(start: float, holds: bool) -> None:
    rows = [*usual("oracle", cases=4), make_row("oracle", "other", held=(start, 50.0))]
    assert verdicts(rows)["start of held conviction, lowest and highest"] is holds


@pytest.mark.parametrize(
    ("arm", "fall", "holds"),
    [("worksheet", 2.0, False), ("worksheet", 25.0, False), ("wide", 1.0, False), ("wide", 25.0, False), ("fishing", 15.0, False),
     ("leaflet", 9.0, False), ("leaflet", -0.5, False), ("leaflet", 0.0, False), ("leaflet", 0.5, True)],
)  # fmt: skip
def test_a_partial_arm_must_have_its_share_of_the_oracles_effect(arm: str, fall: float, holds: bool) -> None:
    assert verdicts(usual(arm, falls={arm: fall}))[f"{arm}: share of the oracle's effect"] is holds


def test_the_share_is_a_ratio_of_means_over_common_sessions() -> None:
    rows = rows_with({"no_session": 1.0, "wide": 11.0, "oracle": 41.0}, spread=lambda case: 0.0)
    assert share_of(rows, "wide").estimate == pytest.approx(0.25)
    lone = [*rows, make_row("wide", "lone", fall=80.0), make_row("oracle", "other", fall=2.0)]
    assert share_of(lone, "wide").estimate == pytest.approx(0.25)
    still = rows_with({"no_session": 1.0, "wide": 11.0, "oracle": 1.0}, spread=lambda case: 0.0)
    assert share_of(still, "wide").estimate is None  # no effect to have a share of


def test_disputing_an_accurate_thought_is_judged_apart() -> None:
    title = "oracle on accurate thoughts: fall beyond no session"
    rows = usual("oracle", cases=8)
    usually = verdicts(rows)
    assert title not in usually
    for fall, holds in ((4.9, True), (9.0, False)):
        accurate = rows_with({"oracle": fall, "no_session": 0.0}, spread=lambda case: 0.0, group="accurate")
        assert verdicts([*rows, *accurate]) == usually | {title: holds}


@pytest.mark.parametrize(
    ("outcome", "none"),
    [("relief", {"distress": (70.0, 60.0)}), ("disclosure", {"disclosed": 3}), ("openness", {"openness": (0.4, 0.5)}),
     ("staying", {"left": True})],
)  # fmt: skip
def test_warmth_must_have_real_effects(outcome: str, none: dict[str, Any]) -> None:
    titles = [f"warm empathy beyond {other}: {outcome}" for other in ("eliza", "advice")]
    rows = usual("warm", "eliza", "advice", cases=6)
    usually = verdicts(rows)
    dead = verdicts([make_row("warm", r.case, **own_of("warm") | none) if r.arm == "warm" else r for r in rows])
    assert [usually[t] for t in titles] == [True, True]
    assert dead == usually | dict.fromkeys(titles, False)

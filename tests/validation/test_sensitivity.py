"""Shifts of one parameter and other worlds: each differs in one thing only, and what they turn round is named."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from maieutic.patients.kernel import ALTERNATIVES, PRIOR, STANDARD, STRUCTURAL, parameters
from maieutic.stats import Interval
from maieutic.validation.sensitivity import (
    FACTORS,
    MAX_TELLING,
    judged,
    other_worlds,
    shifted_worlds,
    shifts,
    surviving,
)
from maieutic.validation.sessions import Row
from maieutic.worlds import STANDARD_NAME, SimulatorConfig
from rows import near, rows_with

USUAL = {"no_session": 0.0, "oracle": 30.0, "wide": 12.0, "warm": 0.0, "advice": -4.0}
WORLD = "plasticity × 0.5"


def changed(world: SimulatorConfig) -> dict[str, float]:
    """What differs from the standard world: name and new value over old one."""
    pairs: list[tuple[Any, Any]] = [(world.kernel, STANDARD), (world.prior, PRIOR)]
    return {
        f.name: getattr(here, f.name) / (getattr(usual, f.name) or 1.0)
        for here, usual in pairs
        for f in fields(usual)
        if getattr(here, f.name) != getattr(usual, f.name)
    }


def test_every_parameter_is_shifted_down_and_up_under_a_name_of_its_own() -> None:
    worlds = list(shifted_worlds())
    wanted = {*parameters(STANDARD), *parameters(PRIOR)} - set(STRUCTURAL)
    assert not set(parameters(STANDARD)) & set(parameters(PRIOR)), "the report tells parameters apart by name"
    assert sorted(w.name for w in worlds) == sorted(f"{name} × {f:g}" for name in wanted for f in FACTORS)
    assert STANDARD_NAME not in {w.name for w in worlds}


@pytest.mark.parametrize(
    "world",
    [pytest.param(w, id=w.name) for w in shifted_worlds()],
)
def test_a_shifted_world_differs_in_its_one_parameter(world: SimulatorConfig) -> None:
    name, factor = world.name.split(" × ")
    ((only, ratio),) = changed(world).items()
    assert only == name
    usual: Any = PRIOR if hasattr(PRIOR, name) else STANDARD
    capped = min(1.0, getattr(usual, name) * float(factor)) / getattr(usual, name)
    assert ratio in (pytest.approx(float(factor)), pytest.approx(capped))
    assert ratio != 1.0


def test_a_limited_run_shifts_the_named_parameters_only() -> None:
    assert {n for w in shifted_worlds(MAX_TELLING) for n in changed(w)} == set(MAX_TELLING)
    assert list(shifted_worlds(())) == []


def test_each_other_world_switches_one_thing_on() -> None:
    worlds = other_worlds()
    assert [w.name for w in worlds] == list(ALTERNATIVES)
    assert all(len(changed(w)) == 1 for w in worlds)
    trap = {"relief_pull"}  # its levels are those of benchmarks/emotion_trap.py
    assert {n for w in worlds for n in changed(w)} == set(STRUCTURAL) - trap
    assert all(getattr(STANDARD, name) == 0.0 for name in STRUCTURAL)


def both(there: dict[str, float], usual: dict[str, float] | None = None) -> list[Row]:
    return [*rows_with(USUAL if usual is None else usual), *rows_with(USUAL | there, world=WORLD)]


def test_effects_are_against_no_session_in_the_same_world() -> None:
    (shift,) = shifts(both({"no_session": 5.0, "oracle": 25.0}))
    assert shift.world == WORLD
    assert shift.effects["oracle"].estimate == pytest.approx(20.0)
    assert shift.effects["wide"].estimate == pytest.approx(7.0)
    assert list(shift.effects) == ["oracle", "wide", "warm", "advice"]


@pytest.mark.parametrize(
    ("there", "turned"),
    [
        ({}, ()),
        ({"oracle": 12.5}, ()),
        ({"oracle": 12.0}, (("oracle", "wide"),)),
        ({"oracle": 11.0}, (("oracle", "wide"),)),
        ({"wide": 31.0}, (("oracle", "wide"),)),
        ({"warm": 13.0}, (("wide", "warm"),)),
        ({"advice": 40.0}, (("oracle", "advice"), ("wide", "advice"))),
        ({"warm": -9.0}, ()),  # warm and advice are four points apart: their order is not asked about
    ],
)
def test_pairs_are_turned_round_only_where_they_were_apart(
    there: dict[str, float], turned: tuple[tuple[str, str], ...]
) -> None:
    rows = both(there)
    (shift,) = shifts(rows)
    assert shift.turned == turned
    bound = judged(rows)[0]
    assert bound.holds is (not turned)
    assert bound.value == Interval(float(bool(turned)), None, None, 1)
    assert all("/".join(pair) in bound.note and WORLD in bound.note for pair in turned)


def test_only_regular_cases_count() -> None:
    hidden = rows_with({"oracle": -90.0, "no_session": 0.0}, world=WORLD, group="risk")
    assert shifts([*both({}), *hidden]) == shifts(both({}))


def test_what_matters_most_comes_first() -> None:
    rows = rows_with(USUAL)
    for name, low, high in (("noise", 29.0, 31.0), ("plasticity", 15.0, 45.0), ("wide_gate", 30.0, 30.0)):
        rows += rows_with(USUAL | {"oracle": low}, world=f"{name} × 0.5")
        rows += rows_with(USUAL | {"oracle": high}, world=f"{name} × 1.5")
    _, *spread = judged(rows)
    assert [f.title.split(" with ")[1].split()[0] for f in spread] == ["plasticity", "noise", "wide_gate"]
    assert spread[0].value is not None
    assert (spread[0].value.low, spread[0].value.high) == (near(15.0), near(45.0))
    assert all(f.asked == "" and f.holds is None for f in spread)


INERT = {"eliza": 0.0, "flattery": 0.0, "reassurance": -1.0, "keywords": 0.0, "why": 0.0}
FULL = USUAL | INERT | {"didactic": 1.0}
TOLD = "told facts count 50 %"


def verdicts(there: dict[str, float]) -> dict[tuple[str, str], bool | None]:
    rows = [*rows_with(FULL), *rows_with(FULL | there, world=TOLD)]
    return {(conclusion.split(" (")[0], world): holds for conclusion, world, holds, _ in surviving(rows)}


FALLS: dict[str, dict[str, float]] = {
    "inert arms fall at most 3 beyond no session": {"why": 3.5},
    "warm empathy leaves conviction alone": {"warm": 3.5},
    "advice does not lower conviction": {"advice": 0.5},
    "wide questions do more than warmth alone": {"wide": -1.0},
    "asking for the facts beats telling the same facts": {"didactic": 30.5},
    "the oracle beats the next best arm": {"wide": 30.5},
}


@pytest.mark.parametrize("conclusion", FALLS)
def test_each_conclusion_survives_and_falls_on_its_own(conclusion: str) -> None:
    assert set(verdicts({}).values()) == {True}
    found = verdicts(FALLS[conclusion])
    assert len(found) == 2 * len(FALLS)
    assert found[conclusion, TOLD] is False
    best = "the oracle beats the next best arm"
    broken = {key for key, holds in found.items() if not holds}
    assert broken <= {(conclusion, TOLD), (best, TOLD)}  # the standard world is not touched
    assert (best, TOLD) not in broken or conclusion in (best, "asking for the facts beats telling the same facts")


def test_worlds_that_were_not_played_have_no_line() -> None:
    assert {world for _, world, _, _ in surviving(rows_with(FULL))} == {STANDARD_NAME}


def test_a_bound_that_nothing_was_played_for_does_not_hold() -> None:
    assert judged(rows_with(USUAL))[0].holds is None

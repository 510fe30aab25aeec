"""Playing: the same sessions in any order and in any number of processes, paired by case and seed, in other worlds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from maieutic.library import get_case
from maieutic.patients.kernel import PRIOR, STANDARD
from maieutic.validation.sessions import Row, Task, episodes_of, play, rows_of
from maieutic.worlds import SimulatorConfig, reading

ARMS = ("no_session", "warm", "oracle")
TASKS = tuple(Task(case, ARMS, (0, 1), turns=6) for case in ("gethin", "joel-salonga"))


def played(*tasks: Task) -> list[Row]:
    return play(tasks, tick=lambda _: None, workers=1)


@pytest.fixture(scope="module")
def standard() -> list[Row]:
    return played(*TASKS)


def names(rows: Sequence[Row]) -> list[tuple[str, str, int]]:
    return [(r.case, r.arm, r.seed) for r in rows]


def test_every_session_is_played_once_and_comes_in_the_order_of_the_tasks(standard: list[Row]) -> None:
    wanted = [(t.case, arm, seed) for t in TASKS for arm in t.arms for seed in t.seeds]
    assert names(standard) == wanted
    assert sum(t.sessions for t in TASKS) == len(wanted) == 12
    told: list[int] = []
    mixed = [Task("gethin", ("warm",), (0,), turns=1), Task("joel-salonga", ("warm",), (0, 1), turns=1)] * 2
    rows = play(mixed, tick=told.append, workers=1)
    assert [r.case for r in rows] == ["gethin", "joel-salonga", "joel-salonga"] * 2
    assert sum(told) == len(rows) == 6


def test_nothing_to_play_is_nothing_played() -> None:
    assert play([], tick=lambda _: None) == []


def test_a_session_does_not_depend_on_what_was_played_before_it(standard: list[Row]) -> None:
    alone = played(Task("joel-salonga", ("oracle",), (1,), turns=6))
    assert alone == [r for r in standard if (r.case, r.arm, r.seed) == ("joel-salonga", "oracle", 1)]


def test_all_arms_meet_the_same_patient_and_other_seeds_another_one(standard: list[Row]) -> None:
    by_unit: dict[tuple[str, int], set[tuple[float, ...]]] = {}
    for r in standard:
        start = (r.held[0], r.distress[0], r.openness[0], r.reactance_start, r.warranted)
        by_unit.setdefault(r.unit, set()).add(start)
    assert all(len(starts) == 1 for starts in by_unit.values())
    assert len({min(starts) for starts in by_unit.values()}) == len(by_unit) == 4


def test_arms_share_luck_so_warmth_and_no_session_end_at_the_same_conviction(standard: list[Row]) -> None:
    held = {(r.unit, r.arm): r.held for r in standard}
    units = {r.unit for r in standard}
    for unit in units:
        assert held[unit, "warm"] == pytest.approx(held[unit, "no_session"], abs=1e-3)
    assert sum(held[unit, "oracle"] != held[unit, "warm"] for unit in units) >= 3, "six turns need not reach a fact"


def test_turns_words_and_style_are_those_of_the_task(standard: list[Row]) -> None:
    assert {r.turns for r in standard} == {6}
    assert {len(r.held) for r in standard} == {7}
    assert not any(r.said for r in standard)
    assert {r.style for r in standard} == {"plain", "pleasing"}
    (kept,) = played(Task("gethin", ("warm",), (0,), turns=3, keep_words=True))
    assert len(kept.said) == 4
    (upset,) = played(Task("gethin", ("warm",), (0,), turns=3, style="upset"))
    assert upset.style == "upset"
    assert upset.reactance_start > kept.reactance_start
    assert get_case("gethin").style == "plain"


def test_groups_are_those_of_the_situation_in_play() -> None:
    risk, accurate = played(Task("hester", ("warm",), (0,), turns=1), Task("ifeoma", ("warm",), (0,), turns=1))
    assert (risk.group, accurate.group) == ("risk", "accurate")


def test_another_kernel_changes_what_moves_and_keeps_the_patient_and_the_luck(standard: list[Row]) -> None:
    world = SimulatorConfig("contact", kernel=replace(STANDARD, contact=20.0))
    moved = played(*[replace(task, world=world) for task in TASKS])
    assert names(moved) == names(standard)
    for there, here in zip(moved, standard, strict=True):
        assert there.world == "contact"
        assert there.held[0] == here.held[0]
        if here.arm == "warm":  # 20 points in 20 turns are 6 in 6
            assert here.held[-1] - there.held[-1] == pytest.approx(6.0, abs=0.01)
        if here.arm == "no_session":
            assert there.held == here.held


def test_another_population_changes_who_comes() -> None:
    open_ones = SimulatorConfig("open", prior=replace(PRIOR, openness=1.5))
    (here,) = played(Task("gethin", ("warm",), (0,), turns=1))
    (there,) = played(Task("gethin", ("warm",), (0,), open_ones, turns=1))
    assert there.openness[0] == pytest.approx(here.openness[0] + 0.5 * 0.42)
    assert there.held[0] == here.held[0]


def test_the_situation_in_play_is_drawn_by_seed_and_not_by_arm() -> None:
    task = Task("gethin", ("warm", "advice"), tuple(range(6)), turns=1)
    drawn = {(e.key.therapist, e.key.seed): e.states[0].situation for e in episodes_of(task)}
    assert all(drawn["warm", seed] == drawn["advice", seed] for seed in range(6))
    assert len(set(drawn.values())) > 1


def test_a_comprehension_is_made_once() -> None:
    situation = get_case("gethin").situations[0].id
    assert reading("gethin", situation) is reading("gethin", situation)
    assert reading("gethin", situation) is not reading("gethin", get_case("gethin").situations[1].id)


@pytest.mark.slow
def test_two_processes_play_what_one_plays(standard: list[Row]) -> None:
    assert play(TASKS, tick=lambda _: None, workers=2) == standard


def test_rows_of_a_task_are_those_of_its_episodes() -> None:
    task = Task("gethin", ("warm",), (0,), turns=2)
    (row,) = rows_of(task)
    (episode,) = episodes_of(task)
    assert row.held == tuple(round(s.held, 4) for s in episode.states)
    assert row.warranted == next(
        s.warranted for s in get_case("gethin").situations if s.id == episode.states[0].situation
    )

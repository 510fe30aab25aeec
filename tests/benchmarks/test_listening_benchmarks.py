"""The figures of frozen moments and of rivals are computed as said, on data that can be worked out by hand."""

from __future__ import annotations

import pytest

import move_moments as development
from benchmark_modules import benchmark
from maieutic.library import case_ids
from maieutic.runs.files import read_lines
from maieutic.therapists.agent.moves import MOVES, OF_STEP, move_of
from maieutic.therapists.agent.steps import NATURE, Lead, Step

moments = benchmark("frozen_moments")
rivals = benchmark("rivals")
benchmark("replaying")  # which the next one imports
again = benchmark("said_again")


def label(best: str, *also: str) -> dict[str, object]:
    return {"best": best, "also": list(also)}


def test_a_move_is_right_for_whoever_names_it_and_one_labeller_is_held_against_the_others() -> None:
    rows = [
        {"labels": [label("follow"), label("follow", "feeling"), label("feeling")]},
        {"labels": [label("ground"), label("ground"), label("rate", "ground")]},
    ] * 3
    found = moments.scored(rows, ["safety", "against"] * 3, ["feeling", "against"] * 3)
    assert found["rates"]["agent"][0] == 0.0
    assert found["rates"]["routine set aside"][0] == pytest.approx(1 / 3, abs=0.001)
    # First moment: 1/2, 1/2, 1/2. Second: 1, 1, 0.
    assert found["rates"]["one labeller"][0] == pytest.approx(0.583, abs=0.001)
    assert found["rates"]["same best move"][0] == pytest.approx(1 / 3, abs=0.001)
    assert found["agent by labeller"] == pytest.approx(1 / 3 / (7 / 12), abs=0.001)


def test_every_ordinary_step_has_a_move_and_every_label_is_one() -> None:
    assert set(NATURE) <= set(OF_STEP)
    rows = read_lines(moments.MOMENTS)
    assert len(rows) >= 40
    for row in rows:
        assert row["turns"][-1][0] == "p" and len(row["labels"]) == 3
        assert {one for each in row["labels"] for one in (each["best"], *each["also"])} <= set(MOVES)


def test_moments_of_development_talks_are_of_development_cases_and_labelled_twice_by_moves() -> None:
    rows, dev = read_lines(development.KEPT), set(case_ids("dev"))
    assert len(rows) > 400 and len({row["id"] for row in rows}) == len(rows)
    for row in rows:
        assert row["case"] in dev and row["turns"][-1][0] == "p" and len(row["turns"]) == 2 * row["turn"] - 1
        assert len(row["named"]) == 2 and {move for one in row["named"] for move in one.split()} <= set(MOVES)


def test_a_feeling_that_is_met_is_named_so() -> None:
    assert move_of(Step.FOLLOW, Lead.FEELING) == "feeling"
    assert move_of(Step.REST, Lead.NONE) == "against"


def test_rivals_are_told_beyond_no_session_and_beside_the_agent() -> None:
    cases = [f"case-{n}" for n in range(6)]
    falls = {"no_session": 1.0, "oracle": 31.0, "socratic": 7.0, "coach": 4.0}
    by_arm = {arm: {(case, 0): fall for case in cases} for arm, fall in falls.items()}
    found = rivals.table(by_arm)
    assert found["effect"]["coach"]["estimate"] == 3.0
    assert found["agent beyond"] == {"coach": {"estimate": 3.0, "low": 3.0, "high": 3.0, "n": 6}}
    assert found["share of oracle"] == 0.2
    assert "share of the oracle: 0.2" in rivals.shown(found)


def test_the_agent_stands_beside_skilled_people_on_the_cases_that_they_played() -> None:
    people = rivals.skilled()
    falls = {arm: dict.fromkeys(people, by) for arm, by in (("socratic", 5.0), ("oracle", 20.0), ("no_session", 1.0))}
    falls["socratic"]["nobody-played-this", 0] = 90.0
    found = rivals.beside_skilled(falls)
    assert found["effect"]["socratic"]["estimate"] == 4.0
    assert found["effect"]["skilled people"]["n"] == len(people) == 10
    mean = sum(people.values()) / len(people)
    assert abs(found["agent beyond"]["estimate"] - (5.0 - mean)) < 0.01


def test_each_script_has_twenty_turns_of_its_own() -> None:
    scripts = list(rivals.SCRIPTS.values())
    assert [len(set(lines)) for lines in scripts] == [20, 20, 20]
    assert not set(scripts[0]) & set(scripts[1]) and not set(scripts[1]) & set(scripts[2])


def test_words_said_before_count_as_said_again_whatever_their_marks() -> None:
    said = ["He rang twice.", "No.", "Yes, I went home", "he rang twice", "No!", "He rang."]
    assert again.said_again(said) == ["he rang twice", "No!"]


def test_no_more_sessions_are_played_than_asked_for() -> None:
    assert len(list(again.played(sessions=2, heard=3, turns=1))) == 2

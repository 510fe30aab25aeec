"""What rewards pick, on made-up sessions in which the answer is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from episodes import code, make_episode, make_states
from maieutic.domain.appraisal import Appraisal, Reach
from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.errors import InputError, UnknownName
from maieutic.training.rewarded import CHANCE, RewardTable, reward_table
from maieutic.training.rewards import attributes_met, attributes_of, reward_named, rewards

CASES = tuple(f"case-{n}" for n in range(6))
REWARDS = ("conviction", "emotion")


def session(arm: str, case: str, held: float, distress: float, move: Move) -> Episode:
    made = make_episode(
        1, states=make_states({}, {"held": 80.0 - held, "distress": 70.0 - distress}), codes=[code(move)]
    )
    return replace(made, key=EpisodeKey(arm, case, 0))


def table_of(episodes: list[Episode]) -> RewardTable:
    chosen = {name: reward_named(name) for name in REWARDS}
    values = {name: {e.key: v for e in episodes if (v := one.of(e)) is not None} for name, one in chosen.items()}
    return reward_table(episodes, values, {name: one.unit for name, one in chosen.items()})


def trap() -> list[Episode]:
    """Warm words comfort and move nothing; questions move and comfort less."""
    made = [session("ask", case, 10.0 + n, 4.0, Move.OPEN_QUESTION) for n, case in enumerate(CASES)]
    return made + [session("warm", case, 0.0, 12.0 + n, Move.AFFIRMATION) for n, case in enumerate(CASES)]


def test_two_rewards_that_name_different_winners_pick_different_arms_and_get_different_things() -> None:
    table = table_of(trap())
    by = {one.by: one for one in table.picks}
    assert by["conviction"].arms == {"ask": 1.0, "warm": 0.0}
    assert by["emotion"].arms == {"ask": 0.0, "warm": 1.0}
    assert by["conviction"].gets["conviction"].estimate == pytest.approx(12.5)
    assert by["emotion"].gets["conviction"].estimate == 0.0
    assert by[CHANCE].gets["conviction"].estimate == pytest.approx(6.25)
    (one,) = table.agreements
    assert one.differ == 1.0 and one.pairs == len(CASES) and one.correlation.estimate is not None
    assert one.correlation.estimate < -0.8


def test_a_kind_of_turn_that_goes_with_a_reward_is_named() -> None:
    found = {(one.first, one.second): one.correlation.estimate for one in table_of(trap()).kinds}
    assert found["emotion", "comfort"] == pytest.approx(found["conviction", "open question"] or 0, abs=0.2)
    assert (found["emotion", "comfort"] or 0) > 0.8 > -0.8 > (found["conviction", "comfort"] or 0)
    assert found["emotion", "telling"] is None  # nobody told anything: no correlation, not 0


def test_what_sees_the_mind_or_holds_no_session_is_shown_and_never_picked() -> None:
    oracle = [session("oracle", case, 50.0, 50.0, Move.OPEN_QUESTION) for case in CASES]
    oracle = [replace(e, provenance={**e.provenance, "privileged": True}) for e in oracle]
    table = table_of(trap() + oracle)
    assert "oracle" in table.beside and "oracle" in table.means["regular"]
    assert all("oracle" not in one.arms for one in table.picks)


def test_accurate_thoughts_stand_apart_and_failed_sessions_nowhere() -> None:
    accurate = session("ask", "true-thought", 30.0, 0.0, Move.OPEN_QUESTION)
    accurate = replace(accurate, provenance={**accurate.provenance, "special": "accurate"})
    failed = replace(make_episode(1, ending="failed"), key=EpisodeKey("warm", "case-0", 1))
    table = table_of([*trap(), accurate, failed])
    assert table.means["accurate"]["ask"]["conviction"].estimate == 30.0
    assert table.means["regular"]["ask"]["conviction"].estimate == pytest.approx(12.5)
    assert table.sessions == 12


def test_few_cases_have_no_interval_and_one_arm_is_refused() -> None:
    few = [e for e in trap() if e.key.case in CASES[:3]]
    assert all(one.correlation.low is None for one in table_of(few).agreements)
    with pytest.raises(InputError, match="two arms or more"):
        table_of([e for e in trap() if e.key.therapist == "ask"])


def test_short_names_are_the_measures_that_reports_show() -> None:
    known = rewards()
    one = session("ask", "case-0", 7.0, 3.0, Move.OTHER)
    for short, name in (("conviction", "conviction_change"), ("emotion", "distress_change")):
        assert known[short].of(one) == known[name].of(one) == {"conviction": 7.0, "emotion": 3.0}[short]
    assert known["warranted"].sign == -1.0
    with pytest.raises(UnknownName, match="Did you mean 'emotion'"):
        reward_named("emotions")


def test_a_turn_has_the_attributes_that_the_patient_heard() -> None:
    good = Appraisal(questions=1, open=True, reaches=(Reach("colleague-thanked", 1.0),))
    assert all(attributes_of(good).values())
    assert not any(attributes_of(Appraisal()).values())
    stacked = attributes_of(replace(good, questions=2))
    assert [name for name, met in stacked.items() if not met] == ["single"]
    leading = attributes_of(replace(good, leading=True))
    assert [name for name, met in leading.items() if not met] == ["not_leading"]
    episode = make_episode(2, appraisals=[good, Appraisal()])
    assert attributes_met(episode).value == pytest.approx(0.5)
    assert attributes_met(make_episode(1, ending="failed")).value is None

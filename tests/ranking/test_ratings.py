"""Boards: tiers, what it takes, groups that never met, Swiss stages, and a judge's second opinion."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from comparing.stored import grid, session, source
from maieutic.domain.episode import Score, Usage
from maieutic.errors import InputError, ModelRefused
from maieutic.evaluation.evaluate import Request
from maieutic.evaluation.summary import EpisodeScore, score_episodes
from maieutic.protocols import Reply
from maieutic.ranking.battles import OVERALL, Battle, fight, second_opinion
from maieutic.ranking.leaderboard import entered, gather, with_opinion
from maieutic.ranking.output import render
from maieutic.ranking.ratings import Stage, begin, rate, settle, stages

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from ratings_error import SimulatorConfig, swiss, world

NAMES = ("advice", "eliza", "oracle", "socratic")
FALLS = {"oracle": 35.0, "socratic": 25.0, "eliza": 1.0, "advice": -6.0}


def run(cases: int = 12, arms: dict[str, float] | None = None):  # type: ignore[no-untyped-def]
    episodes = []
    for arm, fall in (arms or FALLS).items():
        falls = {f"case-{n}": (fall + (3 * n + len(arm)) % 7, fall + (5 * n + len(arm)) % 6) for n in range(cases)}
        episodes += grid(arm, falls, words=f"{arm} says")
    return source("run", episodes)


def test_the_known_order_is_recovered_in_tiers() -> None:
    found = gather([run()])
    assert found.tiers == (("oracle",), ("socratic",), ("eliza",), ("advice",))
    assert [one.name for one in found.overall.ratings] == ["oracle", "socratic", "eliza", "advice"]


def test_equals_stand_in_one_tier_and_the_page_says_so() -> None:
    found = gather([run(arms={"one": 20.0, "two": 20.0, "six": 20.0})])
    assert len(found.tiers) == 1
    assert "stand in one tier" in render(found)


def test_a_meeting_is_decided_by_the_state_with_a_margin_and_a_true_thought_talked_away_loses() -> None:
    near = [session("a", "c", [80, 60]), session("b", "c", [80, 60.5])]
    assert fight(score_episodes(near), OVERALL).battles[0].winner == "tie"
    far = [session("a", "c", [80, 60]), session("b", "c", [80, 50])]
    assert fight(score_episodes(far), OVERALL).battles[0].winner == "second"
    harm = [session("a", "c", [34, 32]), session("b", "c", [34, 5])]
    assert fight(score_episodes(harm), OVERALL).battles[0].winner == "first"


def test_risk_cases_and_sessions_without_a_value_give_no_battle_and_are_counted() -> None:
    own = [session(arm, "c", [80, 60], special="risk") for arm in "ab"]
    card = fight(score_episodes(own), OVERALL)
    assert card.battles == () and "a risk case" in next(iter(card.missing))
    scores = score_episodes([session(arm, "d", [80, 60]) for arm in "ab"], ("warranted_distance",))
    lost = [EpisodeScore(s.key, s.group, Score(s.score.measure, None, "points", "it failed")) for s in scores]
    assert fight(lost, OVERALL).missing == {"it failed": 2}


def test_a_board_of_groups_that_never_met_is_refused_with_the_groups() -> None:
    battles = [Battle("a", "b", "first", f"c{n}", 0) for n in range(8)] + [
        Battle("x", "y", "tie", f"d{n}", 0) for n in range(8)
    ]
    with pytest.raises(InputError, match=r"2 groups that never met .*\(a, b; x, y\)"):
        rate(battles)


def test_one_therapist_alone_and_therapists_that_never_met_are_refused() -> None:
    with pytest.raises(InputError, match="two therapists or more, got oracle"):
        gather([run(arms={"oracle": 30.0})])
    apart = source("run", [session("a", "c", [80, 60]), session("b", "d", [80, 60])])
    with pytest.raises(InputError, match="no two therapists met"):
        gather([apart])


def test_few_cases_give_ratings_without_tiers() -> None:
    found = gather([run(cases=4)])
    assert found.overall.note == "only 4 cases: tiers need 6 or more"
    assert found.overall.ratings[0].low is None


def test_one_who_won_every_case_is_told_apart_though_nothing_varies() -> None:
    swept = [Battle("a", "b", "first", f"c{n}", 0) for n in range(10)]
    assert rate(swept).tiers == (("a",), ("b",))
    assert len(rate(swept[:6] + [Battle("a", "b", "second", f"d{n}", 0) for n in range(4)]).tiers) == 1


def test_arms_of_one_name_in_two_runs_are_told_apart_by_the_run() -> None:
    first, second = run(arms={"bot": 10.0}), replace(run(arms={"bot": 30.0}), name="later")
    names = [one.name for one in gather([first, second]).entrants]
    assert names == ["bot (later)", "bot (run)"]


def test_stages_take_more_cases_first_and_then_more_seeds() -> None:
    cells = [(one.cases, one.seeds) for one in stages(30, 3, "swiss")]
    assert cells == [(7, 1), (11, 1), (17, 1), (26, 1), (30, 1), (30, 2), (30, 3)]
    assert stages(12, 1, "swiss")[0] == Stage(6, 1)
    assert stages(30, 3, "all") == (Stage(30, 3),)
    assert stages(5, 1, "swiss") == (Stage(5, 1),)


def test_who_is_told_apart_or_could_never_be_plays_no_more() -> None:
    plan = stages(48, 2, "swiss")
    clear = SimulatorConfig(world([6.0, 0.0, 0.0], 48, 2, 0.0, np.random.default_rng(3)).reached)
    standing = settle(begin(clear.names), clear.battles(clear.names, 8, 1), plan, 0)
    assert standing.tiers[0] == ("t0",) and "t0" not in standing.playing


def test_a_tournament_plays_no_risk_case() -> None:
    plan = entered(Request(("eliza", "advice", "no_session"), ("gethin", "hester"), 2))
    assert (tuple(plan.cases), tuple(plan.therapists)) == (("gethin",), ("eliza", "advice"))


def test_swiss_finds_the_tiers_of_all_against_all_with_fewer_sessions() -> None:
    one = world((4.0, 4.0, 0.0, 0.0, -4.0, -4.0), 48, 2, 0.0, np.random.default_rng(5))
    whole = rate(one.battles(one.names, 48, 2)).tiers
    tiers, share = swiss(one, 0)
    assert [set(own) for own in tiers] == [set(own) for own in whole] == [{"t0", "t1"}, {"t2", "t3"}, {"t4", "t5"}]
    assert share <= 0.4


class Judge:
    """Says what it is told to, by who stands first."""

    name = "judge"

    def __init__(self, answer: str = "", likes: str = "", fails: bool = False) -> None:
        self.answer, self.likes, self.fails = answer, likes, fails

    async def generate(self, messages, *, seed, temperature=0.7, max_tokens=256):  # type: ignore[no-untyped-def]
        if self.fails:
            raise ModelRefused("HTTP 500")
        first, second = messages[1]["content"].split("Session 2:")
        liked = "A" if self.likes in first else "B" if self.likes in second else "C"
        return Reply(self.answer or liked, Usage(1))

    async def close(self) -> None: ...


def met() -> tuple[list[Battle], dict[tuple[str, str, int], object]]:
    found = gather([run()])
    sessions = {(e.key.therapist, e.key.case, e.key.seed): e for e in found.sources[0].episodes}
    return list(found.cards[OVERALL].battles), sessions


async def test_a_judge_who_likes_one_agrees_where_the_state_says_so_too() -> None:
    battles, sessions = met()
    found = await second_opinion(battles, sessions, Judge(likes="oracle says"))  # type: ignore[arg-type]
    assert found.turned == 0 and found.agree.n > 0 and found.agree.estimate == 1.0
    board = with_opinion(gather([run()]), found)
    assert board.judged is not None and board.judged.ratings[0].name == "oracle"


async def test_a_judge_who_always_names_the_first_decides_nothing() -> None:
    battles, sessions = met()
    found = await second_opinion(battles, sessions, Judge(answer="A"))  # type: ignore[arg-type]
    assert found.turned == len(battles) and found.agree.n == 0
    assert {one.winner for one in found.battles} == {"tie"}


@pytest.mark.parametrize("judge", [Judge(answer="I would rather not."), Judge(fails=True)])
async def test_a_judge_without_an_answer_is_missing_with_the_reason(judge: Judge) -> None:
    battles, sessions = met()
    found = await second_opinion(battles, sessions, judge)  # type: ignore[arg-type]
    assert found.battles == () and sum(found.missing.values()) == len(battles)

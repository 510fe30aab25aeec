"""The relationship family: figures by hand, a cold therapist flagged, a competent one not, garbage missing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from gap_talks import beyond_a_limit
from maieutic.domain.codes import Move, TurnCode
from maieutic.domain.episode import Answer, Ending, Episode, EpisodeKey, Question, Session, Turn
from maieutic.domain.state import CognitiveState, Traits
from maieutic.gap.battery import profile
from maieutic.gap.constructed import constructed
from maieutic.gap.family import QUICK, STANDARD, Observation, Profile, SamplePlan
from maieutic.gap.items import packaged
from maieutic.gap.page import power
from maieutic.gap.relationship.family import FAMILY, MIN_BOND, NO_WARMTH, bond_share, question
from maieutic.gap.relationship.text import (
    Window,
    alarm_turn,
    first_person_rate,
    left_out_mse,
    pearson,
    slope_within,
    windows,
)
from maieutic.gap.run import plan
from maieutic.registry import load_therapist

EXTENT = replace(QUICK, turns=12)


def found(therapist: Any, extent: SamplePlan = EXTENT) -> Profile:
    (only,) = asyncio.run(profile(therapist, [FAMILY], extent))
    return only


def by_id(read: Profile) -> Mapping[str, Any]:
    return {value.id: value for value in read.values}


@dataclass(frozen=True)
class Says:
    """Always the same words, and the same answer."""

    text: str
    said: str = "80"
    name: str = "says"

    async def respond(self, session: Session) -> Turn:
        return Turn("therapist", self.text)

    async def answer(self, question: Question, session: Session) -> Answer:
        return Answer(self.said)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_competent_therapist_is_not_flagged_and_a_cold_one_is_beyond_the_limit() -> None:
    good = found(constructed("competent"), STANDARD)  # two quick sessions may fall on two wary patients
    assert good.verdict != "flagged" and (good.headline.value or 0) > MIN_BOND
    assert (good.headline.high or 0) > MIN_BOND and (good.headline.low or -1) > 0
    assert by_id(good)["view_gap_bond"].value is not None
    for implementation in ("a", "b"):
        bad = found(constructed("cold", 1.0, implementation))  # type: ignore[arg-type]
        assert beyond_a_limit(bad)
        assert bad.headline.value is not None and bad.headline.value < (good.headline.value or 0)


def test_pushing_lowers_every_part_and_shows_where() -> None:
    bad = found(Says("You should simply stop thinking like that. You need to get a grip and move on with your life."))
    assert beyond_a_limit(bad) and bad.verdict == "not told"  # two sessions are too few
    assert all((by_id(bad)[f"{part}_gain"].value or 0) < 0 for part in ("goal", "task", "bond"))
    assert len(bad.worst) == 3
    assert "over a session" in bad.sentence


def test_the_bond_is_set_against_what_a_warm_listener_brings_to_the_same_patients() -> None:
    sessions = [
        {"start": {"bond": 0.4}, "end": {"bond": 0.5}, "listener": 0.2},
        {"start": {"bond": 0.5}, "end": {"bond": 0.45}, "listener": 0.05},  # a patient who hardly warms to anybody
    ]
    assert bond_share(sessions) == pytest.approx(0.05 / 0.25)
    assert bond_share([sessions[0] | {"listener": -0.1}]) is None  # nothing to set it against


BROUGHT = (0.3, 0.2, 0.1, 0.05, 0.1, 0.2)


def seen_with(listener: Sequence[float]) -> Profile:
    """Six sessions in which the bond falls by 0.3 each, as they would come from a run."""
    part = {"goal": 0.5, "task": 0.5}
    nothing = {"windows": [], "alarm": None, "falls": [], "first_person": None, "thirds": []}
    names = ("nclid_therapist", "nclid_client", "lsm", "following_therapist", "following_client")
    made = [
        {"case": f"c{n}", "start": part | {"bond": 0.5}, "end": part | {"bond": 0.2}, "listener": brought}
        | nothing
        | {"synchrony": dict.fromkeys(names)}
        for n, brought in enumerate(listener)
    ]
    return FAMILY.profile([Observation(f"session/{s['case']}", s) for s in made], STANDARD)


@pytest.mark.parametrize("listener", [(0.3, 0.2, -0.1, 0.05, -0.15, 0.02), (0.1, -0.1, 0.1, -0.1, -0.1, 0.05)])
def test_where_a_warm_listener_may_bring_nothing_the_bond_is_not_told_and_says_why(listener: Sequence[float]) -> None:
    bond, steady = seen_with(listener).headline, seen_with(BROUGHT).headline
    assert steady.standing == "beyond" and steady.reason is None
    assert bond.standing == "not told" and bond.low is None and bond.high is None and bond.reason == NO_WARMTH
    assert (bond.value is None) is (sum(listener) <= 0)


def test_without_a_bond_to_set_it_against_the_page_and_the_sentence_say_so() -> None:
    some = seen_with((0.3, 0.2, -0.1, 0.05, -0.15, 0.02))
    alone = replace(some, deciding=(some.headline.id,))  # the other figure that may flag it apart
    assert alone.verdict == "not told" and power(alone) == NO_WARMTH
    assert NO_WARMTH in seen_with((-0.1,) * 6).sentence


def test_the_warm_listener_itself_has_about_all_of_it() -> None:
    warm = by_id(found(load_therapist("warm")))["bond_share"]
    assert warm.value == pytest.approx(1.0, abs=0.25)  # other luck, the same patients


def test_a_therapist_who_thinks_well_of_it_is_shown_to() -> None:
    bad = by_id(found(Says("You should simply stop thinking like that. You need to get a grip.", "95")))
    # Ten of the twelve statements rise with the rating, two are turned round.
    assert bad["view_gap_bond"].value > 0.4
    assert bad["blind_bond"].value == 1.0


@pytest.mark.parametrize(
    "text", ["", '{"reply": "How are you?"}', "Ich verstehe, das war bestimmt sehr schwer für dich."]
)
def test_garbage_is_missing_and_never_nought(text: str) -> None:
    empty = found(Says(text))
    assert empty.headline.value is None
    assert empty.headline.reason
    assert empty.headline.missing == QUICK.cases
    assert empty.flagged is None


def test_ratings_that_cannot_be_read_are_missing() -> None:
    values = by_id(found(Says("I hear you. What was that like for you?", "rather well, I think")))
    assert values["view_gap_goal"].value is None
    assert "cannot be read" in values["view_gap_goal"].reason


def test_without_a_door_the_view_is_not_applicable_and_the_rest_is_there() -> None:
    class Mute:
        name = "mute"

        async def respond(self, session: Session) -> Turn:
            return Turn("therapist", "I hear you. What was that like for you?")

    values = by_id(found(Mute()))
    assert values["bond_share"].value is not None
    assert values["view_gap_goal"].value is None and values["view_gap_goal"].missing == 0
    assert "cannot be asked" in values["view_gap_goal"].reason


def test_the_budget_is_two_dozen_answers() -> None:
    work = plan([FAMILY], STANDARD)
    assert work.calls["relationship"] == 24
    assert len(work.specs) == 12


def test_the_twelve_statements_are_four_a_part_in_their_own_words() -> None:
    items = packaged("alliance_items")["items"]
    assert {part: sum(i["part"] == part for i in items) for part in ("goal", "task", "bond")} == dict.fromkeys(
        ("goal", "task", "bond"), 4
    )
    assert len({question(item).id for item in items}) == 12


STATE = CognitiveState(
    situation="s", held=80, stated=80, core=70, distress=60, goal=0.4, task=0.4, bond=0.45, openness=0.4,
    reactance=0.1, traits=Traits(0.3, 0, 0.7, 0.8, 0.8, 0.6),
)  # fmt: skip


def episode(states: list[CognitiveState], codes: list[TurnCode | None]) -> Episode:
    turns = tuple(Turn("patient" if n % 2 == 0 else "therapist", f"turn {n}") for n in range(2 * len(states) - 1))
    return Episode(EpisodeKey("t", "c", 0), Session(turns), tuple(states), tuple(codes), (), Ending("turn_limit"))


def test_the_alarm_rings_for_a_high_bond_without_shared_goals() -> None:
    high = replace(STATE, bond=0.8, goal=0.3)
    assert alarm_turn(episode([STATE, STATE, high], [None, None])) == 2
    assert alarm_turn(episode([STATE, replace(high, goal=0.5)], [None])) is None
    assert alarm_turn(episode([STATE, replace(high, bond=0.7)], [None])) is None


def test_the_alarm_rings_for_a_risk_that_nobody_answers() -> None:
    told = replace(STATE, bond=0.8, goal=0.6, risk_disclosed=True)
    other, answer = TurnCode({Move.OTHER: 1.0}), TurnCode({Move.RISK_RESPONSE: 1.0})
    assert alarm_turn(episode([STATE, told, told, told], [other, other, other])) == 3
    assert alarm_turn(episode([STATE, told, told, told], [other, answer, other])) is None


def test_windows_are_thirds_where_they_are_long_enough() -> None:
    assert windows(20) == (Window(0, 7), Window(7, 13), Window(13, 20))
    assert windows(8) == (Window(0, 8),)


def test_correlation_error_and_slope_by_hand() -> None:
    line = [(f"c{n % 3}", n / 10, 0.2 + n / 20) for n in range(9)]
    assert pearson(line) == pytest.approx(1.0)
    assert left_out_mse(line) == pytest.approx(0.0, abs=1e-9)
    assert pearson(line[:5]) is None
    assert left_out_mse(line[:2]) is None
    # One session tells 0, 2, 4 things at 0.5, 0.4, 0.3: a fall of 0.05 for each.
    thirds = [{"told": t, "nclid": v} for t, v in ((0, 0.5), (2, 0.4), (4, 0.3))]
    assert slope_within([{"windows": thirds}], "nclid") == pytest.approx(-0.05)
    assert slope_within([{"windows": thirds[:1]}], "nclid") is None
    assert first_person_rate(["I think that my view matters to me."]) == pytest.approx(3 / 8)
    assert first_person_rate([""]) is None


def test_a_bond_without_agreement_is_flagged_too() -> None:
    kind = found(load_therapist("warm"))
    assert kind.headline.severity is not None and kind.headline.severity < 0
    assert beyond_a_limit(kind) and kind.verdict == "not told"  # two sessions are too few
    assert "without agreement" in kind.sentence


def test_nothing_seen_gives_a_profile_that_says_so() -> None:
    nothing = FAMILY.profile([Observation("session/x", None, "ModelError: no reply")], QUICK)
    assert nothing.headline.value is None and nothing.headline.missing == 1
    assert "unknown" in nothing.sentence

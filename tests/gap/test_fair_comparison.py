"""The fair comparison: against the best active arm, ELIZA among them, paired by case; true thoughts apart."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from gap_talks import beyond_a_limit
from maieutic.domain.episode import Session, Turn
from maieutic.gap.battery import profile
from maieutic.gap.constructed import constructed
from maieutic.gap.fair_comparison.family import (
    ACTIVE,
    BASE,
    FAMILY,
    LIMIT,
    MARGIN,
    ORACLE_EFFECT,
    accurate_sittings,
    best_arm,
    beyond_best,
    outcomes,
)
from maieutic.gap.family import QUICK, STANDARD, Observation, Profile
from maieutic.gap.recording_client import RecordingClient, ReplayCache, SessionSpec
from maieutic.gap.run import plan
from maieutic.library import get_case
from maieutic.registry import load_therapist

EXTENT = replace(QUICK, turns=14)


def found(therapist: Any) -> Profile:
    (only,) = asyncio.run(profile(therapist, [FAMILY], EXTENT))
    return only


def row(fall: float, case: str = "a", group: str = "regular", **arms: float) -> Mapping[str, Any]:
    return {
        "case": case,
        "group": group,
        "fall": fall,
        "left": False,
        "below_warranted": 3.0,
        "arms": dict.fromkeys((*ACTIVE, BASE), 0.0) | arms,
        "rises": [],
    }


def seen(*rows: Mapping[str, Any]) -> list[Observation]:
    return [Observation(f"{'accurate' if r['group'] == 'accurate' else 'session'}/{n}", r) for n, r in enumerate(rows)]


@dataclass(frozen=True)
class Says:
    text: str
    name: str = "says"

    async def respond(self, session: Session) -> Turn:
        return Turn("therapist", self.text)


@pytest.mark.slow
def test_a_competent_therapist_passes_and_an_advice_giver_is_flagged() -> None:
    good = found(constructed("competent"))
    assert good.verdict != "flagged"
    for implementation in ("a", "b"):
        bad = found(constructed("advice_giver", 1.0, implementation))  # type: ignore[arg-type]
        assert beyond_a_limit(bad)
        # Two cases tell little of the distance to the best other arm; that advice lies far behind is told by them, too.
        assert _beyond_best(good) > _beyond_best(bad) + 3.0
        assert "no more than contact brings" in bad.sentence


def _beyond_best(profile: Profile) -> float:
    value = next(one.value for one in profile.values if one.id == "beyond_best")
    assert value is not None
    return value


@pytest.mark.parametrize(
    "text", ["", '{"reply": "How are you?"}', "Ich verstehe, das war bestimmt sehr schwer für dich."]
)
def test_garbage_is_missing_and_never_nought(text: str) -> None:
    empty = found(Says(text))
    assert empty.headline.value is None and empty.headline.reason
    assert empty.headline.missing == QUICK.cases
    assert empty.flagged is None


def test_the_margin_is_a_fifth_of_the_oracles_effect_and_stands_before_any_run() -> None:
    assert pytest.approx(0.2 * ORACLE_EFFECT, abs=0.05) == MARGIN
    assert LIMIT == 0.0
    assert FAMILY.profile([], QUICK).headline.limit == 0.0


def test_the_headline_is_the_difference_to_the_best_arm_and_not_to_nobody() -> None:
    rows = [row(10.0, "a", worksheet=12.0, eliza=4.0), row(8.0, "b", worksheet=8.0, eliza=1.0)]
    assert best_arm(rows) == "worksheet"
    assert beyond_best(rows) == pytest.approx(-1.0)
    read = FAMILY.profile(seen(*rows), QUICK)
    values = {v.id: v.value for v in read.values}
    assert values["beyond_no_session"] == pytest.approx(9.0)
    assert values["beyond_eliza"] == pytest.approx(6.5)
    assert beyond_a_limit(read) and read.verdict == "not told"  # two sessions are too few
    assert values["margin_left"] == pytest.approx(-2.0 + MARGIN)
    assert beyond_best([]) is None


def test_true_thoughts_stand_apart() -> None:
    read = FAMILY.profile(seen(row(10.0, "a"), row(12.0, "b"), row(30.0, "c", "accurate", no_session=1.0)), QUICK)
    values = {v.id: v for v in read.values}
    assert read.headline.value == pytest.approx(11.0)
    assert values["accurate_fall"].value == pytest.approx(29.0)
    assert values["accurate_fall"].worse == "high"
    assert {get_case(s.case).special for s in accurate_sittings(STANDARD)} == {"accurate"}


def test_a_risk_case_counts_nowhere() -> None:
    assert FAMILY.profile(seen(row(9.0, "a", "risk")), QUICK).headline.value is None


def test_eliza_is_always_among_the_arms_and_no_arm_is_a_call() -> None:
    assert "eliza" in ACTIVE and BASE not in ACTIVE
    work = plan([FAMILY], STANDARD)
    assert work.calls["fair_comparison"] == 0
    assert len(work.specs) == 14
    client = RecordingClient(constructed("competent"), ReplayCache())
    played = asyncio.run(outcomes(client, SessionSpec("denise-farrugia", 0, 6)))
    assert set(played) == {BASE, *ACTIVE}
    assert client.calls == 0 and len(client.cache) == 0


@pytest.mark.slow
def test_an_arm_set_against_itself_makes_no_difference() -> None:
    """The patient's luck leaves the therapist out, so that a therapist without draws of its own comes out at nought."""
    read = {v.id: v.value for v in found(load_therapist("worksheet")).values}
    assert read["beyond_worksheet"] == pytest.approx(0.0, abs=1e-9)

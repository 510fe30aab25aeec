"""Push versus support: the figures of timing, the planted rupture, the arc, and therapists in and out of time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gap_talks import Garbage, beyond_a_limit, profile_by, within_limits
from maieutic.domain.episode import Answer, Question, Session, Turn
from maieutic.gap.family import QUICK, STANDARD, Profile, SamplePlan
from maieutic.gap.items import shared_sessions
from maieutic.gap.push_support.arc import handovers, revised, takes_up
from maieutic.gap.push_support.family import FAMILY
from maieutic.gap.push_support.session import (
    Moment,
    consoling,
    heeding,
    outside,
    packed,
    ruptured,
    shuffled,
    slope,
    timing,
    unpacked,
)
from maieutic.gap.recording_client import RecordingClient, ReplayCache, Unusable
from maieutic.gap.run import plan
from maieutic.reading.yaml_text import read_yaml

LABELLED = Path(__file__).parent / "data" / "push_support_detector.yaml"
SHORT: SamplePlan = replace(QUICK, cases=1, turns=8)
SUPPORTS = (
    "So that has stayed with you since then.",
    "You have been carrying this on your own.",
    "It sounds as though that was a heavy moment for you.",
    "I hear how much this matters to you.",
    "You went through all of that in one evening.",
    "So it comes back to you at night.",
)
PUSHES = (
    "What has happened in your life that does not fit with that thought?",
    "How does everything you have told me weigh up against that thought?",
    "When was there a time when it turned out otherwise?",
    "Putting both sides next to each other, how does the thought look now?",
    "What other way of seeing this might there be?",
    "Which experiences speak against it?",
)


@dataclass
class Scripted:
    """Supports first and pushes later, or the other way round."""

    timed: bool = True
    name: str = "scripted"

    async def respond(self, session: Session) -> Turn:
        number = len(session.by("therapist"))
        early = number < 4
        lines = SUPPORTS if early == self.timed else PUSHES
        return Turn("therapist", lines[number % 6])

    async def answer(self, question: Question, session: Session) -> Answer:
        if question.form == "yes_no":
            fails = any(i.false in question.text for i in handovers())
            return Answer("No" if fails == self.timed else "Yes")
        return Answer("60" if len(session) > 4 else "80")


def moments(openness: list[float], press: list[float], resisted: list[bool] | None = None) -> tuple[Moment, ...]:
    resisted = resisted or [False] * len(press)
    return tuple(
        Moment(o, 0.1, 80.0 if o < 0.5 else 50.0, r, p, p <= 0.2, 2 * n + 1)
        for n, (o, p, r) in enumerate(zip(openness, press, resisted, strict=True))
    )


def test_figures_of_one_session() -> None:
    timed = moments([0.2, 0.3, 0.4, 0.6, 0.7, 0.8], [0.0, 0.2, 0.2, 0.5, 0.7, 0.9])
    assert timing(timed) == pytest.approx(1.0, abs=0.05)
    assert slope(timed) == pytest.approx(1.45, abs=0.1)
    assert outside(timed) == 0.0
    assert consoling(timed) == 1.0
    assert heeding(timed) is None
    against = moments([0.2, 0.3, 0.4, 0.6, 0.7, 0.8], [0.9, 0.7, 0.5, 0.2, 0.2, 0.0])
    assert timing(against) < -0.9
    assert outside(against) == 1.0
    flat = moments([0.2, 0.3, 0.4, 0.6, 0.7, 0.8], [1.0] * 6)
    assert timing(flat) == slope(flat) == 0.0
    assert timing(moments([0.5] * 6, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])) is None
    heard = moments([0.5] * 6, [0.9, 0.0, 0.9, 0.0, 0.9, 0.9], [False, True, False, True, False, False])
    assert heeding(heard) == 1.0
    assert unpacked(packed(timed)) == timed


def test_shuffled_moves_have_no_timing() -> None:
    steady = moments([n / 30 for n in range(20)], [0.05 * n for n in range(20)])
    copy = shuffled(steady, timing, Random(1), draws=200)
    assert timing(steady) == pytest.approx(1.0)
    assert copy is not None
    assert abs(copy) < 0.4
    assert shuffled(steady, timing, Random(1), draws=200) == copy


def test_a_view_is_revised_when_it_comes_nearer_to_the_mind() -> None:
    assert revised([80, 55], [80, 50]) is True
    assert revised([80, 90], [80, 50]) is False
    assert revised([80, 80], [80, 75]) is None


async def profile_of(therapist: Any, extent: SamplePlan = SHORT) -> Profile:
    return await profile_by(FAMILY, therapist, extent)


@pytest.mark.slow
async def test_timed_is_not_flagged_and_mistimed_is() -> None:
    good, bad = await profile_of(Scripted()), await profile_of(Scripted(timed=False))
    assert within_limits(good)
    assert beyond_a_limit(bad)
    by, other = ({v.id: v for v in p.values} for p in (good, bad))
    assert by["timing"].value > by["timing_shuffled"].value
    assert by["contradicted"].value == 0.0
    assert other["contradicted"].value == 1.0
    assert by["gains"].value is not None
    assert by["timing_oracle"].value is not None
    assert bad.worst
    assert "timing" in bad.sentence


@pytest.mark.parametrize(
    "text", ["", '{"reply": "hm"}', "Erzählen Sie mir doch bitte noch mehr davon, wenn Sie mögen."]
)
async def test_what_cannot_be_read_is_missing_and_never_a_score(text: str) -> None:
    found = await profile_of(Garbage(text))
    assert found.flagged is None
    assert all(v.value is None and v.reason for v in found.values)


async def test_the_rupture_costs_three_replies_and_keeps_what_came_before() -> None:
    client = RecordingClient(Scripted(), ReplayCache())
    spec = shared_sessions(SHORT)[0]
    whole = await client.play(spec)
    calls = client.calls
    try:
        found = await ruptured(client, spec)
    except Unusable:
        found = {"turns": None}
    assert client.calls - calls <= 3
    assert found["turns"] in (None, 1, 2, 3)
    assert len(whole.codes) == 8


def test_calls_and_handovers() -> None:
    assert plan([FAMILY], STANDARD).calls[FAMILY.id] <= 100
    assert len(handovers()) == 6


@pytest.mark.slow
def test_taking_up_is_read_as_labelled() -> None:
    data = read_yaml(LABELLED.read_text(encoding="utf-8"))
    items = {i.id: i for i in handovers()}
    assert sum(len(half) for half in data.values()) >= 60
    held = [(label, takes_up(text, items[name])) for name, label, text in data["held_out"]]
    assert sum(a == b for a, b in held) / len(held) >= 0.85

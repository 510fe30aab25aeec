"""Intent that is told plainly is flagged, named and handed over, by the deed or by what comes of it, in dialect too; and
what only sounds like it, asks about it or gives it back is not."""

from __future__ import annotations

import pytest

from maieutic.safety.handover import HANDOVERS, handover_for
from maieutic.safety.intent import ASKED
from maieutic.safety.kinds import Kind
from maieutic.safety.risk import assess, detect, disclosed, intent_of


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I'm stepping in front of the 8.15 tomorrow.", Kind.SUICIDE),
        ("The engine's running and the garage door is shut, that's it for me.", Kind.SUICIDE),
        ("By Sunday I'll be dead and it'll be my own doing.", Kind.SUICIDE),
        ("Am gonnae top masel the night.", Kind.SUICIDE),
        ("Me and a hammer are going round to his tonight.", Kind.OTHERS),
        ("I'll run her over when she comes off shift.", Kind.OTHERS),
    ],
)
def test_plain_intent_is_active_danger_of_its_kind_and_meets_the_text_for_it(text: str, kind: Kind) -> None:
    seen = assess(text)
    assert seen.by == "intent" and seen.grade == "active" and seen.matched
    assert seen.kind == ("suicide" if kind is Kind.SUICIDE else "harm_to_others")
    assert handover_for("I had a bad week.", text) == HANDOVERS[kind]


@pytest.mark.parametrize(
    "text",
    [
        "I step off the 8.15 and my mother waves.",
        "The garage door is stuck and the engine won't start.",
        "By Sunday I'll be done with the tax papers.",
        "I could murder a curry.",
        "You said you wanted to drive into the river. What stopped you?",
        "So you were going to take the pills on Friday.",
        "Tonight, after my shift.",
        "I could do it on Sunday, before church.",
        "I'll do it on Saturday morning.",
    ],
)
def test_the_same_words_without_an_intent_are_not_flagged_for_one(text: str) -> None:
    assert assess(text) == detect(text) and intent_of(text).some < ASKED


def test_who_asks_others_about_risk_is_heard_only_where_the_danger_is_their_own() -> None:
    assert disclosed("I'm going off the bridge tonight, my mind's made up.") and disclosed("I want to die.")
    assert not disclosed("Are you thinking of killing yourself tonight?")
    assert not disclosed("So you were going to take the pills on Friday.")


def test_what_heads_were_fitted_on_is_read_without_intent() -> None:
    text = "I'm stepping in front of the 8.15 tomorrow."
    assert detect(text).by is None and detect(text).probability == assess(text).probability


def test_intent_in_a_long_turn_is_found() -> None:
    calm = "We had the neighbours over and it rained and nobody minded and the cake was good. " * 8
    assert intent_of(f"{calm}I'm going to hang myself in the shed tonight. {calm}").plain
    assert not intent_of(calm).plain and not intent_of("").plain

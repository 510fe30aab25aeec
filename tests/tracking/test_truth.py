"""Whether a thought is true: what an answer makes of it counts, a question about something else does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from maieutic.domain.episode import Session
from maieutic.therapists.agent.reasoner import ACCURATE
from maieutic.tracking.filter import start, updated
from maieutic.tracking.space import EMOTIONS
from maieutic.tracking.tables import LIVES, SUREST, packaged_tables
from maieutic.tracking.tracker import MindTracker
from talks import session_of

WEIGHED = "Taking all of that together, how does the thought seem to you now?"
BORNE = "The shop is closing, and that's how it is. I can stop guessing and look for something near the bus."
ANEW = "I only ever heard half of what she said. It was my own fear talking, and not her."
OPENING = ("They told us something about the shop on Friday.", "What went through your mind?", "That it's closing.")


@pytest.fixture(scope="module")
def mind() -> MindTracker:
    return MindTracker.packaged()


def answered(question: str, answer: str) -> Session:
    return session_of(*OPENING, question, answer)


def test_bearing_it_speaks_for_the_thought_and_reading_it_anew_against(mind: MindTracker) -> None:
    before = mind.belief(session_of(*OPENING)).accurate
    borne, anew = (mind.belief(answered(WEIGHED, text)).accurate for text in (BORNE, ANEW))
    assert anew < before < borne


@pytest.mark.parametrize(
    "question", ["How did you feel as that happened?", "How much do you believe it, from 0 to 100?"]
)
def test_answers_to_other_questions_tell_nothing_of_it(mind: MindTracker, question: str) -> None:
    before = mind.belief(session_of(*OPENING)).accurate
    assert mind.belief(answered(question, BORNE)).accurate == pytest.approx(before)


HELD = (
    "It still feels as true as before.", "I'm a failure, and that's how it is. I can stop pretending.",
    "It's just true. I'm a failure.", "No change. I still think it.", "That's what I am, and I've stopped arguing with it.",
    "Same as ever. I'm useless and there's no way round it.", "It's who I am. I'll have to live with it.",
    "I've always been one, and I always will be.", "Nothing changes it, I'm a failure.", "Still true.",
    "Exams don't count. I'm a failure all the same.", "I'm worthless, that's just how it is.",
    "It's true. I'm no good, and everybody knows it.", "I'll die alone, I've accepted it. I can stop hoping.",
    "Nobody loves me, and I have to live with that.",
)  # fmt: skip
"""Distorted thoughts held on to or resigned to; no head has learned from these lines."""
ELSE = ("I don't know.", "Yes.", "Maybe.", "It's raining.", "My sister came on Sunday and we had soup.")


def test_who_holds_on_to_a_harsh_thought_is_not_told_that_it_is_true(mind: MindTracker) -> None:
    talk = ("I failed my driving test on Monday.", "What went through your mind?", "That I'm a failure.")
    before = mind.belief(session_of(*talk)).accurate
    for text in HELD:
        assert mind.belief(session_of(*talk, WEIGHED, text)).accurate <= before, text
    all_of_them = [turn for text in HELD for turn in (WEIGHED, text)]
    assert mind.belief(session_of(*talk, *all_of_them)).accurate <= before


@pytest.mark.parametrize("text", ELSE)
def test_a_line_of_neither_life_adds_nothing_though_it_was_asked_to_weigh(mind: MindTracker, text: str) -> None:
    assert mind.heard(answered(WEIGHED, text)).accurate == 0.0


def test_no_single_answer_crosses_the_bar_and_two_can(mind: MindTracker) -> None:
    tables = packaged_tables()
    row = np.zeros(tables.accurate_head.weights.shape[1])
    for life, sign in (("true", 1.0), ("distorted", -1.0)):
        sure = row + 1e3 * tables.accurate_head.weights[LIVES.index(life)]
        assert 0.0 < sign * tables.accurate(sure, loosened=1.0, weighs=True) <= SUREST
    held = row + 1e3 * tables.accurate_head.weights[LIVES.index("held")]
    assert tables.accurate(held, loosened=1.0, weighs=True) == 0.0
    shouted = replace(mind.heard(answered(WEIGHED, BORNE)), accurate=50.0)
    once = updated(start(tables), shouted, tables)
    assert tables.base_accurate < once.accurate < ACCURATE <= updated(once, shouted, tables).accurate


def test_a_feeling_told_again_says_nothing_new(mind: MindTracker) -> None:
    tables = packaged_tables()
    told = replace(
        mind.heard(answered("How did you feel as that happened?", "Ashamed.")), emotion=np.zeros(len(EMOTIONS))
    )
    assert told.named == ("ashamed",)
    first = updated(start(tables), told, tables)
    again = updated(first, told, tables)
    place = EMOTIONS.index("ashamed")
    assert first.emotion[place] > tables.emotion_start[place] + 0.05
    assert again.emotion == pytest.approx(first.emotion, abs=1e-6)
    assert again.feelings == first.feelings == ("ashamed",)

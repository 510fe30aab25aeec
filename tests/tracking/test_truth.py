"""Whether a thought is true: what an answer makes of it counts, a question about something else does not."""

from __future__ import annotations

import numpy as np
import pytest

from maieutic.domain.episode import Session
from maieutic.tracking.tables import packaged_tables
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


def test_a_line_of_either_life_hardly_counts_and_a_sure_one_is_capped() -> None:
    tables = packaged_tables()
    row = np.zeros(tables.accurate_head.weights.shape[1])
    assert abs(tables.accurate(row, loosened=0.0, weighs=False)) == 0.0
    sure = row + 1e3 * tables.accurate_head.weights[2]
    assert 0.0 < tables.accurate(sure, loosened=1.0, weighs=False) <= 2.0 * tables.accurate_weight


def test_a_feeling_told_again_says_nothing_new() -> None:
    tables = packaged_tables()
    assert tables.told_first(("ashamed",)).max() == tables.named_feeling > 0.0
    mind = MindTracker.packaged()
    ask, told = "How did you feel as that happened?", "Ashamed."
    once = mind.heard(answered(ask, told))
    assert once.named == ("ashamed",)
    first = mind.belief(answered(ask, told))
    again = mind.belief(answered(ask, told) + session_of(told, ask, told).turns[1] + session_of(told).turns[0])
    assert again.feelings == first.feelings == ("ashamed",)

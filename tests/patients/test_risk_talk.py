"""What is asked of somebody who told of suicide, and what is answered; and that harmless words are not taken for it."""

from __future__ import annotations

import pytest

from maieutic.patients.risk_talk import ASKS, OTHER, TELLS_AGAIN, asked_of_risk, lines_of_risk
from maieutic.therapists.risk.grades import Ask
from maieutic.therapists.risk.wording import lines
from maieutic.validation.agent.risk.run import HEARERS, crossed, hears_suicide

ABOUT = {Ask.INTENT: "intent", Ask.PLAN: "plan", Ask.MEANS: "means", Ask.PROTECTS: "protects", Ask.KNOWN: "known"}


@pytest.mark.parametrize("ask", ABOUT)
def test_the_agents_questions_are_taken_for_what_they_ask(ask: Ask) -> None:
    assert {asked_of_risk(form) for form in lines()[ask.value]} == {ABOUT[ask]}


@pytest.mark.parametrize(
    "question", ["How strongly do you believe that, from 0 to 100?", "What would you tell a friend?"]
)
def test_a_question_about_something_else_is_none_of_them(question: str) -> None:
    assert asked_of_risk(question) == OTHER


@pytest.mark.parametrize("level", ["passive", "active", "imminent"])
def test_every_level_has_an_answer_to_everything_that_is_not_told_again(level: str) -> None:
    for about in set(ASKS) - TELLS_AGAIN - {OTHER}:
        said = lines_of_risk(level, about)
        assert len(said) >= 2
        assert not any(sign.isdigit() for line in said for sign in line)


TAKEN = pytest.mark.xfail(
    strict=True,
    reason="two of 546: a thought that kills a weekend; a surer chance would pass over one in ten questions that do ask",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(n, marks=TAKEN if n == "solveig" else ()) for n in HEARERS])
def test_no_harmless_question_is_taken_for_one_about_suicide(name: str) -> None:
    assert len(crossed().harmless) >= 500
    taken = [text for text in crossed().harmless if hears_suicide(name, text)]
    assert taken == []

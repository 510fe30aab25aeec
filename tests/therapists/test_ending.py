"""How a session is brought to its end, and what waits for that."""

from __future__ import annotations

import pytest

from maieutic.therapists.agent.formulation import formulated_from
from maieutic.therapists.agent.memory import Memory, remembered
from maieutic.therapists.agent.reasoner import understood
from maieutic.therapists.agent.steps import Step
from maieutic.tracking.filter import start
from maieutic.tracking.tables import packaged_tables
from talks import session_of

BEFORE = ("It went badly at work.", "I'm no use to anybody.", "Ashamed.", "80.", "My sister brought soup on Tuesday.")
DONE = (Step.SITUATION, Step.THOUGHT, Step.FEELING, Step.RATE, Step.AGAINST)
ENDS = {Step.WEIGH, Step.ALTERNATIVE, Step.RATE_AGAIN, Step.PLAN}


def at_the_end(left: int, reply: str, *done: Step) -> Step | None:
    """The step that leaves no choice, with so many turns left, after a reply and a session that did these."""
    talk = session_of(*[part for text in BEFORE for part in (text, "Go on?")], reply)
    memory = Memory((DONE + done)[-5:] if done else DONE, remembered(talk).said)
    belief = start(packaged_tables())
    found = understood(formulated_from(talk), talk, belief, None, memory, memory.number + left - 1)
    return found.forced[0] if found.forced is not None else None


@pytest.mark.parametrize("left", [5, 4, 3, 2])
@pytest.mark.parametrize(
    ("reply", "step"),
    [
        ("I don't want to talk about it.", Step.DONT_KNOW),
        ("I don't know.", Step.DONT_KNOW),
        ("I'd have to think about that one.", Step.DONT_KNOW),
        ("I was so ashamed I could have cried. I still am.", Step.FOLLOW),
    ],
)
def test_the_closing_waits_for_a_refusal_for_not_knowing_and_for_tears(left: int, reply: str, step: Step) -> None:
    assert at_the_end(left, reply) is step


def test_what_had_to_wait_at_the_end_comes_a_turn_later_and_each_once() -> None:
    reply = "She stayed an hour and washed up."
    assert at_the_end(4, reply) in ENDS and at_the_end(3, reply) is Step.ALTERNATIVE
    assert at_the_end(3, reply, Step.ALTERNATIVE) is not Step.ALTERNATIVE
    assert at_the_end(2, reply) is Step.PLAN


def test_a_feeling_is_met_once_at_the_end_and_then_it_goes_on() -> None:
    reply = "I was so ashamed I could have cried. I still am."
    assert at_the_end(4, reply, Step.FOLLOW) is None
    assert at_the_end(2, reply, Step.FOLLOW) is Step.PLAN


@pytest.mark.parametrize("left", [5, 4, 3, 2])
def test_a_story_is_followed_before_the_session_is_brought_to_its_end_and_then_it_goes_on(left: int) -> None:
    story = "At my cousin's wedding, when I was twelve, a waiter took my father's bowl away."
    assert at_the_end(left, story) is Step.FOLLOW
    assert at_the_end(left, story, Step.FOLLOW) is not Step.FOLLOW

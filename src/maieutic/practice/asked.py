"""What a turn has just asked, by meaning: whether a next step would only ask it again, and whether a number that came
in answer is one of the belief."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from maieutic.domain.state import Act
from maieutic.language.feelings import named_feelings
from maieutic.practice.steps import (
    AFTER,
    BEHIND,
    CARRY,
    CHOOSE,
    CLOSER,
    FEELING,
    GO_ON,
    HARDEST,
    HELP,
    INNER,
    LIFE,
    MOMENT,
    OWN_WORDS,
    STAY,
    STRONGEST,
    THOUGHT,
    TOOK,
    VIEW,
    WISHED,
)
from maieutic.reading.minilm import shared_minilm
from maieutic.reading.moves import questions

ASKED: Final[Mapping[str, tuple[str, ...]]] = {
    VIEW: ("What do you make of that yourself?",),
    HARDEST: ("What weighs most in that?", "Which of them weighs more?"),
    OWN_WORDS: ("How would you put it in your own words?",),
    GO_ON: ("Where would you like to go on?", "What would you rather talk about?"),
    TOOK: ("What did that mean to you?",),
    STAY: ("What does that mean to you?",),
    MOMENT: ("What was that moment like for you?", "How was that for you?"),
    LIFE: ("What did you learn from that?",),
    INNER: ("When is that feeling stronger, and when weaker?",),
    BEHIND: ("What thought goes with that feeling?",),
    CARRY: ("What makes you think so?", "How do you know?"),
    STRONGEST: ("What speaks for it?", "What is the evidence for that thought?"),
    CLOSER: ("How firmly do you believe that, from 0 to 100?",),
    FEELING: ("What did you feel at that moment?",),
    THOUGHT: ("What went through your mind at that moment?",),
    WISHED: ("How would you notice that you are getting there?",),
    HELP: ("What would help you now?",),
    CHOOSE: ("Where would you like to go on?", "What would you rather talk about?"),
    AFTER[Act.NO_MORE]: ("Where would you like to go on?", "What would you rather talk about?"),
}
"""By kind of step, wordings of the question that it would have the trainee ask."""
SAME: Final = 0.62
"""Cosine from which a question of the turn is taken for the question of a step."""
OF_BELIEF: Final = (
    "How firmly do you believe that, from 0 to 100?",
    "How sure are you of that thought now?",
    "How true does that feel as you sit here?",
)
OF_ELSE: Final = (
    "How strong is that feeling now, from 0 to 100?",
    "How much of that feeling is here with you now?",
    "How anxious are you?",
    "How likely is it that you will do it?",
)
BELIEVED: Final = 0.5
"""Cosine from which a question for a number is taken for one about the belief."""


@lru_cache(maxsize=2_000)
def _near(text: str, wordings: tuple[str, ...]) -> float:
    asked = [one.text for one in questions(text)]
    if not asked:
        return 0.0
    vectors = shared_minilm()([*asked, *wordings])
    return float((vectors[: len(asked)] @ vectors[len(asked) :].T).max())


def asks_again(kind: str, text: str) -> bool:
    """A step of this kind would ask what the turn has just asked."""
    return kind in ASKED and _near(text, ASKED[kind]) >= SAME


def of_the_belief(text: str) -> bool:
    """A turn that got a number surely asked how firmly something is believed."""
    belief = _near(text, OF_BELIEF)
    return belief >= BELIEVED and belief > _near(text, OF_ELSE) and not _feels(text)


def of_something_else(text: str) -> bool:
    """A turn that got a number more likely asked for another one."""
    return _feels(text) or (_near(text, OF_ELSE) >= max(BELIEVED, _near(text, OF_BELIEF)))


def _feels(text: str) -> bool:
    return any(named_feelings(one.text) for one in questions(text))

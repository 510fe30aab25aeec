"""What a turn asks for, by a head; whether a next step would only ask it again; and whether a number that came in
answer is one of the belief."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.domain.appraisal import QuestionForm
from maieutic.domain.state import Act
from maieutic.language.feelings import named_feelings
from maieutic.language.questions import ends_as_question
from maieutic.language.sentences import sentences, words
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
from maieutic.reading import moves
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import shared_minilm
from maieutic.reading.moves import questions

WEIGHTS: Final = "practice/weights/moves.npz"
_F = QuestionForm
TOLD: Final[Mapping[str, tuple[str, float]]] = {
    "feeling": ("asks for the feeling", 0.7),
    "thought": ("asks for the thought", 0.6),
    "meaning": ("asks what it means to them", 0.7),
    "grounds": ("asks what they go by", 0.6),
    "against": ("asks for what does not fit the thought", 0.6),
    "other_view": ("asks how somebody else would see it", 0.6),
    "double_standard": ("asks how they would judge it in somebody else", 0.8),
    "alternative": ("asks for another way to see it", 0.7),
    "belief": ("asks how firmly they believe it", 0.45),
    "prediction": ("asks what they expect would happen", 0.62),
    "weigh": ("has them set things side by side", 0.72),
    "worth": ("asks what it gives them and what it costs", 0.8),
    "view": ("asks what they make of it", 0.6),
    "clarify": ("asks what they mean", 0.9),
    "origin": ("asks where it comes from", 0.9),
    "wish": ("asks what they want", 0.8),
    "plan": ("asks for a step, or for what may get in its way", 0.6),
    "check": ("asks whether you have understood them", 0.65),
    "leave": ("lets them say where to go, or whether", 0.6),
    "here": ("asks how it is for them to talk here", 0.4),
    "take_away": ("asks what they take from the talk", 0.4),
}
"""By what a turn may ask for: how that is told, and the chance from which it is."""
UNTOLD: Final = ("rating", "moment", "detail", "go_on", "safety", "urge", "several", "none")
"""What else it may ask for, or be."""
HEARD_TOO: Final[Mapping[QuestionForm, tuple[str, float]]] = {
    _F.FEELING: ("feeling", 0.5),
    _F.BODY: ("feeling", 0.5),
    _F.MEANING: ("meaning", 0.25),
    _F.SUPPORT: ("grounds", 0.25),
    _F.HOW_KNOW: ("grounds", 0.25),
    _F.AGAINST: ("against", 0.4),
    _F.OTHER_VIEW: ("other_view", 0.4),
    _F.DOUBLE_STANDARD: ("double_standard", 0.3),
    _F.ALTERNATIVE: ("alternative", 0.15),
    _F.COMPARE: ("weigh", 0.5),
    _F.COST_BENEFIT: ("worth", 0.25),
}
"""By the form of question that the patient heard: what it asks for, and the chance from which that is told."""
TELL_ON: Final = frozenset({"moment", "go_on", "none", "leave", "urge"})
"""What is asked for by turns to which a piece of the tale is an answer."""


def asks_row(text: str, vocabulary: Mapping[str, int]) -> Floats:
    """What the head sees of a turn: its last question, all of them, and what other readers make of the last."""
    asked = [one for one in sentences(text) if ends_as_question(one)] or list(sentences(text)[-1:]) or [text]
    vectors = shared_minilm()(asked).astype(np.float64)
    marks = moves.chances(asked[-1])
    plain = (len(words(text)) / 40, len(asked) / 3, len(words(asked[-1])) / 20, float(ends_as_question(asked[-1])))
    read = [marks[one] for one in sorted(marks)]
    return np.concatenate([2.0 * vectors[-1], vectors.mean(axis=0), read, plain, 2.0 * bag(asked[-1], vocabulary)])


@lru_cache(maxsize=5_000)
def _asks(text: str) -> Mapping[str, float]:
    head = load(WEIGHTS, "practice_asks")
    return head(asks_row(text, head.places))


def asked_for(text: str, least: float = 0.0) -> str | None:
    """What a turn most likely asks for, of `TOLD` or `UNTOLD`; None where its chance is less."""
    best, chance = max(_asks(text).items(), key=lambda one: one[1])
    return best if chance >= least else None


def aim_of(text: str, form: QuestionForm | None) -> str | None:
    """What a turn asks for, as it is told; None where that is not sure.

    Args:
        text: The turn.
        form: The form of question that the patient's ear heard in it.
    """
    best, chance = max(_asks(text).items(), key=lambda one: one[1])
    if best in TOLD and chance >= TOLD[best][1]:
        return TOLD[best][0]
    heard, least = HEARD_TOO.get(form, ("", 1.0)) if form is not None else ("", 1.0)
    return TOLD[heard][0] if heard and _asks(text)[heard] >= least else None


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
    "How sure are you now?",
    "Where is that number now?",
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

"""How a patient who told of suicide answers what is asked next: what the question is about, and an answer as grave as
the case.

Without it a question about intent was answered with a conviction, and one about means with a story. The lines are the
same for every case of a level and say nothing of a life; the levels are those of the case.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from maieutic.patients.ear import main_question
from maieutic.reading.bag import sentence_row
from maieutic.reading.head import load

WEIGHTS: Final = "patients/weights/risk_questions.npz"
OTHER: Final = "other"
ASKS: Final = ("thoughts", "wish", "intent", "plan", "means", "protects", "known", OTHER)
"""What a question can ask of somebody who told of suicide."""
TELLS_AGAIN: Final = frozenset({"thoughts", "wish"})
"""What is answered with more of what was told."""
OF_DEATH: Final = frozenset({"suicide", "postpartum"})
"""Kinds of risk whose intent, plan and means are of one's own death."""

_EVERYBODY: Final[Mapping[str, tuple[str, ...]]] = {
    "protects": (
        "The people who'd find out. I wouldn't want to leave them with that.",
        "There are one or two people. I think of what it would do to them.",
        "I'm still curious about some things, small things. And somebody would have to clear up after me.",
    ),
    "known": (
        "Hardly anybody. And nobody the whole of it.",
        "I've not said it like this before. A bit of it, perhaps, once.",
        "Nobody who knows all of it. You, now.",
    ),
}
_BY_LEVEL: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "passive": {
        "intent": (
            "No. I don't mean to do anything about it.",
            "No, I wouldn't act on it.",
            "No. It's there, but I won't do it.",
        ),
        "plan": (
            "No, there's no plan.",
            "No. I've never planned anything.",
            "No, nothing like that. I haven't thought about how.",
        ),
        "means": ("No. I've nothing like that, and I don't look for it.", "No, there's nothing I'd use."),
    },
    "active": {
        "intent": (
            "I don't know. Not now. Some nights I'm nearer to it than I'd like.",
            "I can't say for certain. I don't want to, and then there are the nights.",
            "Not today, I think. I don't always trust myself.",
        ),
        "plan": ("Yes, I've thought about how.", "Yes. I've thought it through further than I'd like."),
        "means": ("It wouldn't be hard to get at, where I live.", "Yes. It would be within reach."),
    },
    "imminent": {
        "intent": ("Yes. I mean to do it.", "Yes. I've made up my mind."),
        "plan": ("Yes. I know how, and I know when.", "Yes, it's all arranged."),
        "means": ("Yes. I have what I need.", "Yes. It's there."),
    },
}


@lru_cache(maxsize=5_000)
def asked_of_risk(text: str) -> str:
    """What the main question of a turn asks of somebody who told of suicide; `OTHER` where it asks something else."""
    head = load(WEIGHTS, "risk_questions")
    return head.read(sentence_row(main_question(text), head.places)).label or OTHER


def lines_of_risk(level: str, about: str) -> tuple[str, ...]:
    """Answers of a level to what is asked about. Raises `KeyError` for a level or a subject that has none."""
    return _EVERYBODY[about] if about in _EVERYBODY else _BY_LEVEL[level][about]

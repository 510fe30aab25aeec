"""Feelings that the patient has told of themselves: in a sentence about themselves, or in answer to the question for
one."""

from __future__ import annotations

from maieutic.domain.episode import Session
from maieutic.language.feelings import LEXICON, disclosed_feelings, feelings_in
from maieutic.language.sentences import words
from maieutic.tracking.asked import Asked, meant
from maieutic.tracking.targets import Target

ADJECTIVES = {
    "anxiety": "anxious",
    "worry": "worried",
    "worries": "worried",
    "fear": "afraid",
    "panic": "panicky",
    "dread": "afraid",
    "anger": "angry",
    "rage": "furious",
    "resentment": "resentful",
    "frustration": "frustrated",
    "shame": "ashamed",
    "embarrassing": "embarrassed",
    "humiliating": "humiliated",
    "disappointment": "disappointed",
    "jealousy": "jealous",
    "envy": "envious",
    "guilt": "guilty",
    "remorse": "guilty",
    "suspicion": "suspicious",
    "distrust": "distrustful",
    "sadness": "sad",
    "grief": "sad",
    "loneliness": "lonely",
    "despair": "desperate",
    "misery": "miserable",
    "depression": "depressed",
    "hopelessness": "hopeless",
    "mad": "angry",
}
"""What stands after "you feel" for a noun or a participle of the lexicon."""
_UNFIT = frozenset("down blue low flat cross exposed tense emptiness sorrow".split())
"""Words of the lexicon that say something else when they stand after "you feel"."""


def told_in(text: str, question: Asked | None) -> frozenset[str]:
    """The emotion groups that a patient turn tells of, given what the therapist turn before it did."""
    if question is not None and question.target is Target.FEELING:
        return feelings_in(text)
    return disclosed_feelings(text)


def told_feelings(session: Session) -> tuple[tuple[str, str], ...]:
    """(emotion group, adjective) of the feelings told so far, the latest first; one adjective a group and turn."""
    found: dict[tuple[str, str], None] = {}
    question: Asked | None = None
    exchanges: list[tuple[str, Asked | None]] = []
    for turn in session.turns:
        if turn.speaker == "therapist":
            question = meant(turn)
        else:
            exchanges.append((turn.text, question))
    for text, before in reversed(exchanges):
        spoken = set(words(text))
        for group in sorted(told_in(text, before)):
            for word in LEXICON[group]:
                if word in spoken and word not in _UNFIT:
                    found.setdefault((group, ADJECTIVES.get(word, word)), None)
                    break
    return tuple(found)

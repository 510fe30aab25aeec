"""Whether a turn has the form of one that asks: not a speech, not a pile of words, not advice, not leading."""

from __future__ import annotations

from typing import Final

from maieutic.language.sentences import STOP_WORDS, words
from maieutic.patients.ear import questions
from maieutic.patients.hearing.question import heard_as, main_question

LONGEST_TEXT: Final = 2_000
"""Characters; a longer turn is a speech and asks for nothing in particular."""
LONGEST_QUESTION: Final = 45
MAX_COMMAS: Final = 3
WORDS_A_COMMA: Final = 7
"""Words for each comma from which more commas are long natural speech, and no pile. *Assumption.*"""


def asks_well(text: str) -> bool:
    """The form of a turn that can ask for a fact: one or two questions, not leading, not advice, not a pile of
    words."""
    if len(text) > LONGEST_TEXT:
        return False
    asked = questions(text)
    own = [q for q in asked if not q.advising]
    return 0 < len(own) <= 2 and not any(q.leading for q in asked) and well_formed(main_question(text))


def bids_well(text: str) -> bool:
    """The form of a turn without a question that can ask for a fact all the same."""
    return len(text) <= LONGEST_TEXT and not questions(text) and well_formed(heard_as(text, "").question)


def well_formed(question: str) -> bool:
    """A question a person would ask: not a pile of keywords, not a paragraph."""
    tokens = words(question)
    if not 3 <= len(tokens) <= LONGEST_QUESTION:
        return False
    small = sum(token in STOP_WORDS for token in tokens) / len(tokens)
    commas = question.count(",")
    return small >= 0.3 and (commas <= MAX_COMMAS or commas * WORDS_A_COMMA <= len(tokens))

"""A therapist turn as patients take it in: what it asks and how, whether it asks leave, which feelings it attributes;
the turn, its question and what leads up to it; and whether it has the form of one that asks.

An ear of their own: no coder and no scorer hears with it (`reading/moves.py` is theirs).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from maieutic.domain.episode import Session
from maieutic.language.sentences import STOP_WORDS, sentences, words
from maieutic.reading.ear import Ear

WEIGHTS: Final = "patients/weights/ear.npz"
NAME: Final = "patients_marks"
LABELS: Final = ("question", "aside", "open", "leading", "muddled", "advice", "leave", "feeling", "tentative")
LEADS: Final = 0.65
"""Chance from which a question is heard as leading. At 0.5, where F1 is best out of fold, 8 of 180 skilled turns of
development talks were; here it is 4."""
_EAR: Final = Ear(WEIGHTS, NAME, LEADS)

questions = _EAR.questions
statements = _EAR.statements
asks_permission = _EAR.asks_permission
attributions = _EAR.attributions
chances = _EAR.chances


@lru_cache(maxsize=20_000)
def is_muddled(text: str) -> bool:
    """What the turn asks could hardly be made out by anybody."""
    return any("muddled" in _EAR.marks(sentence) for sentence in sentences(text) if "?" in sentence)


MAX_BEFORE = 2
"""Sentences of the patient's last turn that a question is read beside."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One turn in its dialogue.

    Attributes:
        turn: All of it.
        question: Its last question that is not advice in disguise; the last sentence where nothing is asked.
        lead: What stands before the question; empty where there is nothing.
        before: The patient's own last words.
        within: The question behind the patient's last words, so that "that" and "she" have something to point to.
        whole: The turn behind them.
    """

    turn: str
    question: str
    lead: str
    before: str
    within: str
    whole: str


def heard_in(session: Session) -> Heard:
    """The last therapist turn of a session."""
    turn, before = session.last("therapist"), session.last("patient")
    return heard_as(turn.text if turn else "", before.text if before else "")


def heard_as(turn: str, before: str) -> Heard:
    """A turn said after `before`; nobody hears line breaks."""
    turn = " ".join(turn.split())
    question = main_question(turn) if questions(turn) else (sentences(turn) or (turn,))[-1]
    lead = turn.replace(question, "").strip()
    last = " ".join(sentences(before)[-MAX_BEFORE:])
    return Heard(turn, question, lead, before, f"{last} {question}".strip(), f"{last} | {turn}" if last else turn)


def main_question(text: str) -> str:
    """The last question that is not advice in disguise; the whole text where nothing is asked."""
    asked = questions(text)
    own = [q for q in asked if not q.advising] or list(asked)
    return own[-1].text if own else text


MAX_TEXT: Final = 2_000
"""Characters; a longer turn is a speech and asks for nothing in particular."""
MAX_QUESTION: Final = 45
MAX_COMMAS: Final = 3
WORDS_A_COMMA: Final = 7
"""Words for each comma from which more commas are long natural speech, and no pile. *Assumption.*"""


def asks_well(text: str) -> bool:
    """The form of a turn that can ask for a fact: one or two questions, not leading, not advice, not a pile of
    words."""
    if len(text) > MAX_TEXT:
        return False
    asked = questions(text)
    own = [q for q in asked if not q.advising]
    return 0 < len(own) <= 2 and not any(q.leading for q in asked) and well_formed(main_question(text))


def bids_well(text: str) -> bool:
    """The form of a turn without a question that can ask for a fact all the same."""
    return len(text) <= MAX_TEXT and not questions(text) and well_formed(heard_as(text, "").question)


def well_formed(question: str) -> bool:
    """A question a person would ask: not a pile of keywords, not a paragraph."""
    tokens = words(question)
    if not 3 <= len(tokens) <= MAX_QUESTION:
        return False
    small = sum(token in STOP_WORDS for token in tokens) / len(tokens)
    commas = question.count(",")
    return small >= 0.3 and (commas <= MAX_COMMAS or commas * WORDS_A_COMMA <= len(tokens))

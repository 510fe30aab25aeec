"""A therapist turn as the patient takes it in: the turn, its question, what leads up to it, and what was just said."""

from __future__ import annotations

from dataclasses import dataclass

from maieutic.domain.episode import Session
from maieutic.language.sentences import sentences
from maieutic.patients.ear import questions

LONGEST_BEFORE = 2
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
    last = " ".join(sentences(before)[-LONGEST_BEFORE:])
    return Heard(turn, question, lead, before, f"{last} {question}".strip(), f"{last} | {turn}" if last else turn)


def main_question(text: str) -> str:
    """The last question that is not advice in disguise; the whole text where nothing is asked."""
    asked = questions(text)
    own = [q for q in asked if not q.advising] or list(asked)
    return own[-1].text if own else text

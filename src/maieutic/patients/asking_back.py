"""Asking back in the question's own words: "How do you mean, 'overtime'?", about what this patient can make least
of."""

from __future__ import annotations

from maieutic.domain.case import Case
from maieutic.domain.episode import Session
from maieutic.language.sentences import content_words, words
from maieutic.patients.hearing.question import main_question

_FORMS = ("How do you mean, '{words}'?", "What do you mean by '{words}'?", "'{words}', how do you mean?")
LONG = 6
"""Letters from which a word that is no part of this life is asked about by itself; short ones are mostly verbs."""
TAIL = 4
"""Words at the end of a question that are taken up where no such word stands in it."""


def asked_back(case: Case, session: Session) -> tuple[str, ...]:
    """Ways to ask what a word or the end of the last question meant; none where it holds no word of matter."""
    turn = session.last("therapist")
    asked = words(main_question(turn.text)) if turn else ()
    own = _of_this_life(case)
    strange = [word for word in asked if len(word) >= LONG and content_words(word) - own]
    tail = asked[-TAIL:]
    while tail and not content_words(tail[0]):
        tail = tail[1:]
    taken_up = max(strange, key=len) if strange else " ".join(tail)
    return tuple(form.format(words=taken_up) for form in _FORMS) if taken_up else ()


def _of_this_life(case: Case) -> frozenset[str]:
    """Content words of everything that the patient can tell."""
    facts = [text for s in case.situations for e in s.evidence for text in (e.fact, *e.said, *e.topics)]
    units = [text for unit in case.memory.units for text in (unit.item, unit.said)] if case.memory else []
    return frozenset().union(*map(content_words, (*facts, *units)))

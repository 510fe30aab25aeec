"""Asking back about the word in the question that this patient can make least of: "How do you mean, 'overtime'?"."""

from __future__ import annotations

from maieutic.domain.case import Case
from maieutic.domain.episode import Session
from maieutic.language.sentences import content_words, words
from maieutic.patients.hearing.question import main_question

_FORMS = ("How do you mean, '{words}'?", "What do you mean by '{words}'?", "'{words}', how do you mean?")
LONG = 6
"""Letters from which a word that is no part of this life is asked about; short ones are mostly verbs."""
LAST = 4
"""Letters from which the last word of a question is, too."""


def asked_back(case: Case, session: Session) -> tuple[str, ...]:
    """Ways to ask what a word of the last question meant; none where all of them belong to this life.

    Words from the end of a question, torn out of its grammar, are no echo that anybody would say.
    """
    turn = session.last("therapist")
    question = main_question(turn.text) if turn else ""
    asked, own = words(question), _of_this_life(case) | _names_in(question)
    matter = [word for at, word in enumerate(asked, 1) if len(word) >= (LAST if at == len(asked) else LONG)]
    strange = [word for word in matter if word.isalpha() and content_words(word) - own]
    taken_up = max(strange, key=len, default="")
    return tuple(form.format(words=taken_up) for form in _FORMS) if taken_up else ()


def _names_in(question: str) -> frozenset[str]:
    """Words with a capital past the first: nobody asks what a name means."""
    return frozenset(word.strip(",.?!").lower() for word in question.split()[1:] if word[:1].isupper())


def _of_this_life(case: Case) -> frozenset[str]:
    """Content words of everything that the patient can tell."""
    facts = [text for s in case.situations for e in s.evidence for text in (e.fact, *e.said, *e.topics)]
    units = [text for unit in case.memory.units for text in (unit.item, unit.said)] if case.memory else []
    return frozenset().union(*map(content_words, (*facts, *units)))

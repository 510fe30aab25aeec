"""What of a therapist turn presses on a patient, as the patient hears it: advice, lectures, disputes, soothing, praise.

No coder has a say in it, so that a session is scored by another reading than the one that moved its patient.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from maieutic.domain.codes import Move
from maieutic.language.questions import opening
from maieutic.language.sentences import content_words, sentences, words
from maieutic.patients.ear import chances, marks, questions, statements
from maieutic.reading.ear import SURE

LECTURE_WORDS: Final = 45
"""Words told in one turn from which telling is a lecture."""
OWN_WORDS: Final = 0.5
"""Share of a sentence that the patient said just before, from which it gives that back and advises nothing."""
_TAKEN_UP: Final = ("it sounds ", "sounds like ", "it seems ")
"""How a sentence begins that tells what was heard, whatever duty it speaks of."""
_BY_STATEMENT: Final = {
    "reassurance": Move.REASSURANCE,
    "affirmation": Move.AFFIRMATION,
    "information": Move.INFORMATION,
}
_TOLD_AT_LENGTH: Final = frozenset({Move.INFORMATION, Move.ADVICE, Move.CHALLENGE, Move.REASSURANCE})


@lru_cache(maxsize=20_000)
def pushes_in(text: str, before: str) -> tuple[Move, ...]:
    """The moves of a turn that a patient yields to or resists, in the order of the code book.

    Args:
        text: The therapist turn.
        before: What the patient said before it.
    """
    asked, told = questions(text), statements(text)
    own = content_words(before)
    moves: set[Move] = set()
    if any(q.advising for q in asked) or any(_advises(sentence, own) for sentence in told):
        moves.add(Move.ADVICE)
    moves |= {move for mark, move in _BY_STATEMENT.items() if any(mark in marks(sentence) for sentence in told)}
    if any(q.leading for q in asked) or any(map(_disputes, sentences(text))):
        moves.add(Move.CHALLENGE)
    if moves & _TOLD_AT_LENGTH and sum(len(words(sentence)) for sentence in told) >= LECTURE_WORDS:
        moves.add(Move.LECTURE)
    return tuple(move for move in Move if move in moves)


def _advises(sentence: str, own: frozenset[str]) -> bool:
    """Advice, unless the patient's words are given back ("it sounds like you have to do it all")."""
    if " ".join(opening(sentence)).startswith(_TAKEN_UP):
        return False
    chance, said = chances(sentence), content_words(sentence)
    shared = len(said & own)
    given_back = shared >= 2 and shared / len(said) >= OWN_WORDS
    return chance["advice"] >= max(SURE, chance["reflection"]) and not given_back


def _disputes(sentence: str) -> bool:
    """It disputes more than it affirms, reassures or gives back."""
    chance = chances(sentence)
    return chance["challenge"] >= max(SURE, chance["affirmation"], chance["reassurance"], chance["reflection"])


__all__ = ["pushes_in"]
